// Package parameter declares the numbers of components and controls: their keys in engine files, and pointers to their
// values.
package parameter

import (
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Number is a parameter that a case may set or vary.
type Number struct {
	Name  string
	At    *float64
	Given *bool // set to whether the file gives it; may be nil
	// DesignOnly marks parameters that fix the geometry and have no effect later.
	DesignOnly bool
}

// Set sets the numbers that have values; the others keep theirs.
func Set(list []Number, values config.Values) {
	for _, n := range list {
		v, ok := values[n.Name]
		if ok {
			*n.At = v.Num
		}
		if n.Given != nil {
			*n.Given = ok
		}
	}
}

// Declared is a number in the lists of its declaration. It has no default and no bounds, is optional and may change off
// design, unless its methods change that.
type Declared struct {
	numbers *[]Number
	params  *[]config.Param
	number  int
	param   int
}

// Declare adds a quantity of a dimension to a declaration's numbers and to the parameters of engine files.
func Declare(numbers *[]Number, params *[]config.Param, name string, at *float64, dim unit.Dimension,
	doc string) Declared {
	*numbers = append(*numbers, Number{Name: name, At: at})
	*params = append(*params, config.Param{Name: name, Kind: config.Number, Dim: dim, Doc: doc})
	return Declared{numbers, params, len(*numbers) - 1, len(*params) - 1}
}

// Default sets the value, in SI or rpm, that counts where the file gives none.
func (d Declared) Default(v float64) Declared {
	(*d.params)[d.param].Default = v
	return d
}

// Within sets the bounds, in SI or rpm; both are allowed values.
func (d Declared) Within(least, most float64) Declared {
	p := &(*d.params)[d.param]
	p.Min, p.Max = least, most
	return d
}

// Required makes a missing value an error.
func (d Declared) Required() Declared {
	(*d.params)[d.param].Required = true
	return d
}

// Also declares what other programs call the number.
func (d Declared) Also(names ...string) Declared {
	(*d.params)[d.param].Also = names
	return d
}

// DesignOnly marks a parameter that fixes the geometry and has no effect off design.
func (d Declared) DesignOnly() Declared {
	(*d.numbers)[d.number].DesignOnly = true
	return d
}

// Given names a switch that is set to whether the file gives the number, where its absence
// means something.
func (d Declared) Given(given *bool) Declared {
	(*d.numbers)[d.number].Given = given
	return d
}
