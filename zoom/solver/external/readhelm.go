package external

// The steering section of a description.

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/entry"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Values of a steered file's `write`, and of `reread` besides signals.
const (
	writeReplace = "replace"
	writeInPlace = "in_place"
	watches      = "watched"
)

// rereadWords lists the values of `reread`.
var rereadWords = []string{watches, "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGINT"}

// takenNames matches the names of objects that exist without a description, or that conditions use.
var takenNames = regex.Lazy(`^(iteration|residual.*|` + steer.CheckpointFunction + `)$`)

func (r *reader) steeringGroup(h *helm) Group {
	step := r.Scalar("the name of a step", func(w document.Word, path string) {
		names := convert.All(r.d.steps, func(s step) string { return s.name })
		if h.step = w.Text; !slices.Contains(names, w.Text) {
			r.Fail(w.Pos, path, w.Text, "no step%s", r.Hint(w.Text, names))
		}
	})
	const form = "{files: [{file: case.cfg, format: assignments, objects: {cfl: {at: CFL_NUMBER}}}]}"
	return Group{"steering", form, []document.Key{
		r.Optional("step", "whose program is steered (default: the last)", step.Called("name")),
		r.Required("files", "that the program reads again while it runs", r.steeredFiles(&h.files)),
		r.Optional("stop", "of objects, which are written to have the program end in order on `steer stop`; if it "+
			"does not, within the time of their files, or without this key, it gets SIGTERM",
			r.orders(h)),
	}}
}

func (r *reader) steering() document.Value {
	schema := func() *jsonschema.Schema { return r.steeringGroup(new(helm)).schema() }
	return document.Value{Form: "steering", Schema: schema, Read: r.readSteering}
}

func (r *reader) readSteering(n ast.Node, path string) {
	h := &helm{}
	before := len(r.Problems)
	r.read(r.steeringGroup(h), n, path)
	if len(r.Problems) == before && len(h.files) == 0 {
		r.Fail(document.Position(n), path, "", "it has no file in which something could be changed")
	}
	if h.step == "" && len(r.d.steps) > 0 {
		h.step = r.d.steps[len(r.d.steps)-1].name
	}
	if len(r.Problems) == before {
		r.d.helm = h
	}
}

func (r *reader) steeredFiles(dst *[]*steered) document.Value {
	item := func() *jsonschema.Schema { return r.steeredGroup(new(steered)).schema() }
	const want = "files such as {file: system/fvSolution, format: openfoam, objects: {relax: {at: " +
		"relaxationFactors.fields.p}}}"
	return listOf("steered files", item, func(n ast.Node, path string) {
		names := map[string]bool{}
		for i, item := range r.Items(n, path, want) {
			at := document.Item(path, i)
			f := r.steered(item, at)
			if slices.ContainsFunc(*dst, func(o *steered) bool { return o.name == f.name && f.name != "" }) {
				r.Fail(f.pos, at, f.name, "an earlier file of the list has this name")
			}
			for _, l := range f.levers {
				if names[l.Name] {
					r.Fail(l.pos, at, l.Name, "another object has this name")
				}
				names[l.Name] = true
			}
			*dst = append(*dst, f)
		}
	})
}

func (r *reader) steeredGroup(f *steered) Group {
	var write string
	inPlace := r.Choice(&write, writeReplace, writeInPlace).
		Then(func(ast.Node, string) { f.inPlace = write == writeInPlace })
	const form = "{file: system/fvSolution, format: openfoam, confirm: Re-reading, objects: {relax: {at: " +
		"relaxationFactors.fields.p}}}"
	return Group{"a steered file", form, []document.Key{
		r.Required("file", "in the run folder; it must be there when the step begins", r.inFolder(&f.name, fileFault)),
		r.Optional("format",
			"a dictionary; lines of NAME = VALUE or NAME: VALUE, below [section] of section.NAME; a file that is the "+
				"value. Without it objects have expressions",
			document.Choice(&r.Reader, &f.format, entry.Formats...)),
		r.Optional("write", "a new file takes the place of the old one in one step (default), or its content becomes "+
			"another, for a program that keeps the file open",
			inPlace),
		r.Optional("later", "by how much the file's date must be later than before for the program to notice; for "+
			"OpenFOAM its fileModificationSkew (default: at all)",
			r.time(&f.later)),
		r.Optional("reread",
			"how the program is made to read it: it looks by itself (default); SIGUSR1, SIGUSR2, SIGHUP or SIGINT to "+
				"the step's program; a new date of another file",
			r.reread(f)),
		r.Optional("confirm",
			"a line that shows that the program has read the file: only then a change is applied. A group called "+
				"value must have the new value. Without it no change is confirmed",
			r.mark(&f.confirm)),
		r.Optional("reject", "a line that shows that the program rejects the value: the old text is written again",
			r.mark(&f.reject)),
		r.Optional("within", "in which the line must show (default: 30 s)", r.time(&f.within)),
		r.Required("objects", "values of the file that can be read and changed", r.levers(f)),
	}}
}

func (r *reader) steered(n ast.Node, path string) *steered {
	f := &steered{pos: document.Position(n), within: withinDefault}
	before := len(r.Problems)
	r.read(r.steeredGroup(f), n, path)
	f.within = max(f.within, time.Millisecond)
	if len(r.Problems) > before {
		return f
	}
	if len(f.levers) == 0 {
		r.Fail(f.pos, path, f.name, "it has no object")
	}
	if f.format == entry.Whole && len(f.levers) > 1 {
		r.Fail(f.pos, path, f.name, "a file that is the value has one object; it has %d", len(f.levers))
	}
	for _, c := range r.d.controls {
		if r.d.writes(f.name, c) {
			r.Fail(f.pos, path, f.name,
				"a change of the control %s writes this file again, and changes of objects in it would be lost; make "+
					"the control an object, too", c)
		}
	}
	return f
}

// writes reports whether a change of a control writes a file.
func (d *Description) writes(file, control string) bool {
	i := slices.IndexFunc(d.files, func(p placed) bool { return p.to == file && p.copied == "" })
	if i < 0 {
		return false
	}
	alone := Description{values: d.values, files: d.files[i : i+1]}
	return alone.reaches(control)
}

func (r *reader) reread(f *steered) document.Value {
	return orGroup("watched, a signal or {touch: PATH}", "touch", func(n ast.Node, path string) {
		if isGroup(n) {
			r.Group(n, path, "watched, a signal or {touch: PATH}",
				[]document.Key{r.Required("touch", "", r.inFolder(&f.touch, fileFault))})
			return
		}
		r.Choice(&f.signal, rereadWords...).Read(n, path)
		if f.signal == watches {
			f.signal = ""
		}
	})
}

func (r *reader) markGroup(m *mark) Group {
	return Group{"a mark", "{regexp: Re-reading, file: solve.log}", []document.Key{
		r.Required("regexp", "found in a line that is written after the change", r.pattern(&m.regexp, anyPattern)),
		r.Optional("file", "in the run folder (default: the log of the step)", r.inFolder(&m.file, fileFault)),
	}}
}

func (r *reader) mark(dst **mark) document.Value {
	schema := func() *jsonschema.Schema { return document.Either(anyScalar(), r.markGroup(new(mark)).schema()) }
	return document.Value{Form: "expression or mark", Schema: schema, Read: func(n ast.Node, path string) {
		*dst = &mark{}
		if g := r.markGroup(*dst); isGroup(n) {
			r.read(g, n, path)
		} else {
			g.Keys[0].Read(n, path)
		}
	}}
}

func (r *reader) levers(f *steered) document.Value {
	schema := func() *jsonschema.Schema { return r.objectGroup(new(lever), new(steer.Effect)).schema() }
	return byName("objects", schema, func(n ast.Node, path string) {
		for _, field := range r.Fields(n, path, "objects such as relax: {at: relaxationFactors.fields.p}") {
			switch {
			case !nameShape().MatchString(field.Key):
				r.Fail(field.Pos, path, field.Key, "a name is letters, digits and _, first a letter")
			case takenNames().MatchString(field.Key) || slices.Contains(r.d.controls, field.Key):
				r.Fail(field.Pos, path, field.Key,
					"the name is taken: every program has an object of that name, or it is a control")
			}
			f.levers = append(f.levers, r.lever(f, field, document.Join(path, field.Key)))
		}
	})
}

func (r *reader) objectGroup(l *lever, effect *steer.Effect) Group {
	return Group{"an object", "{at: relaxationFactors.fields.p, min: 0.01, max: 1}", []document.Key{
		r.Optional("at", "the name in a file of format openfoam, with dots between dictionaries, or assignments",
			r.Text(&l.at, "a name in the file")),
		r.Optional("regexp", "with a group for the value, or one that is called value; found once in the file",
			r.pattern(&l.regexp, onePlace)),
		r.Optional("setting",
			"the setting or input with the value at the start: the object has its unit, bounds and doc",
			r.Text(&l.Setting, "the name of a setting or input").Called("name")),
		r.Optional("type", "of the value (default: float)",
			document.Choice(&r.Reader, &l.Type, steer.Float, steer.Int, steer.Bool, steer.Text)),
		r.Optional("unit", "in which the file has it", r.unit(&l.unit)),
		r.Optional("min", "least value, in the unit", r.number(&l.Min, &l.unit)),
		r.Optional("max", "greatest value, in the unit", r.number(&l.Max, &l.unit)),
		r.Optional("words",
			"possible values of a text; of a bool the words for false and for true (default: false and true)",
			r.Texts(&l.words, "words such as [endTime, writeNow]", "a word, in quotes if it has braces",
				document.Rule{})),
		r.Optional("effect",
			"effect of a change: on the numerics (default), on the answer (default of inputs), or on the "+
				"monitoring",
			document.Choice(&r.Reader, effect, steer.Numerics, steer.Answer, steer.Monitor)),
		r.Optional("doc", "what it is", r.Text(&l.Doc, "what it is")),
	}}
}

func (r *reader) lever(f *steered, field document.Field, path string) *lever {
	l := &lever{file: f, pos: document.Position(field.Value),
		Object: steer.Object{Name: field.Key, Type: steer.Float,
			Operations: []steer.Operation{steer.Sense, steer.Read, steer.Actuate}}}
	var effect steer.Effect
	before := len(r.Problems)
	g := r.read(r.objectGroup(l, &effect), field.Value, path)
	l.Unit = si(l.unit)
	if l.Type == steer.Bool && l.words == nil {
		l.words = []string{"false", "true"}
	}
	if len(r.Problems) == before {
		r.ofSetting(l, g.Given("type", "min", "max", "words"), path)
	}
	l.Effect = cmp.Or(l.Effect, steer.Numerics)
	if effect != "" {
		l.Effect = effect
	}
	if len(r.Problems) == before {
		r.leverFault(l, path)
	}
	return l
}

// ofSetting copies type, unit and bounds of a setting or input to its object. stated lists the properties that the file
// gives for the object, which is an error.
func (r *reader) ofSetting(l *lever, stated []string, path string) {
	if l.Setting == "" {
		return
	}
	all := slices.Concat(r.d.settings, r.d.inputs)
	i := slices.IndexFunc(all, func(q plugin.Quantity) bool { return q.Name == l.Setting })
	m := r.names[l.Setting]
	switch {
	case i < 0:
		r.Fail(l.pos, path, l.Setting, "no input or setting%s", r.Hint(l.Setting, r.inputs()))
		return
	case m.shape != plugin.Scalar:
		r.Fail(l.pos, path, l.Setting, "a %s, and only numbers can be changed during a run", m.shape)
		return
	case len(stated) > 0:
		r.Fail(l.pos, path, stated[0], "the object has this from its setting %s", l.Setting)
		return
	case l.unit != (unit.Unit{}) && !l.unit.Alike(m.unit):
		r.Fail(l.pos, path, l.unit.Name(), "%s is in %s, which is no such unit", l.Setting, orPlain(m.unit.Name()))
		return
	}
	q := all[i]
	l.Unit, l.Min, l.Max = q.Unit, q.Min, q.Max
	l.Doc = cmp.Or(l.Doc, q.Doc)
	if i >= len(r.d.settings) {
		l.Effect = steer.Answer
	}
}

// leverFault reports faults of an object as a whole.
func (r *reader) leverFault(l *lever, path string) {
	number := l.Type == steer.Float || l.Type == steer.Int
	switch {
	case !number && (l.Min != nil || l.Max != nil || l.unit != (unit.Unit{})):
		r.Fail(l.pos, path, string(l.Type), "only a number has a unit and bounds")
	case number && l.words != nil:
		r.Fail(l.pos, path, string(l.Type), "only a text or a bool has words")
	case l.Type == steer.Bool && (len(l.words) != 2 || l.words[0] == l.words[1]):
		r.Fail(l.pos, path, strings.Join(l.words, ", "), "want two words, for false and for true")
	case l.Min != nil && l.Max != nil && *l.Min > *l.Max:
		r.Fail(l.pos, path, "", "its least value is above its greatest")
	case l.file.format == entry.Whole && (l.at != "" || l.regexp != nil), l.file.format == "" &&
		l.regexp == nil, l.at != "" && l.regexp != nil,
		l.file.format != "" && l.file.format != entry.Whole && l.at == "" && l.regexp == nil:
		r.Fail(l.pos, path, "",
			"want at in a file of format openfoam or assignments, regexp in any, and neither in one of format whole")
	default:
		if text, known := r.d.contentOf(l.file.name); known {
			if _, err := l.span(text); err != nil {
				r.Fail(l.pos, path, l.at, "%s: %v", l.file.name, err)
			}
		}
	}
}

var braces = regex.Lazy(`\{\{.*?\}\}`)

// contentOf returns the content of a file before the first step, with values as 0; false: it is no file of the
// description, and a step makes it.
func (d *Description) contentOf(name string) (string, bool) {
	for _, p := range slices.Backward(d.files) {
		switch {
		case p.to == name && p.text != nil:
			return braces().ReplaceAllString(p.text.raw, "0"), true
		case p.copied == "":
		case p.to == name && isFile(p.copied):
			data, err := intake.Read(p.copied, templateLimit)
			return string(data), err == nil
		default:
			if rest, within := strings.CutPrefix(name, strings.TrimSuffix(p.to, "/")+"/"); p.to == "." || within {
				if p.to == "." {
					rest = name
				}
				if data, err := intake.Read(p.copied+"/"+rest, templateLimit); err == nil {
					return string(data), true
				}
			}
		}
	}
	return "", false
}

// orders reads the target values of objects.
func (r *reader) orders(h *helm) document.Value {
	return byName("values", valuesSchema, func(n ast.Node, path string) { r.readOrders(h, n, path) })
}

func (r *reader) readOrders(h *helm, n ast.Node, path string) {
	known := map[string]*lever{}
	var names []string
	for _, f := range h.files {
		for _, l := range f.levers {
			known[l.Name] = l
			names = append(names, l.Name)
		}
	}
	for _, f := range r.Fields(n, path, "objects and values such as {stop_at: writeNow}") {
		at := document.Join(path, f.Key)
		l := known[f.Key]
		if l == nil {
			r.Fail(f.Pos, path, f.Key, "no object%s", spell.Hint(f.Key, names))
			continue
		}
		v, ok := r.objectValue(l, f.Value, at)
		if !ok {
			continue
		}
		v, err := l.Convert(v)
		if err == nil {
			_, err = l.text(v)
		}
		if err != nil {
			r.Fail(document.Position(f.Value), at, "", "%v", err)
		}
		h.stop = append(h.stop, order{l, v})
	}
}

// objectValue reads a value of an object.
func (r *reader) objectValue(l *lever, n ast.Node, path string) (steer.Value, bool) {
	switch l.Type {
	case steer.Text:
		w, ok := r.Word(n, path, "a word")
		return steer.TextValue(w.Text), ok
	case steer.Bool:
		var on bool
		before := len(r.Problems)
		r.Flag(&on).Read(n, path)
		return steer.BoolValue(on), len(r.Problems) == before
	}
	var x *float64
	if r.number(&x, &l.unit).Read(n, path); x == nil {
		return steer.Value{}, false
	}
	return steer.FloatValue(*x), true
}
