package control

import (
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Declaration is the description of a block: what engine files may say of it, and where its
// parameters are. What inputs it has its Declare sets in Type.
type Declaration struct {
	Type    config.ControlType
	Numbers []Number
	Words   []Word
}

// Number is a parameter that may change.
type Number struct {
	Name string
	At   *float64
}

// Word is a parameter that is one of several words: At is the index of one.
type Word struct {
	Name  string
	At    *int
	Words []string
}

// Describe names the block's kind, as in `type: pi`, and gives it a sentence of documentation.
func (d *Declaration) Describe(name, doc string) { d.Type.Name, d.Type.Doc = name, doc }

// NumberParam is a number that was declared. It has no default and no bounds and need
// not be given, unless its methods say so.
type NumberParam struct {
	d     *Declaration
	param int
}

// Number declares a parameter that is a quantity of a dimension. Where the file gives none
// and there is no default it stays as it is.
func (d *Declaration) Number(name string, at *float64, dim unit.Dimension, doc string) NumberParam {
	d.Numbers = append(d.Numbers, Number{name, at})
	d.Type.Params = append(d.Type.Params, config.Param{Name: name, Kind: config.Number, Dim: dim, Doc: doc})
	return NumberParam{d, len(d.Type.Params) - 1}
}

// Default sets the value, in SI or rpm, that counts where the file gives none.
func (n NumberParam) Default(v float64) NumberParam {
	n.d.Type.Params[n.param].Default = v
	return n
}

// Within sets the bounds, in SI or rpm; both are allowed values.
func (n NumberParam) Within(least, most float64) NumberParam {
	n.d.Type.Params[n.param].Min, n.d.Type.Params[n.param].Max = least, most
	return n
}

// Required makes it an error that the file does not give it.
func (n NumberParam) Required() NumberParam {
	n.d.Type.Params[n.param].Required = true
	return n
}

// Word declares a parameter that is one of several words, by default the first.
func (d *Declaration) Word(name string, at *int, doc string, words ...string) {
	d.Words = append(d.Words, Word{name, at, words})
	d.Type.Params = append(d.Type.Params, config.Param{Name: name, Kind: config.Word, Words: words, Default: words[0], Doc: doc})
}

var (
	inf = math.Inf(1)
	of  = config.ControlInput{Name: "of", Required: true, Doc: "what it follows: a control, or an output of the engine"}
)
