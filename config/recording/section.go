package recording

import (
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Doc describes the section.
const Doc = "What runs record of the time of their threads, for peregrine trace; {} records everything."

const want = "a group such as {kinds: [region], mode: ring}; {} records everything"

// Section reads the section.
func Section(r *document.Reader, dst **Trace) document.Value {
	v := r.Section(want, keys(r, new(Trace)))
	v.Read = func(n ast.Node, path string) {
		t := &Trace{}
		before := len(r.Problems)
		g := r.Group(n, path, want, keys(r, t))
		*dst = t
		if len(r.Problems) > before {
			return
		}
		if g.Has("period") && t.Mode != Periodic {
			g.Fail("period", "only mode: periodic has a period; mode is %s", t.Mode)
		}
		if !t.To.After(t.From) {
			g.Fail("end", "not after begin")
		}
		t.Begin, t.End = t.From.Time, t.To.Time
	}
	return v
}

// After reports whether a moment may come after another one. Moments of different kinds may.
func (m Moment) After(begin Moment) bool {
	return (m.Time == 0 || m.Time > begin.Time) && (m.Iteration == 0 || m.Iteration > begin.Iteration)
}

func keys(r *document.Reader, t *Trace) []document.Key {
	thread := func(name string) string {
		if strings.Contains(name, ",") {
			return "a thread's name has no comma"
		}
		return ""
	}
	kind := func(x *Kind) document.Value {
		return document.Choice(r, x, Kinds()...).Then(func(n ast.Node, path string) {
			if slices.Contains(t.Kinds, *x) {
				r.Fail(document.Position(n), path, string(*x), "it is listed twice")
			}
		})
	}
	return []document.Key{
		r.Optional("hosts", "Machines, by name or pattern such as node-*; local is this machine",
			texts(r, &t.Hosts, "machines such as [local, node-*]", pattern)).Or("all"),
		r.Optional("processes", "Runs, by name or pattern such as fan-*",
			texts(r, &t.Processes, "runs such as [fan-*]", pattern)).Or("all"),
		r.Optional("threads", "Threads by name",
			texts(r, &t.Threads, "threads such as [main, worker 0]", thread)).Or("all"),
		r.Optional("kinds", "Kinds of sensors: "+spell.List(document.Texts(Kinds()), "and"),
			filled(r, document.List(r, &t.Kinds, "kinds such as [region, send]", kind))).Or("all"),
		r.Optional("begin", "When recording begins", moment(r, &t.From, 0)).Or("the run's begin"),
		r.Optional("end", "When it ends", moment(r, &t.To, 1e-3)).Or("the run's end"),
		r.Optional("mode", "When records are written: every buffer, after each period, at the end, or at the end the "+
			"last buffer.", document.Choice(r, &t.Mode, Modes()...).Default(string(Every))),
		r.Optional("buffer", "Records that are kept before they are written", r.Count(&t.Buffer, 1, 1e7)).
			Or("as the mode needs"),
		r.Optional("period", "Time between two writes", r.Duration(&t.Period, 1e-3, 1e6)).Or("1 s"),
		r.Optional("quota", "Recording stops at it; what was written stays", quota(r, t)).Or("none"),
	}
}

func quota(r *document.Reader, t *Trace) document.Value {
	records := 0
	return r.Section("a quota such as {bytes: 10 MB}", []document.Key{
		r.Optional("records", "Most records of a run", r.Count(&records, 1, 1e15).
			Then(func(ast.Node, string) { t.Records = uint64(records) })),
		r.Optional("bytes", "Largest size of a run's file", r.Storage(&t.Bytes, LeastBytes, 1e15)),
	}).NotEmpty().Then(func(n ast.Node, path string) {
		if m, ok := n.(*ast.MappingNode); ok && len(m.Values) == 0 {
			r.Fail(document.Position(n), path, "", "no quota; want records or bytes")
		}
	})
}

// moment is one of a time, an iteration or a condition.
func moment(r *document.Reader, dst *Moment, least float64) document.Value {
	const want = "one of {time: 5 s}, {iteration: 100} and {when: residual < 1e-3}"
	keys := []document.Key{
		r.Optional("time", "Time since the run's begin", r.Duration(&dst.Time, least, 1e9)),
		r.Optional("iteration", "The end of an iteration", r.Count(&dst.Iteration, 1, 1e9)),
		r.Optional("when", "A condition on the run's objects and its iteration", condition(r, &dst.When)),
	}
	v := r.Section(want, keys).With(func(s *jsonschema.Schema) {
		one := 1
		s.MinProperties, s.MaxProperties = &one, &one
	})
	return v.Reading(func(n ast.Node, path string) {
		before := len(r.Problems)
		g := r.Group(n, path, want, keys)
		if len(r.Problems) == before && len(g.Given("time", "iteration", "when")) != 1 {
			r.Fail(document.Position(n), path, "", "want %s", want)
		}
	})
}

func condition(r *document.Reader, dst *string) document.Value {
	const want = "a condition such as residual < 1e-3"
	return r.Scalar(want, func(w document.Word, path string) {
		*dst = w.Text
		_, err := expression.Condition(w.Text)
		expression.Report(r, w, path, want, err)
	})
}

// pattern returns why a text is no pattern.
func pattern(text string) string {
	if _, err := path.Match(text, ""); err != nil {
		return "no pattern: a bracket is not closed, or ends in \\"
	}
	return ""
}

// texts is a list of different texts.
func texts(r *document.Reader, dst *[]string, want string, fault func(string) string) document.Value {
	return filled(r, r.Texts(dst, want, "a text", document.Rule{Check: func(text string) string {
		if slices.Contains(*dst, text) {
			return "it is listed twice"
		}
		return fault(text)
	}}))
}

// filled refuses an empty list.
func filled(r *document.Reader, list document.Value) document.Value {
	return list.NotEmpty().Then(func(n ast.Node, path string) {
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
			r.Fail(document.Position(n), path, "", "an empty list; leave the key out to record all")
		}
	})
}
