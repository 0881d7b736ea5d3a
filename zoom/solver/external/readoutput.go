package external

// The outputs in a description, the signs of a run's end, and the files kept from it.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func (r *reader) outputs() document.Value {
	entry := func() *jsonschema.Schema { return r.outputGroup(new(draftOutput)).schema() }
	return byName("outputs", entry, r.readOutputs)
}

func (r *reader) readOutputs(n ast.Node, path string) {
	r.results = maps.Clone(r.names)
	fields := r.Fields(n, path, "outputs such as W: {file: result.csv, column: W, unit: kg/s}")
	for _, f := range fields {
		o := r.output(f, path)
		r.d.outputs = append(r.d.outputs, o)
		r.declare(r.results, f, path, meaning{o.Shape, o.unit, true})
		if name := f.Key + "_error"; o.scatter {
			if slices.ContainsFunc(fields, func(g document.Field) bool { return g.Key == name }) {
				r.Fail(f.Pos, path, name, "it comes with the mean of %s: leave it out, or take another mean", f.Key)
				continue
			}
			q := plugin.Quantity{Name: name, Shape: plugin.Scalar, Doc: "scatter of " + f.Key + ", relative"}
			r.d.outputs = append(r.d.outputs, output{Quantity: q})
			r.results[name] = meaning{plugin.Scalar, unit.Unit{}, false}
		}
	}
}

type draftOutput struct {
	output
	optional bool
}

func (r *reader) outputGroup(o *draftOutput) Group {
	where := r.placeKeys(&o.output, r.results)
	return Group{"an output", "{file: result.csv, column: W, unit: kg/s}", []document.Key{
		r.Optional("unit", "in which the file has it; of a value, what it measures", r.unit(&o.unit)),
		r.Optional("shape", "a number (default), or all that the file has",
			document.Choice(&r.Reader, &o.Shape, plugin.Scalar, plugin.Profile)),
		r.Optional("value", "of inputs, settings, values and the outputs above, SI", where[0].Value),
		r.Optional("file", "of names in the run folder; the newest file counts, by the times that are folders in its "+
			"path, then by its date. One that is older than the run does not count",
			where[1].Value),
		where[2],
		r.Optional("regexp", "with a group, as in 'W = (\\S+)', or with one that is called value", where[3].Value),
		r.Optional("json", "to a number or a list in a JSON document, such as /exit/W", where[4].Value),
		r.Optional("plane", "of `planes`, of which it is a quantity", r.planeName(&o.plane)),
		r.Optional("quantity",
			"of the plane; its shape scalar is the average, of W the sum; profile, the values of all cells. alpha = "+
				"atan2(tangential, axial)",
			r.Choice(&o.quantity, quantities...)),
		r.Optional("average", "by which cells of the plane are weighted (default: mass)",
			r.Choice(&o.average, averageMass, averageArea)),
		r.Optional("frame", "in which the plane's Pt, Tt, tangential and alpha are (default: absolute)",
			r.Choice(&o.frame, frameAbsolute, frameRelative)),
		r.Optional("take", "which of the numbers found is the scalar (default: last). With the mean of the last N "+
			"comes an output NAME_error, their standard deviation over the mean",
			r.takeOf(&o.take)),
		r.Optional("min", "least value, in the unit: beyond it the answer is wrong", r.number(&o.Min, &o.unit)),
		r.Optional("max", "greatest value, in the unit", r.number(&o.Max, &o.unit)),
		r.Optional("optional", "whether an answer may lack it", r.Flag(&o.optional)),
		r.Optional("doc", "what it is", r.Text(&o.Doc, "what it is")),
	}}
}

func (r *reader) output(f document.Field, path string) output {
	at := document.Join(path, f.Key)
	o := draftOutput{output: output{Quantity: plugin.Quantity{Name: f.Key, Shape: plugin.Scalar}, unit: plain}}
	before := len(r.Problems)
	g := r.read(r.outputGroup(&o), f.Value, at)
	if o.plane != nil {
		r.ofPlane(&o.output, document.Position(f.Value), at)
	}
	o.Dim, o.Unit, o.Required = o.unit.Dimension(), si(o.unit), !o.optional
	o.scatter = o.take.what == takeMean && o.take.last > 0
	if len(r.Problems) == before {
		r.oneSource(&o.output, f, at, g.Given("value", "column", "regexp", "json", "plane"))
	}
	return o.output
}

// oneSource reports an output without exactly one source.
func (r *reader) oneSource(o *output, f document.Field, path string, sources []string) {
	pos := document.Position(f.Value)
	switch {
	case len(sources) != 1:
		r.Fail(pos, path, "", "want one of value, column, regexp, json and plane; it has %s", orNone(sources))
	case o.is != nil && (o.file != "" || o.take.what != ""):
		r.Fail(pos, path, "", "a value is of no file, and nothing is to be taken of it")
	case o.is != nil && (o.is.shape != o.Shape):
		r.Fail(pos, path, o.is.text, "the expression gives a %s, the output is a %s", o.is.shape, o.Shape)
	case o.plane == nil && o.quantity+o.average+o.frame != "":
		r.Fail(pos, path, "", "quantity, average and frame belong to a plane")
	case o.plane != nil && (o.file != "" || o.take.what != ""):
		r.Fail(pos, path, "", "the files of a plane stand with it, and nothing is to be taken of it but its average")
	case o.plane == nil && o.is == nil && o.file == "":
		r.Fail(pos, path, "", "no key file")
	case o.Shape == plugin.Profile && o.take.what != "":
		r.Fail(pos, path, "", "a profile is all that the file has; take belongs to a scalar")
	}
}

// takeOf reads the selection of a number.
func (r *reader) takeOf(t *take) document.Value {
	last := r.Scalar("a number of values", func(w document.Word, path string) {
		var err error
		if t.last, err = strconv.Atoi(w.Text); err != nil || t.last < 2 {
			r.Fail(w.Pos, path, w.Text, "want a number of values, at least 2")
		}
		t.what = takeMean
	})
	return orGroup("last, first, min, max, mean or {mean: N}", takeMean, func(n ast.Node, path string) {
		if isGroup(n) {
			r.Group(n, path, "last, first, min, max, mean or {mean: 50}",
				[]document.Key{r.Required(takeMean, "", last)})
			return
		}
		r.Choice(&t.what, takeLast, takeFirst, takeMin, takeMax, takeMean).Read(n, path)
	})
}

// failures are the classes that a sign of failure can give a run.
var failures = []event.Class{event.Diverged, event.NotConverged, event.Stalled, event.Unphysical, event.Crashed,
	event.BadOutput}

func (r *reader) signGroup(s *sign, failed bool) Group {
	class := document.Choice(&r.Reader, &s.class, failures...).Called("class of a run")
	if !failed {
		class = class.Then(func(n ast.Node, path string) {
			r.Fail(document.Position(n), path, string(s.class), "a sign of success has no class: the run converged")
		})
	}
	return Group{"a sign", "{regexp: 'converged in \\d+ iterations'}", []document.Key{
		r.Required("regexp", "found in a line", r.pattern(&s.regexp, anyPattern)),
		r.Optional("file", "of names in the run folder (default: the logs of all steps)",
			r.inFolder(&s.file, patternFault).Called("pattern")),
		r.Optional("class", "of failure: diverged (default), not_converged, stalled, unphysical, crashed or bad_output",
			class),
	}}
}

func (r *reader) signs(dst *[]sign, failed bool) document.Value {
	v := document.List(&r.Reader, dst, "signs such as {regexp: 'converged'}", func(s *sign) document.Value {
		if s.class = event.Converged; failed {
			s.class = event.Diverged
		}
		return r.item(r.signGroup(s, failed))
	})
	return v.Called("list of signs")
}

func (r *reader) clean() document.Value {
	return document.List(&r.Reader, &r.d.clean, "patterns such as [processor*]", func(p *string) document.Value {
		return r.inFolder(p, patternFault)
	}).Called("list of patterns")
}

func (r *reader) controls() document.Value {
	item := r.Scalar("the name of a setting or input", func(w document.Word, path string) {
		if fault := r.controlFault(w.Text); fault != "" {
			r.Fail(w.Pos, path, w.Text, "%s", fault)
			return
		}
		r.d.controls = append(r.d.controls, w.Text)
	})
	return r.Each("names of settings such as [cfl]", item).Called("list of names")
}

// controlFault returns why a name can be no control; empty: it can.
func (r *reader) controlFault(name string) string {
	at := slices.IndexFunc(slices.Concat(r.d.inputs, r.d.settings),
		func(q plugin.Quantity) bool { return q.Name == name })
	switch {
	case at < 0:
		return "no input or setting" + r.Hint(name, r.inputs())
	case r.names[name].shape != plugin.Scalar:
		return fmt.Sprintf("a %s, and only numbers can be changed during a run", r.names[name].shape)
	case slices.Contains(r.d.controls, name):
		return "it is there twice"
	case !r.d.reaches(name):
		return fmt.Sprintf("no file contains it, so that a change would have no effect; write it in a template as "+
			"{{ %s }}", name)
	}
	return ""
}

func (r *reader) witnessGroup(w *witness) Group {
	command := listOf("words", anyScalar, func(n ast.Node, path string) {
		program, words := r.command(n, path)
		w.command = []string{program}
		for k, t := range words[min(1, len(words)):] {
			text, fixed := t.fixed()
			if !fixed {
				r.Fail(document.Position(n), document.Item(path, k+1), "", "no value can stand here: it is no run's")
			}
			w.command = append(w.command, text)
		}
	})
	return Group{"a witness", "{command: [mysolver, --version]}", []document.Key{
		r.Optional("file", "whose content counts; it begins at the description",
			word("path", func(n ast.Node, path string) { w.file, _, _ = r.source(n, path) })),
		r.Optional("command", "whose output counts; it runs in an empty folder", command),
	}}
}

func (r *reader) identity() document.Value {
	const want = "witnesses such as {command: [mysolver, --version]}"
	return document.List(&r.Reader, &r.d.identity, want, func(w *witness) document.Value {
		return r.item(r.witnessGroup(w)).Then(func(n ast.Node, path string) {
			if w.pos = document.Position(n); (w.file == "") == (w.command == nil) && len(r.Problems) == 0 {
				r.Fail(w.pos, path, "", "want a file or a command")
			}
		})
	}).Called("list of witnesses")
}

func (r *reader) keptGroup(k *kept) Group {
	return Group{"a kept file", "{keep: '[1-9]*', as: '0'}", []document.Key{
		r.Required("keep", "of a file or folder that a good run leaves; the newest counts",
			r.inFolder(&k.pattern, patternFault).Called("pattern")),
		r.Optional("as", "its name in a run that starts from it (default: its name)", r.inFolder(&k.as, pathFault)),
	}}
}

func (r *reader) solution() document.Value {
	const want = "kept files such as {keep: '[1-9]*', as: '0'}"
	return document.List(&r.Reader, &r.d.solution, want,
		func(k *kept) document.Value { return r.item(r.keptGroup(k)) }).
		Called("list of kept files")
}
