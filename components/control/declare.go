package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Declaration is the description of a block: what engine files may say of it, and where its
// parameters are. What inputs it has its Declare sets in Type.
type Declaration struct {
	Type    config.ControlType
	Numbers []parameter.Number
	Words   []Word
}

// Word is a parameter that is one of several words: At is the index of one.
type Word struct {
	Name  string
	At    *int
	Words []string
}

// Describe names the block's kind, as in `type: pi`, and gives it a sentence of documentation.
func (d *Declaration) Describe(name, doc string) { d.Type.Name, d.Type.Doc = name, doc }

// Number declares a parameter that is a quantity of a dimension. Where the file gives none
// and there is no default it stays as it is.
func (d *Declaration) Number(name string, at *float64, dim unit.Dimension, doc string) parameter.Declared {
	return parameter.Declare(&d.Numbers, &d.Type.Params, name, at, dim, doc)
}

// Word declares a parameter that is one of several words, by default the first.
func (d *Declaration) Word(name string, at *int, doc string, words ...string) {
	d.Words = append(d.Words, Word{name, at, words})
	d.Type.Params = append(d.Type.Params, config.Param{Name: name, Kind: config.Word, Words: words, Default: words[0],
		Doc: doc})
}

var (
	inf = math.Inf(1)
	of  = config.ControlInput{Name: "of", Required: true, Doc: "what it follows: a control, or an output of the engine"}
)
