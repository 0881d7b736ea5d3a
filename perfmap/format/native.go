package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// nativeMark is the first key of a native map file, by which it is recognised.
const nativeMark = "peregrine-map"

// native is the file format of Peregrine's own maps: YAML that an
// engineer can read and edit.
//
//	peregrine-map: 1
//	name: fan
//	kind: compressor                  # or turbine
//	interp: monotone                  # or linear, lagrange2, lagrange3
//	interp_alpha: linear              # left out: as interp (monotone: linear)
//	extrap: {alpha: none, Nc: smooth, X: smooth} # or linear; left out: this
//	alpha: [0]
//	Nc: [0.9, 1]
//	axis: {name: Rline, values: [1, 2, 3]}
//	design: {alpha: 0, Nc: 1, X: 2}
//	stall: 1                          # left out: no stall line, or
//	stall_line: [1, 1.1]              # one value for each speed
//	tables:
//	  - name: Wc
//	    rows:
//	      - {Nc: 0.9, V: [80, 90, 92]}
//	      - {Nc: 1, V: [92, 100, 101]}
//
// Each row is a speed line and names its speed; with several alpha planes it
// names its alpha too ({alpha: 5, Nc: 0.9, V: ...}). Rows stand in the order of
// the axes, alpha outermost.
type native struct{}

func (native) Name() string           { return "peregrine" }
func (native) Title() string          { return "Peregrine YAML" }
func (native) Match(data []byte) bool { return firstKey(data) == nativeMark }

func (native) Read(data []byte, _ string) (*perfmap.Map, error) { return readNative(data) }

func (native) Write(w io.Writer, m *perfmap.Map) error { return writeNative(w, m) }
func (native) Loss(*perfmap.Map) []string              { return nil }

func firstKey(data []byte) string {
	for line := range bytes.Lines(data) {
		text, _, _ := strings.Cut(string(line), "#")
		if text = strings.TrimSpace(text); text != "" && text != "---" {
			key, _, _ := strings.Cut(text, ":")
			return strings.TrimSpace(key)
		}
	}
	return ""
}

type nativeMap struct {
	Version int                   `yaml:"peregrine-map"`
	Name    string                `yaml:"name"`
	Kind    perfmap.Kind          `yaml:"kind"`
	Interp  perfmap.Interp        `yaml:"interp"`
	Alpha   placed[[]float64]     `yaml:"alpha"`
	Nc      placed[[]float64]     `yaml:"Nc"`
	Axis    placed[nativeAxis]    `yaml:"axis"`
	Design  placed[nativePoint]   `yaml:"design"`
	Stall   *float64              `yaml:"stall"`
	Line    placed[[]float64]     `yaml:"stall_line"`
	Along   perfmap.Interp        `yaml:"interp_alpha"`
	Extrap  placed[nativeExtrap]  `yaml:"extrap"`
	Tables  []placed[nativeTable] `yaml:"tables"`
	Origin  *nativeOrigin         `yaml:"origin"`
}

type nativeAxis struct {
	Name   string    `yaml:"name"`
	Values []float64 `yaml:"values"`
}

type nativeExtrap struct {
	Alpha perfmap.Continuation `yaml:"alpha"`
	Nc    perfmap.Continuation `yaml:"Nc"`
	X     perfmap.Continuation `yaml:"X"`
}

type nativePoint struct {
	Alpha float64 `yaml:"alpha"`
	Nc    float64 `yaml:"Nc"`
	X     float64 `yaml:"X"`
}

type nativeTable struct {
	Name string              `yaml:"name"`
	Rows []placed[nativeRow] `yaml:"rows"`
}

type nativeRow struct {
	Alpha *float64  `yaml:"alpha"`
	Nc    float64   `yaml:"Nc"`
	V     []float64 `yaml:"V"`
}

type nativeOrigin struct {
	Method     string              `yaml:"method"`
	Source     string              `yaml:"source"`
	Notes      []string            `yaml:"notes"`
	Parameters map[string]float64  `yaml:"parameters"`
	Versions   map[string]string   `yaml:"versions"`
	Points     []nativeOriginPoint `yaml:"points"`
}

type nativeOriginPoint struct {
	Nc      float64 `yaml:"Nc"`
	X       float64 `yaml:"X"`
	Run     string  `yaml:"run"`
	Error   float64 `yaml:"error"`
	Answer  string  `yaml:"answer"`
	Steered bool    `yaml:"steered"`
}

// placed remembers where in the file a value stood.
type placed[T any] struct {
	v  T
	at *token.Position
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *placed[T]) UnmarshalYAML(node ast.Node) error {
	p.at = node.GetToken().Position
	if block, ok := node.(*ast.MappingNode); ok && !block.IsFlowStyle && len(block.Values) > 0 {
		p.at = block.Values[0].Key.GetToken().Position
	}
	return yaml.NodeToValue(node, &p.v, yaml.Strict())
}

func readNative(data []byte) (*perfmap.Map, error) {
	var n nativeMap
	if err := decodeYAML(data, &n); err != nil {
		return nil, yamlFault(err)
	}
	if n.Version != 1 {
		return nil, &FileError{Line: 1, Column: 1, Err: fmt.Errorf("%s: %d: this program reads version 1", nativeMark, n.Version)}
	}
	m := perfmap.Map{
		Name: n.Name, Kind: n.Kind, Interp: n.Interp, Alpha: n.Alpha.v, Nc: n.Nc.v,
		X: n.Axis.v.Values, XName: n.Axis.v.Name,
		Design: perfmap.Point(n.Design.v), Stall: n.Stall, Origin: n.Origin.origin(),
		StallLine: n.Line.v, InterpAlpha: n.Along, Extrap: perfmap.Extrap(n.Extrap.v),
	}
	if len(m.Alpha) == 0 {
		m.Alpha = []float64{n.Design.v.Alpha}
	}
	for _, t := range n.Tables {
		table, err := n.table(t, m.Alpha)
		if err != nil {
			return nil, err
		}
		m.Tables = append(m.Tables, table)
	}
	p, err := perfmap.New(m)
	if err != nil {
		return nil, n.place(err)
	}
	return p, nil
}

// form is that of a map. One of 20 speeds, 30 points a line, 9 angles and 5 tables has
// 60,000 words and signs.
var form = document.Form{What: "a map", Begins: nativeMark + ": 1", Bytes: maxFile, Words: 500_000}

// decodeYAML reads YAML strictly. goccy/go-yaml 1.19.2 panics on some broken
// files (a tag without a value, for one): a file must not end the program.
func decodeYAML(data []byte, to any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader cannot cope with this file (%v); it needs plain keys, numbers and lists", r)
		}
	}()
	return document.Decode(data, form, to)
}

// table joins a table's rows, which must name the map's speeds (and alphas) in order.
func (n *nativeMap) table(t placed[nativeTable], alpha []float64) (perfmap.Table, error) {
	fault := func(at *token.Position, format string, args ...any) error {
		e := &FileError{Err: fmt.Errorf("table %s: "+format, append([]any{t.v.Name}, args...)...)}
		if at != nil { // nil: an empty entry
			e.Line, e.Column = at.Line, at.Column
		}
		return e
	}
	table := perfmap.Table{Name: t.v.Name}
	nc := n.Nc.v
	if want := len(alpha) * len(nc); len(t.v.Rows) != want {
		return table, fault(t.at, "%d rows, needs %d (%d alpha x %d Nc)", len(t.v.Rows), want, len(alpha), len(nc))
	}
	for i, r := range t.v.Rows {
		a, c := alpha[i/len(nc)], nc[i%len(nc)]
		if r.v.Nc != c {
			return table, fault(r.at, "row %d is of Nc %g where Nc %g is due", i+1, r.v.Nc, c)
		}
		if r.v.Alpha != nil && *r.v.Alpha != a || r.v.Alpha == nil && len(alpha) > 1 {
			return table, fault(r.at, "row %d (Nc %g) must say alpha: %g", i+1, c, a)
		}
		if len(r.v.V) != len(n.Axis.v.Values) {
			return table, fault(r.at, "row %d (Nc %g) has %d values, needs %d", i+1, c, len(r.v.V), len(n.Axis.v.Values))
		}
		table.V = append(table.V, r.v.V...)
	}
	return table, nil
}

// place gives an error of New its place in the file.
func (n *nativeMap) place(err error) error {
	var e *perfmap.Error
	if !errors.As(err, &e) {
		return err
	}
	at := func(p *token.Position) error {
		if p == nil {
			return err
		}
		return &FileError{Line: p.Line, Column: p.Column, Err: err}
	}
	switch e.Table {
	case "alpha":
		return at(n.Alpha.at)
	case "Nc":
		return at(n.Nc.at)
	case n.Axis.v.Name:
		return at(n.Axis.at)
	case "Wc and PR":
		return n.placeRow("Wc", e, at)
	}
	return n.placeRow(e.Table, e, at)
}

func (n *nativeMap) placeRow(table string, e *perfmap.Error, at func(*token.Position) error) error {
	for _, t := range n.Tables {
		if t.v.Name == table && e.Row >= 0 {
			return at(t.v.Rows[max(e.Alpha, 0)*len(n.Nc.v)+e.Row].at)
		}
	}
	switch e.Part {
	case perfmap.DesignPart:
		return at(n.Design.at)
	case perfmap.StallPart:
		return at(n.Line.at)
	case perfmap.ExtrapPart:
		return at(n.Extrap.at)
	}
	return e
}

// expected says in words what a YAML value is read as.
var expected = map[reflect.Kind]string{
	reflect.Float64: "a number", reflect.Int: "a whole number", reflect.String: "text",
	reflect.Slice: "a list", reflect.Struct: "a set of keys", reflect.Map: "a set of keys",
}

// yamlFault gives an error of the YAML reader its place and drops the excerpt of the file.
func yamlFault(err error) error {
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) && wrong.Token != nil {
		return &FileError{Line: wrong.Token.Position.Line, Column: wrong.Token.Position.Column,
			Err: fmt.Errorf("%q cannot stand here; expected %s", wrong.Token.Value, expected[wrong.DstType.Kind()])}
	}
	var plain *document.Errors
	if errors.As(err, &plain) {
		p := plain.Problems[0]
		return &FileError{Line: p.Pos.Line, Column: p.Pos.Column, Err: errors.New(p.Message)}
	}
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
		p := y.GetToken().Position
		return &FileError{Line: p.Line, Column: p.Column, Err: errors.New(y.GetMessage())}
	}
	return &FileError{Err: err}
}

func (o *nativeOrigin) origin() *perfmap.Origin {
	if o == nil {
		return nil
	}
	out := &perfmap.Origin{Method: o.Method, Source: o.Source, Notes: o.Notes, Parameters: o.Parameters, Versions: o.Versions}
	for _, p := range o.Points {
		out.Points = append(out.Points, perfmap.OriginPoint(p))
	}
	return out
}

func writeNative(w io.Writer, m *perfmap.Map) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: 1\nname: %s\nkind: %s\n", nativeMark, strconv.Quote(m.Name), m.Kind)
	interp := m.Interp
	if interp == "" {
		interp = perfmap.Monotone
	}
	fmt.Fprintf(&b, "interp: %s\n", interp)
	if m.InterpAlpha != "" {
		fmt.Fprintf(&b, "interp_alpha: %s\n", m.InterpAlpha)
	}
	if parts := continuations(m.Extrap, ": "); parts != nil {
		fmt.Fprintf(&b, "extrap: {%s}\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(&b, "alpha: %s\nNc: %s\n", numeric.List(m.Alpha), numeric.List(m.Nc))
	fmt.Fprintf(&b, "axis: {name: %s, values: %s}\n", strconv.Quote(m.XName), numeric.List(m.X))
	fmt.Fprintf(&b, "design: {alpha: %s, Nc: %s, X: %s}\n", numeric.Text(m.Design.Alpha), numeric.Text(m.Design.Nc), numeric.Text(m.Design.X))
	if m.Stall != nil {
		fmt.Fprintf(&b, "stall: %s # %s of the stall line\n", numeric.Text(*m.Stall), m.XName)
	}
	if m.StallLine != nil {
		fmt.Fprintf(&b, "stall_line: %s # %s of the stall line at each Nc\n", numeric.List(m.StallLine), m.XName)
	}
	b.WriteString("tables:\n")
	for t := range m.Tables {
		fmt.Fprintf(&b, "  - name: %s\n    rows: # one a speed line, over %s\n", strconv.Quote(m.Tables[t].Name), m.XName)
		for a, alpha := range m.Alpha {
			for r, nc := range m.Nc {
				b.WriteString("      - {")
				if len(m.Alpha) > 1 {
					fmt.Fprintf(&b, "alpha: %s, ", numeric.Text(alpha))
				}
				fmt.Fprintf(&b, "Nc: %s, V: %s}\n", numeric.Text(nc), numeric.List(m.Row(t, a, r)))
			}
		}
	}
	if m.Origin != nil {
		writeOrigin(&b, m.Origin)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeOrigin(b *strings.Builder, o *perfmap.Origin) {
	fmt.Fprintf(b, "origin:\n  method: %s\n  source: %s\n", strconv.Quote(o.Method), strconv.Quote(o.Source))
	if len(o.Notes) > 0 {
		b.WriteString("  notes:\n")
		for _, n := range o.Notes {
			fmt.Fprintf(b, "    - %s\n", strconv.Quote(n))
		}
	}
	if len(o.Parameters) > 0 {
		b.WriteString("  parameters:\n")
		for _, k := range slices.Sorted(maps.Keys(o.Parameters)) {
			fmt.Fprintf(b, "    %s: %s\n", strconv.Quote(k), numeric.Text(o.Parameters[k]))
		}
	}
	if len(o.Versions) > 0 {
		b.WriteString("  versions:\n")
		for _, k := range slices.Sorted(maps.Keys(o.Versions)) {
			fmt.Fprintf(b, "    %s: %s\n", strconv.Quote(k), strconv.Quote(o.Versions[k]))
		}
	}
	if len(o.Points) > 0 {
		b.WriteString("  points:\n")
		for _, p := range o.Points {
			answer := ""
			if p.Answer != "" {
				answer = ", answer: " + strconv.Quote(p.Answer)
			}
			if p.Steered {
				answer += ", steered: true"
			}
			fmt.Fprintf(b, "    - {Nc: %s, X: %s, run: %s, error: %s%s}\n", numeric.Text(p.Nc), numeric.Text(p.X), strconv.Quote(p.Run), numeric.Text(p.Error), answer)
		}
	}
}
