package format

// A description of a trace format, in YAML: the lines are described as those of solvers' logs are (package fileformat).

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Description describes a format of which each line is a record. The names of the groups of its lines are fields of a
// record (seq, time, host, process, thread, kind, name, from, to, type, bytes, count); others are the record's values.
//
//	name: my-tracer
//	process: "0"                          # of lines that have none
//	lines:                                # the first that matches counts
//	  - {line: "{time} {node} SEND {to} {bytes}", kind: send}
//	  - "{seq} {time} {node} {event}"
//	rename: {node: process}               # from the groups' names to the record's
//	scale: {time: 1e-3}                   # to s
//	names: {event: {1: sweep, 2: wait}}   # of numbers
//	states: {event: {sweep: busy, wait: idle, end: none}}    # a value puts the process into this region
//	rates: {event: {sweep: 1, wait: 0}}   # and gives it this rate
type Description struct {
	Name    string
	Doc     string
	Process string
	Lines   []DescribedLine
	Rename  map[string]string
	Scale   map[string]float64
	Names   map[string]map[string]string
	States  map[string]map[string]string
	Rates   map[string]map[string]float64
}

// DescribedLine is a line of a description.
type DescribedLine struct {
	history.Pattern            // without a kind
	Record          trace.Kind // of the line's records; empty: the field kind, or a marker
}

//go:embed formats/*.yaml
var described embed.FS

// Described lists the formats that the package has descriptions of.
func Described() (names []string) {
	files, err := described.ReadDir("formats")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// LoadDescription returns the description of a name of [Described], or that of a file.
func LoadDescription(name string) (*Description, error) {
	if slices.Contains(Described(), name) {
		file := "formats/" + name + ".yaml"
		data, err := described.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return ParseDescription(file, data)
	}
	data, err := intake.Read(name, descriptionForm.Limit())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: neither a file nor %s", name, strings.Join(Described(), " or "))
	}
	if err != nil {
		return nil, err
	}
	return ParseDescription(name, data)
}

var descriptionForm = document.Form{What: "a description of traces", Begins: "name: and a name", Bytes: 1 << 20,
	Words: 30_000}

// ParseDescription reads the text of a description; messages name the file. Its error is a [*document.Errors].
func ParseDescription(file string, data []byte) (*Description, error) {
	r := document.NewReader(file, descriptionForm)
	d := &Description{}
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "a description: name and lines", d.keys(&r))
	}
	return d, r.Errors()
}

func (d *Description) keys(r *document.Reader) []document.Key {
	text := func(x *string) document.Value { return r.Text(x, "a text") }
	number := func(x *float64) document.Value { return r.Number(x) }
	return []document.Key{
		r.Required("name", "of the format", r.Text(&d.Name, "a name")),
		r.Optional("doc", "what it is", r.Text(&d.Doc, "what it is")),
		r.Optional("process", "of lines that name none", r.Text(&d.Process, "a name")),
		r.Required("lines", "of which the first that matches counts", document.List(r, &d.Lines,
			`lines such as "{seq} {time} {process} {event}"`,
			func(l *DescribedLine) document.Value { return describedLine(r, l) }).NotEmpty()),
		r.Optional("rename", "fields of a record by names in the lines",
			document.Map(r, &d.Rename, "names such as {node: process}", nil, "", text)),
		r.Optional("scale", "factors of numbers by fields, of times to s",
			document.Map(r, &d.Scale, "factors such as {time: 1e-3}", nil, "", number)),
		r.Optional("names", "names of the numbers of a field", byValue(r, &d.Names, "{event: {1: sweep}}", text)),
		r.Optional("states", "the state that a value of a field begins; none ends it",
			byValue(r, &d.States, "{event: {sweep: busy}}", text)),
		r.Optional("rates", "the rate that a value of a field begins",
			byValue(r, &d.Rates, "{event: {sweep: 0.5}}", number)),
	}
}

// byValue is a map by field and value.
func byValue[T any](r *document.Reader, dst *map[string]map[string]T, example string,
	item func(*T) document.Value) document.Value {
	return document.Map(r, dst, "fields such as "+example, nil, "", func(m *map[string]T) document.Value {
		return document.Map(r, m, "values such as in "+example, nil, "", item)
	})
}

// describedLine is a template, or a group with a template.
func describedLine(r *document.Reader, l *DescribedLine) document.Value {
	return fileformat.Line(r, &l.Pattern, `a line such as "{seq} {time} {process} {event}"`, []document.Key{
		r.Optional("kind", "of the record", document.Choice(r, &l.Record, trace.Kinds()...)),
	}, func(ast.Node, string) {})
}

// describedReader reads the lines of a description.
type describedReader struct {
	*Description
	lines  []*history.Line
	seq    map[string]uint64
	states map[[2]string]string // by process and thread
}

func newDescribed(d *Description) *describedReader {
	r := &describedReader{Description: d, seq: map[string]uint64{}, states: map[[2]string]string{}}
	for _, l := range d.Lines {
		r.lines = append(r.lines, history.NewLine(l.Pattern))
	}
	return r
}

func (d *describedReader) line(text []byte, take func(trace.Record)) error {
	r := &trace.Record{Process: d.Process}
	f := describedFields{Description: d.Description, record: r, fields: map[string]any{
		"host": &r.Host, "process": &r.Process, "thread": &r.Thread, "name": &r.Name, "from": &r.From, "to": &r.To,
		"kind": (*string)(&r.Kind), "time": &r.Time, "seq": &r.Seq, "type": &r.Type, "bytes": &r.Bytes,
		"count": &r.Count,
	}}
	for i, l := range d.lines {
		if l.Find(text, f.field) {
			return d.give(&f, d.Lines[i].Record, take)
		}
	}
	return fmt.Errorf("%q matches no line of the format %s", cut(string(text)), d.Name)
}

// describedFields is a line's record, and the meaning of its values.
type describedFields struct {
	*Description
	record  *trace.Record
	fields  map[string]any // of the record by their names; others are values
	hasTime bool
	state   *string
	rate    *float64
	wrong   error // of the first field
}

// field takes a field of the line.
func (f *describedFields) field(name string, text []byte) {
	word := string(text)
	named, isNamed := f.Names[name][word]
	if !isNamed {
		named = word
	}
	for _, w := range []string{word, named} {
		if state, ok := f.States[name][w]; ok {
			f.state = &state
		}
		if rate, ok := f.Rates[name][w]; ok {
			f.rate = &rate
		}
	}
	field := name
	if to, ok := f.Rename[name]; ok {
		field = to
	}
	scale := 1.0
	if x, ok := f.Scale[field]; ok {
		scale = x
	}
	if err := f.put(field, named, scale); err != nil && f.wrong == nil {
		f.wrong = fmt.Errorf("%s is %q, want %w", name, cut(word), err)
	}
}

func (f *describedFields) put(field, text string, scale float64) (err error) {
	r := f.record
	switch to := f.fields[field].(type) {
	case *string:
		*to = text
	case *float64: // the time
		f.hasTime = true
		if *to, err = finite(text); err != nil {
			return errNumber
		}
		*to *= scale
	case *uint64:
		if *to, err = strconv.ParseUint(text, 10, 63); err != nil {
			return errWhole
		}
	case *int64:
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil {
			return errWhole
		}
		if scale != 1 {
			*to = int64(float64(*to) * scale)
		}
	default:
		if r.Values == nil {
			r.Values = map[string]any{}
		}
		r.Values[field] = scaled(text, scale)
	}
	return nil
}

// give passes on a line's record, or the regions and rates that it means.
func (d *describedReader) give(f *describedFields, kind trace.Kind, take func(trace.Record)) error {
	r := f.record
	switch {
	case f.wrong != nil:
		return f.wrong
	case !f.hasTime:
		return errors.New("the line has no time")
	case kind != "":
		r.Kind = kind
	case r.Kind == "":
		r.Kind = trace.Marker
	case !slices.Contains(trace.Kinds(), r.Kind):
		return unknownKind(r.Kind)
	}
	if r.Measured = r.Time; r.Seq == 0 {
		r.Seq = d.seq[r.Process] + 1
	}
	d.seq[r.Process] = r.Seq
	if r.Kind == trace.Send && r.From == "" {
		r.From = r.Process
	}
	if r.Kind == trace.Receive && r.To == "" {
		r.To = r.Process
	}
	if f.state != nil {
		d.begin(*r, *f.state, take)
	} else if f.rate == nil {
		take(*r)
	}
	if f.rate != nil {
		r.Kind, r.Name, r.Values = trace.Count, "rate", map[string]any{"rate": *f.rate}
		take(*r)
	}
	return nil
}

// begin ends the state that a process is in, and begins another.
func (d *describedReader) begin(r trace.Record, state string, take func(trace.Record)) {
	who, event, values := [2]string{r.Process, r.Thread}, r.Name, r.Values
	if was := d.states[who]; was != "" {
		r.Kind, r.Name, r.Values = trace.Leave, was, nil
		take(r)
	}
	if state == "none" {
		delete(d.states, who)
		return
	}
	d.states[who] = state
	r.Kind, r.Name, r.Values = trace.Enter, state, values
	if event != "" {
		r.Values = map[string]any{"event": event}
		maps.Copy(r.Values, values)
	}
	take(r)
}
