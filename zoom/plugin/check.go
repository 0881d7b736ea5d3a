package plugin

// Checks of requests and results against a description. They find all mistakes of a request
// at once, before a solver runs for an hour.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// RequestError lists the values of a request that a solver does not accept.
type RequestError struct {
	Solver, Run string
	Problems    []string
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("run %s: solver %s cannot take the request: %s", e.Run, e.Solver, strings.Join(e.Problems, "; "))
}

// ResultError lists the values of a result that do not match the description.
type ResultError struct {
	Solver   string
	Problems []string
}

func (e *ResultError) Error() string {
	return fmt.Sprintf("solver %s gave a result that it does not describe: %s", e.Solver,
		strings.Join(e.Problems, "; "))
}

type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// CheckRequest returns a RequestError if a value of the request is unknown, missing, of the wrong shape, not finite or
// out of bounds. Inputs and settings are one set of names.
func (d *Description) CheckRequest(r Request) error {
	var p problems
	known := func(name string, shapes ...Shape) *Quantity {
		q := find(name, d.Inputs, d.Settings)
		switch {
		case q == nil:
			p.add("%s is unknown; it takes %s", name, strings.Join(d.inputNames(), ", "))
		case !slices.Contains(shapes, q.Shape):
			p.add("%s must be a %s, not a %s", name, q.Shape, shapes[0])
		default:
			return q
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
		if q := known(name, Scalar); q != nil && q.outside(r.Numbers[name]) {
			p.add("%s is %g; it must be finite and within %s", name, r.Numbers[name], q.bounds())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
		if q := known(name, Profile); q != nil {
			p.checkProfile(q, r.Arrays[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Texts)) {
		if q := known(name, Text, FileName); q != nil && len(q.Words) > 0 && !slices.Contains(q.Words, r.Texts[name]) {
			p.add("%s is %q; it must be one of %s", name, r.Texts[name], strings.Join(q.Words, ", "))
		}
	}
	for _, q := range slices.Concat(d.Inputs, d.Settings) {
		if q.Required && !r.has(q.Name) && !d.replaced(q.Name, &r) {
			p.add("%s is missing (%s, %s)", q.Name, q.Shape, q.bounds())
		}
		if q.InPlaceOf != "" && r.has(q.Name) && r.has(q.InPlaceOf) {
			p.add("%s is in place of %s, and both are there", q.Name, q.InPlaceOf)
		}
	}
	if len(p) > 0 {
		return &RequestError{Solver: d.Name, Run: r.Run, Problems: p}
	}
	return nil
}

// replaced reports whether a request has another input in place of the named one.
func (d *Description) replaced(name string, r *Request) bool {
	return slices.ContainsFunc(d.Inputs, func(q Quantity) bool { return q.InPlaceOf == name && r.has(q.Name) })
}

// CheckResult returns a ResultError if a solver cannot give the class, or if a value is unknown. A converged result
// must have all required values, finite and within bounds. Another result is no answer: it may lack values, and they
// need not be finite.
func (d *Description) CheckResult(r Result) error {
	var p problems
	if !slices.Contains(solverClasses, r.Class) {
		p.add("class %q is not one of %v", r.Class, solverClasses)
	}
	answer := r.Class == event.Converged
	for _, name := range slices.Sorted(maps.Keys(r.Numbers)) {
		q := p.findOutput(d, name, Scalar)
		switch v := r.Numbers[name]; {
		case q == nil || !answer:
		case q.outside(v):
			p.add("%s is %g; it must be finite and within %s", name, v, q.bounds())
		case immense(v):
			p.add("%s is %g, %s", name, v, noMagnitude)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Arrays)) {
		if q := p.findOutput(d, name, Profile); q != nil && answer {
			p.checkProfile(q, r.Arrays[name])
			if i := slices.IndexFunc(r.Arrays[name], immense); i >= 0 {
				p.add("%s[%d] is %g, %s", name, i, r.Arrays[name][i], noMagnitude)
			}
		}
	}
	for _, q := range d.Outputs {
		_, number := r.Numbers[q.Name]
		_, array := r.Arrays[q.Name]
		if answer && q.Required && !number && !array {
			p.add("%s is missing", q.Name)
		}
	}
	if len(p) > 0 {
		return &ResultError{Solver: d.Name, Problems: p}
	}
	return nil
}

// mostMagnitude and its inverse bound the size of a value other than 0: no quantity of a flow is beyond, and the square
// of one within is still a number. Memory that was never set, or a number that was cut, may be.
const mostMagnitude = 1e150

const noMagnitude = "which no quantity of a flow is: between 1e-150 and 1e150 in size, or 0"

func immense(v float64) bool {
	size := math.Abs(v)
	return size > mostMagnitude || size > 0 && size < 1/mostMagnitude
}

// solverClasses are the classes that a solver may give a run.
var solverClasses = []event.Class{
	event.Converged, event.NotConverged, event.Diverged, event.Unphysical, event.Stalled, event.Crashed, event.Killed,
	event.BadOutput, event.Timeout, // seen in the output of a program that the solver runs or waits for
}

func (p *problems) findOutput(d *Description, name string, shape Shape) *Quantity {
	q := find(name, d.Outputs)
	switch {
	case q == nil:
		p.add("%s is no output of it", name)
	case q.Shape != shape:
		p.add("%s must be a %s, not a %s", name, q.Shape, shape)
	default:
		return q
	}
	return nil
}

func (p *problems) checkProfile(q *Quantity, values []float64) {
	if len(values) == 0 {
		p.add("%s is an empty profile", q.Name)
	}
	if len(values) > MaxProfile {
		p.add("%s has %d values; a profile has at most %d", q.Name, len(values), MaxProfile)
	}
	for i, v := range values {
		if q.outside(v) {
			p.add("%s[%d] is %g; it must be finite and within %s", q.Name, i, v, q.bounds())
			return // the first is enough
		}
	}
}

func (d *Description) inputNames() []string {
	return names(d.Inputs, d.Settings)
}

func (r *Request) has(name string) bool {
	_, number := r.Numbers[name]
	_, array := r.Arrays[name]
	_, text := r.Texts[name]
	return number || array || text
}

// WithDefaults returns the request with the defaults of all scalars and words that it lacks, so that
// the run folder records every value that the solver uses.
func (d *Description) WithDefaults(r Request) Request {
	r.Numbers = maps.Clone(r.Numbers)
	if r.Numbers == nil {
		r.Numbers = map[string]float64{}
	}
	for _, q := range slices.Concat(d.Inputs, d.Settings) {
		switch {
		case r.has(q.Name):
		case q.Default != nil:
			r.Numbers[q.Name] = *q.Default
		case len(q.Words) > 0:
			r.Texts = maps.Clone(r.Texts)
			if r.Texts == nil {
				r.Texts = map[string]string{}
			}
			r.Texts[q.Name] = q.Words[0]
		}
	}
	return r
}

// Finite returns the result without the values that are not finite, and their sorted names.
// JSON cannot hold such values.
func (r Result) Finite() (Result, []string) {
	var bad []string
	drop := func(name string, values ...float64) bool {
		wrong := slices.ContainsFunc(values, func(v float64) bool { return !numeric.Finite(v) })
		if wrong {
			bad = append(bad, name)
		}
		return wrong
	}
	r.Numbers, r.Arrays = maps.Clone(r.Numbers), maps.Clone(r.Arrays)
	maps.DeleteFunc(r.Numbers, func(name string, v float64) bool { return drop(name, v) })
	maps.DeleteFunc(r.Arrays, func(name string, v []float64) bool { return drop(name, v...) })
	slices.Sort(bad)
	return r, bad
}

func names(lists ...[]Quantity) []string {
	var all []string
	for _, list := range lists {
		for _, q := range list {
			all = append(all, q.Name)
		}
	}
	return all
}
