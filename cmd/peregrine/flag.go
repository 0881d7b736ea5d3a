package main

// Flags for quantities with units and %, as in the engine file.

import (
	"fmt"
	"strconv"
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

// given is a [pflag.Value] for a text that chooses something: an empty one, as of a variable that a script has not set, would
// choose everything.
type given struct {
	to   *string
	what string // what it is, such as "condition"
}

func (g given) Type() string   { return "string" }
func (g given) String() string { return "" }

func (g given) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("an empty %s; leave the flag out to choose all", g.what)
	}
	*g.to = text
	return nil
}

// ageValue is a [pflag.Value] for a time span: a quantity of time, or days.
type ageValue time.Duration

func (v *ageValue) Type() string { return "time" }

func (v *ageValue) String() string {
	d := time.Duration(*v)
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

func (v *ageValue) Set(text string) error {
	if bare, ok := strings.CutSuffix(strings.TrimSpace(text), "d"); ok {
		if days, err := strconv.ParseFloat(strings.TrimSpace(bare), 64); err == nil {
			return v.seconds(text, days*86400)
		}
	}
	if x, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && x != 0 {
		return fmt.Errorf("%q: %s what? such as %sd, %s h or %s min", text, text, text, text, text)
	}
	s, err := unit.Parse(text, unit.Time)
	if err != nil {
		return fmt.Errorf("%w; d is a day", err)
	}
	return v.seconds(text, s)
}

func (v *ageValue) seconds(text string, s float64) error {
	const century = 100 * 365.25 * 86400
	if !(s >= 0 && s <= century) {
		return fmt.Errorf("%q: want a time from 0 to a hundred years", text)
	}
	*v = ageValue(s * float64(time.Second))
	return nil
}

// wordList is a [pflag.Value] for names behind commas. A flag that is given twice has the names of both.
type wordList []string

func (l *wordList) Type() string   { return "names" }
func (l *wordList) String() string { return strings.Join(*l, ",") }

func (l *wordList) Set(text string) error {
	*l = append(*l, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })...)
	return nil
}
