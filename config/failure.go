package config

// What is done about failed runs of a zoom. What befell a run from outside is tried again as it was; other settings,
// or another start, are only for what the request itself causes: a run that was killed says nothing of its settings.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// mostRetries is the greatest N of retry N.
const mostRetries = 100

// failures reads the steps by class.
func (r *reader) failures(n ast.Node, path string) map[string][]FailureStep {
	all := map[string][]FailureStep{}
	for _, f := range r.Fields(n, path,
		"what follows a failed run, such as {killed: retry 3, diverged: [{change: {cfl: x0.5}}, leave_out]}") {
		if !slices.Contains(FailureClasses, f.Key) {
			r.Fail(f.Pos, path, f.Key, "unknown class of failure%s", r.Hint(f.Key, FailureClasses))
			continue
		}
		all[f.Key] = r.failureSteps(f, document.Join(path, f.Key))
	}
	return all
}

// failureSteps reads the steps of one class: one, or a list.
func (r *reader) failureSteps(f document.Field, path string) []FailureStep {
	list, ok := f.Value.(*ast.SequenceNode)
	if !ok {
		return []FailureStep{r.failureStep(f.Key, f.Value, path)}
	}
	var steps []FailureStep
	for i, it := range list.Values {
		at := document.Item(path, i)
		if last := len(steps) - 1; last >= 0 && (steps[last].LeaveOut || steps[last].Abort) {
			r.Fail(document.Position(it), at, "", "nothing follows leave_out or abort: they come last")
		}
		steps = append(steps, r.failureStep(f.Key, it, at))
	}
	if len(steps) == 0 {
		r.Fail(document.Position(list), path, "", "no step, want %s", stepWords)
	}
	return steps
}

const stepWords = "retry, retry 3, {change: {cfl: x0.5}}, {from: nearest}, leave_out or abort"

// failureStep reads one step of what follows runs of a class.
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
	r.Group(n, path, "a step such as {change: {cfl: x0.5}} or {from: nearest}", []document.Key{
		document.Optional("change", func(n ast.Node, path string) { s.Change = r.changes(n, path) }),
		document.Optional("from", func(n ast.Node, path string) {
			var from string
			r.Choice(&from, "nearest")(n, path)
			s.Nearest = from != ""
		}),
	})
	switch {
	case slices.Contains(OutsideFailures, class):
		r.Fail(document.Position(n), path, "",
			"%s befell the run from outside, so that the very same request is tried again: retry N, leave_out or "+
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

var factorShape = regexp.MustCompile(`^x\s*(\S+)$`)

// changes reads other values of settings: xF is F times the value that the request has.
func (r *reader) changes(n ast.Node, path string) []ChangeSetting {
	var list []ChangeSetting
	for _, f := range r.Fields(n, path, "other values of settings such as {cfl: x0.5}") {
		at := document.Join(path, f.Key)
		w, ok := r.Word(f.Value, at, "a number, a text, or a factor such as x0.5")
		if !ok {
			continue
		}
		_, err := unit.Parse(w.Text, unit.None)
		c := ChangeSetting{Name: f.Key, Value: valueOf(w), Number: err == nil}
		if m := factorShape.FindStringSubmatch(w.Text); m != nil {
			x, err := strconv.ParseFloat(m[1], 64)
			if c.Factor = x; err != nil || !numeric.Finite(x) || x <= 0 || x == 1 {
				r.Fail(w.Pos, at, w.Text, "want a factor such as x0.5: above 0, and not 1")
			}
		}
		list = append(list, c)
	}
	if list == nil {
		r.Fail(document.Position(n), path, "", "no setting; want such as {cfl: x0.5}")
	}
	return list
}

// valueOf is the value of a setting whose meaning the solver alone knows.
func valueOf(w document.Word) Value {
	v := Value{Text: w.Text, Flag: w.Text == "true", Set: true, Pos: w.Pos}
	if x, err := unit.Parse(w.Text, unit.None); err == nil {
		v.Num = x
	}
	return v
}
