package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Declaration is the description of a block: the keys of its entry in engine files, and pointers to its parameters.
// Declare sets the block's inputs in Type.
type Declaration struct {
	Type    config.ControlType
	Numbers []parameter.Number
	Words   []Word
}

// Word is a parameter with a fixed set of words: At is the index of the selected word.
type Word struct {
	Name  string
	At    *int
	Words []string
}

// Describe names the block's kind, as in `type: pi`, and gives it a sentence of documentation.
func (d *Declaration) Describe(name, doc string) { d.Type.Name, d.Type.Doc = name, doc }

// Number declares a parameter that is a quantity of a dimension. If the file gives no value and the parameter has no
// default, it keeps its value.
func (d *Declaration) Number(name string, at *float64, dim unit.Dimension, doc string) parameter.Declared {
	return parameter.Declare(&d.Numbers, &d.Type.Params, name, at, dim, doc)
}

// Word declares a parameter with a fixed set of words; the default is the first.
func (d *Declaration) Word(name string, at *int, doc string, words ...string) {
	d.Words = append(d.Words, Word{name, at, words})
	d.Type.Params = append(d.Type.Params, config.Param{Name: name, Kind: config.Word, Words: words, Default: words[0],
		Doc: doc})
}

var (
	inf = math.Inf(1)
	of  = config.ControlInput{Name: "of", Required: true, Doc: "its input: a control, or an output of the engine"}
)
