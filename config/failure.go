package config

// Steps after failed runs of a zoom. A run that failed for an outside cause is tried again unchanged. Other settings,
// or another start, are only for failures that the request itself causes: for example, a killed run gives no
// information about its settings.

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// mostRetries is the greatest N of retry N.
const mostRetries = 100

// failures are the steps by class.
func (r *reader) failures(dst *map[string][]FailureStep) document.Value {
	const want = "what follows a failed run, such as {killed: retry 3, diverged: [{change: {cfl: x0.5}}, leave_out]}"
	return document.Value{Schema: r.failuresSchema, Read: func(n ast.Node, path string) {
		*dst = map[string][]FailureStep{}
		for _, f := range r.Fields(n, path, want) {
			if !slices.Contains(FailureClasses, f.Key) {
				r.Fail(f.Pos, path, f.Key, "unknown class of failure%s", r.Hint(f.Key, FailureClasses))
				continue
			}
			(*dst)[f.Key] = r.failureSteps(f, document.Join(path, f.Key))
		}
	}}
}

func (r *reader) failuresSchema() *jsonschema.Schema {
	retry := &jsonschema.Schema{Type: "string", Pattern: `^(retry( \d+)?|leave_out|abort)$`,
		Description: "retry, retry N, leave_out or abort."}
	end := document.Enum("leave_out", "abort")
	end.Description = "leave_out or abort."
	request := document.Object("Another request for the same point.", r.requestKeys(new(FailureStep)))
	request.MinProperties = new(1)
	all := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: document.Never(), PropertyOrder: FailureClasses}
	for _, class := range FailureClasses {
		of := []*jsonschema.Schema{retry}
		switch {
		case slices.Contains(RequestFailures, class):
			of = []*jsonschema.Schema{request, end}
		case class == "unphysical":
			of = []*jsonschema.Schema{end}
		}
		many := document.ListOf(document.Either(of...))
		many.Description, many.MinItems = "Steps, one after another.", new(1)
		steps := document.Either(append(of, many)...)
		steps.Description = "What follows a run that ends as " + class + "."
		all.Properties[class] = steps
	}
	return all
}

// failureSteps reads the steps of a class: one, or a list.
func (r *reader) failureSteps(f document.Field, path string) []FailureStep {
	var steps []FailureStep
	r.OneOrMore(stepWords, "", document.Value{Read: func(it ast.Node, at string) {
		if last := len(steps) - 1; last >= 0 && (steps[last].LeaveOut || steps[last].Abort) {
			r.Fail(document.Position(it), at, "", "nothing follows leave_out or abort: they come last")
		}
		steps = append(steps, r.failureStep(f.Key, it, at))
	}}).Read(f.Value, path)
	return steps
}

const stepWords = "retry, retry 3, {change: {cfl: x0.5}}, {from: nearest}, leave_out or abort"

// failureStep reads a step after failed runs of a class.
func (r *reader) failureStep(class string, n ast.Node, path string) FailureStep {
	s := FailureStep{Pos: document.Position(n)}
	if _, ok := n.(*ast.MappingNode); ok {
		r.otherRequest(class, n, path, &s)
		return s
	}
	w, ok := r.Word(n, path, stepWords)
	words := strings.Fields(w.Text)
	switch {
	case !ok:
	case w.Text == "leave_out":
		s.LeaveOut = true
	case w.Text == "abort":
		s.Abort = true
	case len(words) > 0 && len(words) < 3 && words[0] == "retry":
		r.retries(class, w, words[1:], path, &s)
	default:
		r.Fail(w.Pos, path, w.Text, "want %s", stepWords)
	}
	return s
}

// retries reads the N of retry N.
func (r *reader) retries(class string, w document.Word, rest []string, path string, s *FailureStep) {
	s.Retry = 1
	if len(rest) > 0 {
		n, err := strconv.Atoi(rest[0])
		if s.Retry = n; err != nil || n < 1 || n > mostRetries {
			r.Fail(w.Pos, path, w.Text, "want retry N with N a whole number, 1 to %d", mostRetries)
		}
	}
	switch {
	case slices.Contains(RequestFailures, class):
		r.Fail(w.Pos, path, w.Text,
			"the same request ends as %s each time; want {change: {SETTING: VALUE}}, {from: nearest}, leave_out or "+
				"abort", class)
	case class == "unphysical":
		r.Fail(w.Pos, path, w.Text, "the same request ends as %s each time; want leave_out or abort", class)
	}
}

// otherRequest reads other settings and another start.
func (r *reader) otherRequest(class string, n ast.Node, path string, s *FailureStep) {
	before := len(r.Problems)
	r.Group(n, path, "a step such as {change: {cfl: x0.5}} or {from: nearest}", r.requestKeys(s))
	switch {
	case slices.Contains(OutsideFailures, class):
		r.Fail(document.Position(n), path, "",
			"%s is not caused by the request, so the same request is tried again: retry N, leave_out or "+
				"abort; other settings or another start are for %s",
			class, spell.List(RequestFailures, "and"))
	case !slices.Contains(RequestFailures, class):
		r.Fail(document.Position(n), path, "", "other settings or another start are for %s",
			spell.List(RequestFailures, "and"))
	case len(r.Problems) == before && s.Change == nil && !s.Nearest:
		r.Fail(document.Position(n), path, "",
			"no change and no from; want such as {change: {cfl: x0.5}} or {from: nearest}")
	}
}

func (r *reader) requestKeys(s *FailureStep) []document.Key {
	var from string
	nearest := r.Choice(&from, "nearest")
	return []document.Key{
		r.Optional("change", "Other settings than those of the first request; x0.5 is half the value.",
			r.changes(&s.Change)),
		r.Optional("from", "The run starts from the nearest run with an answer.",
			nearest.Then(func(ast.Node, string) { s.Nearest = from != "" })),
	}
}

var factorShape = regex.Lazy(`^x\s*(\S+)$`)

// changes are other values of settings: xF is F times the value that the request has.
func (r *reader) changes(dst *[]ChangeSetting) document.Value {
	const want = "other values of settings such as {cfl: x0.5}"
	schema := func() *jsonschema.Schema {
		s := document.NamedSchema(nil, document.TextSchema(""))
		s.MinProperties = new(1)
		return s
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, want) {
			at := document.Join(path, f.Key)
			w, ok := r.Word(f.Value, at, "a number, a text, or a factor such as x0.5")
			if !ok {
				continue
			}
			_, err := unit.Parse(w.Text, unit.None)
			c := ChangeSetting{Name: f.Key, Value: valueOf(w), Number: err == nil}
			if m := factorShape().FindStringSubmatch(w.Text); m != nil {
				x, err := strconv.ParseFloat(m[1], 64)
				if c.Factor = x; err != nil || !numeric.Finite(x) || x <= 0 || x == 1 {
					r.Fail(w.Pos, at, w.Text, "want a factor such as x0.5: above 0, and not 1")
				}
			}
			*dst = append(*dst, c)
		}
		if *dst == nil {
			r.Fail(document.Position(n), path, "", "no setting; want such as {cfl: x0.5}")
		}
	}}
}

// valueOf is the value of a setting whose meaning the solver alone knows.
func valueOf(w document.Word) Value {
	v := Value{Text: w.Text, Flag: w.Text == "true", Set: true, Pos: w.Pos}
	if x, err := unit.Parse(w.Text, unit.None); err == nil {
		v.Num = x
	}
	return v
}
