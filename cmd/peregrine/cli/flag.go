package cli

// Flags for quantities with units and %, as in the engine file.

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// AddFlag declares a flag. Its default, "" for none, is text for the help: without the flag the value stays 0, which
// means the default.
func AddFlag(f *pflag.FlagSet, v pflag.Value, name, def, doc string) {
	flag := f.VarPF(v, name, "", doc)
	flag.DefValue = def
}

// Quantity is a [pflag.Value] for a quantity.
type Quantity struct {
	At   *float64
	Dim  unit.Dimension
	None bool // 0 is allowed, and stored as -1, because 0 means the default
	text string
}

func (v *Quantity) String() string { return v.text }

func (v *Quantity) Type() string {
	if v.Dim == unit.None {
		return "number"
	}
	return strings.ReplaceAll(string(v.Dim), " ", "-")
}

func (v *Quantity) Set(text string) error {
	x, err := v.parse(text)
	if err != nil {
		return err
	}
	if x, err = v.explicit(x); err != nil {
		return err
	}
	*v.At, v.text = x, text
	return nil
}

// parse reads the quantity. Times have the forms that all flags of times take: a bare number is none.
func (v *Quantity) parse(text string) (float64, error) {
	if v.Dim == unit.Time {
		var t Age
		err := t.Set(text)
		return time.Duration(t).Seconds(), err
	}
	return unit.Parse(text, v.Dim)
}

// explicit distinguishes a 0 that the user gave from a missing value.
func (v *Quantity) explicit(x float64) (float64, error) {
	switch {
	case x > 0:
		return x, nil
	case x == 0 && v.None:
		return -1, nil
	case v.None:
		return 0, fmt.Errorf("%g is below 0", x)
	}
	return 0, fmt.Errorf("%g is not above 0", x)
}

// given is a [pflag.Value] for a text that selects items. It refuses an empty text, such as that of an unset variable
// in a script, because it would select all items.
type given struct {
	to   *string
	what string // kind of value, such as "condition"
}

// NonEmpty returns a flag's value for a text that is not empty.
func NonEmpty(to *string, what string) pflag.Value { return given{to, what} }

func (g given) Type() string   { return "string" }
func (g given) String() string { return "" }

func (g given) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("an empty %s; leave the flag out to choose all", g.what)
	}
	*g.to = text
	return nil
}

// Age is a [pflag.Value] for a time span: a quantity of time, or days.
type Age time.Duration

func (v *Age) Type() string { return "time" }

func (v *Age) String() string {
	d := time.Duration(*v)
	if day := 24 * time.Hour; d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	return d.String()
}

func (v *Age) Set(text string) error {
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

func (v *Age) seconds(text string, s float64) error {
	const century = 100 * 365.25 * 86400
	if !(s >= 0 && s <= century) {
		return fmt.Errorf("%q: want a time from 0 to a hundred years", text)
	}
	*v = Age(s * float64(time.Second))
	return nil
}
