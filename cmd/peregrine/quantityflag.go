package main

// Flags for quantities with units and %, as in the engine file.

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// addFlag declares a flag. Its default, "" if there is none, is text for the help: without the
// flag the value stays 0, which means the default.
func addFlag(f *pflag.FlagSet, v pflag.Value, name, def, doc string) {
	flag := f.VarPF(v, name, "", doc)
	flag.DefValue = def
}

// shapeFlag is a quantity whose value 0 means its default.
type shapeFlag struct {
	name string
	at   *float64
	dim  unit.Dimension
	def  string
	doc  string
}

func (q shapeFlag) add(f *pflag.FlagSet) {
	addFlag(f, &quantityValue{at: q.at, dim: q.dim}, q.name, q.def, q.doc)
}

// quantityValue is a [pflag.Value] for a quantity.
type quantityValue struct {
	at   *float64
	dim  unit.Dimension
	none bool // 0 may be given, and is stored as -1, because 0 stands for the default
	text string
}

func (v *quantityValue) String() string { return v.text }

func (v *quantityValue) Type() string {
	if v.dim == unit.None {
		return "number"
	}
	return strings.ReplaceAll(string(v.dim), " ", "-")
}

func (v *quantityValue) Set(text string) error {
	x, err := v.parse(text)
	if err != nil {
		return err
	}
	if x, err = v.explicit(x); err != nil {
		return err
	}
	*v.at, v.text = x, text
	return nil
}

// parse reads the quantity. Times have the forms that all flags of times take: a bare number is none.
func (v *quantityValue) parse(text string) (float64, error) {
	if v.dim == unit.Time {
		var t ageValue
		err := t.Set(text)
		return time.Duration(t).Seconds(), err
	}
	return unit.Parse(text, v.dim)
}

// explicit distinguishes a 0 that the user gave from a missing value.
func (v *quantityValue) explicit(x float64) (float64, error) {
	switch {
	case x > 0:
		return x, nil
	case x == 0 && v.none:
		return -1, nil
	case v.none:
		return 0, fmt.Errorf("%g is below 0", x)
	}
	return 0, fmt.Errorf("%g is not above 0", x)
}

// percentValue is a number of percent, with the sign or without.
type percentValue struct {
	at   *float64
	text string
}

func (v *percentValue) String() string { return v.text }
func (v *percentValue) Type() string   { return "percent" }

func (v *percentValue) Set(text string) error {
	bare, _ := strings.CutSuffix(strings.TrimSpace(text), "%")
	q := quantityValue{at: v.at}
	if err := q.Set(bare); err != nil {
		return err
	}
	v.text = text
	return nil
}

// listValue is a list of numbers, separated by commas.
type listValue struct {
	at   *[]float64
	text string
}

func (v *listValue) String() string { return v.text }
func (v *listValue) Type() string   { return "numbers" }

func (v *listValue) Set(text string) error {
	var list []float64
	for i, item := range strings.Split(text, ",") {
		x, err := unit.Parse(item, unit.None)
		if err != nil {
			return err
		}
		if i > 0 && x <= list[i-1] {
			return fmt.Errorf("%s does not rise above %g", strings.TrimSpace(item), list[i-1])
		}
		list = append(list, x)
	}
	*v.at, v.text = list, text
	return nil
}
