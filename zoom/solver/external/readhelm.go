package external

// What a description says of steering.

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/external/entry"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Values of a steered file's `write`, and of `reread` besides signals.
const (
	writeReplace = "replace"
	writeInPlace = "in_place"
	watches      = "watched"
)

// rereadWords are those of `reread`.
var rereadWords = []string{watches, "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGINT"}

// takenNames are those of objects that are there without a description, or that conditions use.
var takenNames = regexp.MustCompile(`^(iteration|residual.*|` + steer.CheckpointFunction + `)$`)

func (r *reader) steering(n ast.Node, path string) {
	h := &helm{}
	wait := later{}
	before := len(r.Problems)
	r.group("steering", n, path, map[string]func(ast.Node, string){
		"step":  func(n ast.Node, path string) { h.step = r.stepName(n, path) },
		"files": func(n ast.Node, path string) { h.files = r.steeredFiles(n, path) },
		"stop":  wait.keep("stop", func(n ast.Node, path string) { h.stop = r.orders(h, n, path) }),
	})
	wait.read("stop")
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

// stepName reads the name of a step.
func (r *reader) stepName(n ast.Node, path string) string {
	w, ok := r.Word(n, path, "the name of a step")
	var names []string
	for _, s := range r.d.steps {
		names = append(names, s.name)
	}
	if ok && !slices.Contains(names, w.Text) {
		r.Fail(w.Pos, path, w.Text, "no step%s", r.Hint(w.Text, names))
	}
	return w.Text
}

func (r *reader) steeredFiles(n ast.Node, path string) (list []*steered) {
	names := map[string]bool{}
	for i, item := range r.Items(n, path,
		"files such as {file: system/fvSolution, format: openfoam, objects: {relax: {at: "+
			"relaxationFactors.fields.p}}}") {
		at := document.Item(path, i)
		f := r.steered(item, at)
		if slices.ContainsFunc(list, func(o *steered) bool { return o.name == f.name && f.name != "" }) {
			r.Fail(f.pos, at, f.name, "an earlier file of the list has this name")
		}
		for _, l := range f.levers {
			if names[l.Name] {
				r.Fail(l.pos, at, l.Name, "another object has this name")
			}
			names[l.Name] = true
		}
		list = append(list, f)
	}
	return list
}

func (r *reader) steered(n ast.Node, path string) *steered {
	f := &steered{pos: document.Position(n), within: withinDefault}
	format, write := "", ""
	wait := later{}
	before := len(r.Problems)
	r.group("a steered file", n, path, map[string]func(ast.Node, string){
		"file":    r.inFolder(&f.name, fileFault),
		"format":  r.Choice(&format, entry.Formats...).Read,
		"write":   r.Choice(&write, writeReplace, writeInPlace).Read,
		"later":   func(n ast.Node, path string) { f.later = r.time(n, path) },
		"reread":  func(n ast.Node, path string) { r.reread(f, n, path) },
		"confirm": func(n ast.Node, path string) { f.confirm = r.mark(n, path) },
		"reject":  func(n ast.Node, path string) { f.reject = r.mark(n, path) },
		"within":  func(n ast.Node, path string) { f.within = max(r.time(n, path), time.Millisecond) },
		"objects": wait.keep("objects", func(n ast.Node, path string) { r.levers(f, n, path) }),
	})
	f.format, f.inPlace = entry.Format(format), write == writeInPlace
	wait.read("objects")
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
				"the control %s has this file written anew, and what was changed in it would be lost; make that an "+
					"object, too", c)
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

func (r *reader) reread(f *steered, n ast.Node, path string) {
	if isGroup(n) {
		r.Group(n, path, "watched, a signal or {touch: PATH}",
			[]document.Key{document.Required("touch", r.inFolder(&f.touch, fileFault))})
		return
	}
	r.Choice(&f.signal, rereadWords...).Read(n, path)
	if f.signal == watches {
		f.signal = ""
	}
}

func (r *reader) mark(n ast.Node, path string) *mark {
	m := &mark{}
	expression := func(n ast.Node, path string) { m.regexp, _ = r.pattern(n, path) }
	if !isGroup(n) {
		expression(n, path)
		return m
	}
	r.group("a mark", n, path,
		map[string]func(ast.Node, string){"regexp": expression, "file": r.inFolder(&m.file, fileFault)})
	return m
}

func (r *reader) levers(f *steered, n ast.Node, path string) {
	for _, field := range r.Fields(n, path, "objects such as relax: {at: relaxationFactors.fields.p}") {
		at := document.Join(path, field.Key)
		switch {
		case !nameShape.MatchString(field.Key):
			r.Fail(field.Pos, path, field.Key, "a name is letters, digits and _, first a letter")
		case takenNames.MatchString(field.Key) || slices.Contains(r.d.controls, field.Key):
			r.Fail(field.Pos, path, field.Key,
				"the name is taken: every program has an object of that name, or it is a control")
		}
		l := r.lever(f, field, at)
		f.levers = append(f.levers, l)
	}
}

func (r *reader) lever(f *steered, field document.Field, path string) *lever {
	l := &lever{
		file: f, pos: document.Position(field.Value),
		Object: steer.Object{
			Name: field.Key, Type: steer.Float, Operations: []steer.Operation{steer.Sense, steer.Read, steer.Actuate},
		},
	}
	kind, effect := "", ""
	wait, stated := later{}, []string{}
	mine := func(name string, read func(ast.Node, string)) func(ast.Node, string) {
		return func(n ast.Node, path string) {
			stated = append(stated, name)
			read(n, path)
		}
	}
	before := len(r.Problems)
	r.group("an object", field.Value, path, map[string]func(ast.Node, string){
		"at":      r.Text(&l.at, "a name in the file").Read,
		"regexp":  func(n ast.Node, path string) { l.regexp = r.grouped(n, path) },
		"setting": r.Text(&l.Setting, "the name of a setting or input").Read,
		"type": mine("type", r.Choice(&kind, string(steer.Float), string(steer.Int), string(steer.Bool),
			string(steer.Text)).Read),
		"unit":   func(n ast.Node, path string) { l.unit = r.unit(n, path) },
		"min":    wait.keep("min", mine("min", func(n ast.Node, path string) { l.Min = r.number(n, path, l.unit) })),
		"max":    wait.keep("max", mine("max", func(n ast.Node, path string) { l.Max = r.number(n, path, l.unit) })),
		"words":  mine("words", func(n ast.Node, path string) { l.words = r.wordList(n, path) }),
		"effect": r.Choice(&effect, string(steer.Numerics), string(steer.Answer), string(steer.Monitor)).Read,
		"doc":    r.Text(&l.Doc, "what it is").Read,
	})
	wait.read("min", "max")
	if kind != "" {
		l.Type = steer.Type(kind)
	}
	l.Unit = si(l.unit)
	if l.Type == steer.Bool && l.words == nil {
		l.words = []string{"false", "true"}
	}
	if len(r.Problems) == before {
		r.ofSetting(l, stated, path)
	}
	if l.Effect == "" {
		l.Effect = steer.Numerics
	}
	if effect != "" {
		l.Effect = steer.Effect(effect)
	}
	if len(r.Problems) == before {
		r.leverFault(l, path)
	}
	return l
}

func (r *reader) wordList(n ast.Node, path string) (words []string) {
	for _, w := range r.Words(n, path, "words such as [endTime, writeNow]") {
		words = append(words, w.Text)
	}
	return words
}

// ofSetting copies type, unit and bounds of a setting or input to its object. stated are those of them that the file
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
		r.Fail(l.pos, path, l.Setting, "a %s, and only numbers can be changed while a run goes on", m.shape)
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
	if l.Doc == "" {
		l.Doc = q.Doc
	}
	if i >= len(r.d.settings) {
		l.Effect = steer.Answer
	}
}

// leverFault reports what is wrong with an object as a whole.
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

var braces = regexp.MustCompile(`\{\{.*?\}\}`)

// contentOf is what a run finds in a file before the first step, values as 0; false: it is no file of the
// description, and a step makes it.
func (d *Description) contentOf(name string) (string, bool) {
	for _, p := range slices.Backward(d.files) {
		switch {
		case p.to == name && p.text != nil:
			return braces.ReplaceAllString(p.text.raw, "0"), true
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

// orders reads what objects are to be.
func (r *reader) orders(h *helm, n ast.Node, path string) (list []order) {
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
		list = append(list, order{l, v})
	}
	return list
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
	x := r.number(n, path, l.unit)
	if x == nil {
		return steer.Value{}, false
	}
	return steer.FloatValue(*x), true
}
