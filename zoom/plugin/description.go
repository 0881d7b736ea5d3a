package plugin

// The description of a solver, which the solver reports. The host checks every request against it before sending, and
// every result before use.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// Shape is the form of a value.
type Shape string

const (
	Scalar   Shape = "scalar"  // a number
	Profile  Shape = "profile" // numbers: at each station from hub to casing, or row-major
	Text     Shape = "text"    // any text; geometry as YAML, for example
	FileName Shape = "file"    // a path: absolute, or relative to the run folder
)

// MaxProfile is how many values a profile has at most: a plane of 512 by 512 points.
const MaxProfile = 1 << 18

// Description is a solver's identity, its inputs and outputs, and the files it writes.
type Description struct {
	Name     string // as in the engine file's `solver:`, such as "throughflow"
	Version  string // changes when answers may change
	Fidelity string // a phrase for people, such as "axisymmetric Euler, blade forces"

	Inputs   []Quantity // boundary conditions and geometry of a run
	Outputs  []Quantity // values of its result
	Settings []Quantity // of the numerical method: mesh, CFL, iteration limit; part of the request, like inputs

	Controls    []string       // inputs or settings that the command Set may change during a run
	Files       []history.File // written into the run folder
	Pauses      bool           // it accepts the commands Pause and Resume
	Checkpoints bool           // it accepts the command Checkpoint
	Reusable    bool           // its process takes run after run, with the answers of fresh processes, to the last bit
	Steers      bool           // it registers objects on Request.Steer, and obeys it
	Judges      bool           // it judges Request.Rules; this package sets it for every solver that steers
	Sensors     []sensor.Spec  // of a run that is steered; Request.Sensors has them
	WholeState  bool           // a run continued from a checkpoint answers, to the last bit, like an uninterrupted run
}

// Quantity is a named value of a request or a result.
type Quantity struct {
	Name     string
	Unit     string // symbol, for people; values are in the SI unit of Dim (rpm for speeds)
	Dim      unit.Dimension
	Shape    Shape
	Required bool
	Default  *float64 // value of a scalar that the request lacks; nil: none
	Min, Max *float64 // bounds, inclusive, of a scalar and of each entry of a profile; nil: none
	Coarse   *float64 // factor of a setting on the solver's coarse mesh; nil: 1
	Words    []string // of a text, what it may be, its default first; nil: anything
	Doc      string   // a sentence

	// InPlaceOf is the name of another input that a request with this input must not have; empty: none. If the other
	// input is required, a request has one of the two.
	InPlaceOf string
}

// SolutionFormat is the history.File.Format of a checkpoint: a state from which a run of the same request can start.
const SolutionFormat history.Format = "solution"

var nameForm = regex.Lazy(`^[A-Za-z][A-Za-z0-9_.]*$`)

// Check returns a DescriptionError with all mistakes in the description. They are mistakes of the solver's author.
func (d *Description) Check() error {
	var p problems
	if d.Name == "" {
		p.add("it has no name")
	}
	if d.Version == "" {
		p.add("it has no version")
	}
	p.checkNames("inputs and settings", slices.Concat(d.Inputs, d.Settings))
	p.checkNames("outputs", d.Outputs)
	p.checkAlternatives(d)
	for _, name := range d.Controls {
		if q := find(name, d.Inputs, d.Settings); q == nil || q.Shape != Scalar {
			p.add("control %q is no scalar input or setting", name)
		}
	}
	for _, f := range d.Files {
		if f.Pattern == "" {
			p.add("a file has no pattern")
		}
		for _, line := range f.Patterns {
			if _, err := regexp.Compile(line.Regexp); err != nil {
				p.add("file %q: %v", f.Pattern, err)
			}
		}
	}
	if len(p) > 0 {
		return &DescriptionError{Solver: d.Name, Problems: p}
	}
	return nil
}

func (p *problems) checkNames(where string, quantities []Quantity) {
	seen := map[string]bool{}
	for _, q := range quantities {
		switch {
		case !nameForm().MatchString(q.Name):
			p.add("%s: name %q is not a letter followed by letters, digits, _ and .", where, q.Name)
		case seen[q.Name]:
			p.add("%s: %s occurs twice", where, q.Name)
		case !slices.Contains([]Shape{Scalar, Profile, Text, FileName}, q.Shape):
			p.add("%s: %s has shape %q; use scalar, profile, text or file", where, q.Name, q.Shape)
		case q.Default != nil && (q.Shape != Scalar || q.outside(*q.Default)):
			p.add("%s: %s has a default of %g, which is no scalar within its bounds", where, q.Name, *q.Default)
		}
		if len(q.Words) > 0 && q.Shape != Text {
			p.add("%s: %s has words, and is a %s; words are those of a text", where, q.Name, q.Shape)
		}
		if q.Coarse != nil && (q.Default == nil || !(*q.Coarse > 0) || q.outside(*q.Coarse**q.Default)) {
			p.add("%s: %s is %g times as large on the coarse mesh; that must be above 0, and leave a default within "+
				"its bounds", where, q.Name, *q.Coarse)
		}
		seen[q.Name] = true
	}
}

// checkAlternatives checks the inputs that replace another input. Neither of the two may have a default, since a
// request would then have both.
func (p *problems) checkAlternatives(d *Description) {
	for _, q := range slices.Concat(d.Inputs, d.Settings, d.Outputs) {
		if q.InPlaceOf == "" {
			continue
		}
		other := find(q.InPlaceOf, d.Inputs)
		switch {
		case find(q.Name, d.Inputs) == nil || other == nil || other.Name == q.Name || other.InPlaceOf != "":
			p.add("%s is in place of %q; both must be inputs, and the second one in no other's place", q.Name,
				q.InPlaceOf)
		case q.Required || q.Default != nil || other.Default != nil:
			p.add("%s is in place of %s; it must not be required, and neither may have a default", q.Name, q.InPlaceOf)
		}
	}
}

// Coarse returns the settings of a solver's coarse mesh that differ from a request's; settings are the user's. The
// error is the reason why the coarse mesh is not available.
func (d *Description) Coarse(settings map[string]float64) (map[string]float64, error) {
	out := map[string]float64{}
	for i := range d.Settings {
		q := &d.Settings[i]
		if q.Coarse == nil {
			continue
		}
		v, ok := settings[q.Name]
		if !ok {
			v = *q.Default
		}
		if v *= *q.Coarse; q.outside(v) {
			return nil, fmt.Errorf("on the coarse mesh of %s %s is %g; it must be %s", d.Name, q.Name, v, q.bounds())
		}
		out[q.Name] = v
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s states no coarse mesh: none of its settings says what it is there", d.Name)
	}
	return out, nil
}

func find(name string, lists ...[]Quantity) *Quantity {
	for _, list := range lists {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// outside reports whether v is NaN, infinite or beyond the bounds.
func (q *Quantity) outside(v float64) bool {
	return !numeric.Finite(v) || q.Min != nil && v < *q.Min || q.Max != nil && v > *q.Max
}

// bounds returns the allowed range as text.
func (q *Quantity) bounds() string {
	low, high := "-inf", "inf"
	if q.Min != nil {
		low = fmt.Sprintf("%g", *q.Min)
	}
	if q.Max != nil {
		high = fmt.Sprintf("%g", *q.Max)
	}
	return strings.TrimSpace(fmt.Sprintf("%s to %s %s", low, high, q.Unit))
}

// DescriptionError lists the mistakes in a solver's description.
type DescriptionError struct {
	Solver   string
	Problems []string
}

func (e *DescriptionError) Error() string {
	return fmt.Sprintf("solver %s has a wrong description: %s", e.Solver, strings.Join(e.Problems, "; "))
}
