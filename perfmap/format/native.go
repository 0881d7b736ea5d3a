package format

import (
	"bytes"
	"cmp"
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

// nativeMark is the first key of a native map file, for its detection.
const nativeMark = "peregrine-map"

// native is the file format of Peregrine's own maps: YAML that engineers can read and edit.
//
//	peregrine-map: 1
//	name: fan
//	kind: compressor                  # or turbine
//	interp: monotone                  # or linear, lagrange2, lagrange3
//	interp_alpha: linear              # default: as interp (monotone: linear)
//	extrap: {alpha: none, Nc: smooth, X: smooth} # or linear; default: this
//	alpha: [0]
//	Nc: [0.9, 1]
//	axis: {name: Rline, values: [1, 2, 3]}
//	design: {alpha: 0, Nc: 1, X: 2}
//	stall: 1                          # default: no stall line; or
//	stall_line: [1, 1.1]              # one value for each speed
//	tables:
//	  - name: Wc
//	    rows:
//	      - {Nc: 0.9, V: [80, 90, 92]}
//	      - {Nc: 1, V: [92, 100, 101]}
//
// Each row is a speed line and names its speed; with several alpha planes it names its alpha too ({alpha: 5, Nc: 0.9,
// V: ...}). Rows are in the order of the axes, alpha outermost.
type native struct{}

func (native) Name() string           { return "peregrine" }
func (native) Title() string          { return "Peregrine YAML" }
func (native) Match(data []byte) bool { return firstKey(data) == nativeMark }

func (native) Loss(*perfmap.Map) []string { return nil }

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
	Version int                    `yaml:"peregrine-map"`
	Name    string                 `yaml:"name"`
	Kind    perfmap.Kind           `yaml:"kind"`
	Interp  perfmap.Interp         `yaml:"interp"`
	Alpha   placed[[]float64]      `yaml:"alpha"`
	Nc      placed[[]float64]      `yaml:"Nc"`
	Axis    placed[nativeAxis]     `yaml:"axis"`
	Design  placed[perfmap.Point]  `yaml:"design"`
	Stall   *float64               `yaml:"stall"`
	Line    placed[[]float64]      `yaml:"stall_line"`
	Along   perfmap.Interp         `yaml:"interp_alpha"`
	Extrap  placed[perfmap.Extrap] `yaml:"extrap"`
	Tables  []placed[nativeTable]  `yaml:"tables"`
	Origin  *perfmap.Origin        `yaml:"origin"`
}

type nativeAxis struct {
	Name   string    `yaml:"name"`
	Values []float64 `yaml:"values"`
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

// placed remembers where in the file a value stood; an empty entry has no place.
type placed[T any] struct {
	v  T
	at place
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (p *placed[T]) UnmarshalYAML(node ast.Node) error {
	p.at = placeOf(node.GetToken())
	if block, ok := node.(*ast.MappingNode); ok && !block.IsFlowStyle && len(block.Values) > 0 {
		p.at = placeOf(block.Values[0].Key.GetToken())
	}
	return yaml.NodeToValue(node, &p.v, yaml.Strict())
}

func placeOf(t *token.Token) place { return place{t.Position.Line, t.Position.Column} }

func (native) Read(data []byte, _ string) (*perfmap.Map, error) {
	var n nativeMap
	if err := decodeYAML(data, &n); err != nil {
		return nil, yamlFault(err)
	}
	if n.Version != 1 {
		return nil, place{1, 1}.fault("%s: %d: this program reads version 1", nativeMark, n.Version)
	}
	s := sheet{
		Map: perfmap.Map{
			Name: n.Name, Kind: n.Kind, Interp: n.Interp, Alpha: n.Alpha.v, Nc: n.Nc.v,
			X: n.Axis.v.Values, XName: n.Axis.v.Name,
			Design: n.Design.v, Stall: n.Stall, Origin: n.Origin,
			StallLine: n.Line.v, InterpAlpha: n.Along, Extrap: n.Extrap.v,
		},
		axisAt: map[string][]place{"alpha": {n.Alpha.at}, "Nc": {n.Nc.at}, n.Axis.v.Name: {n.Axis.at}},
		partAt: map[perfmap.Part]place{
			perfmap.DesignPart: n.Design.at, perfmap.StallPart: n.Line.at, perfmap.ExtrapPart: n.Extrap.at,
		},
	}
	if len(s.Alpha) == 0 {
		s.Alpha = []float64{s.Design.Alpha}
	}
	for _, t := range n.Tables {
		if err := s.addNative(t); err != nil {
			return nil, err
		}
	}
	return s.check()
}

// form is the document form of a map. A map of 20 speeds, 30 points a line, 9 angles and 5 tables has 60,000 words and
// signs.
var form = document.Form{What: "a map", Begins: nativeMark + ": 1", Bytes: maxFile, Words: 500_000}

// decodeYAML reads YAML strictly. goccy/go-yaml 1.19.2 panics on some broken files (for example, a tag without a
// value), and a file must not end the program.
func decodeYAML(data []byte, to any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the YAML reader cannot cope with this file (%v); it needs plain keys, numbers and lists",
				r)
		}
	}()
	return document.Decode(data, form, to)
}

// addNative adds a table, whose rows must name the map's speeds (and alphas) in order.
func (s *sheet) addNative(t placed[nativeTable]) error {
	fault := func(at place, format string, args ...any) error {
		return at.fault("table %s: "+format, append([]any{t.v.Name}, args...)...)
	}
	if want := len(s.Alpha) * len(s.Nc); len(t.v.Rows) != want {
		return fault(t.at, "%d rows, needs %d (%d alpha x %d Nc)", len(t.v.Rows), want, len(s.Alpha), len(s.Nc))
	}
	table, out := perfmap.Table{Name: t.v.Name}, sheetTable{name: t.v.Name, rows: make([]sheetRow, len(t.v.Rows))}
	for i, r := range t.v.Rows {
		a, nc := s.Alpha[i/len(s.Nc)], s.Nc[i%len(s.Nc)]
		switch {
		case r.v.Nc != nc:
			return fault(r.at, "row %d is of Nc %g where Nc %g is due", i+1, r.v.Nc, nc)
		case r.v.Alpha != nil && *r.v.Alpha != a || r.v.Alpha == nil && len(s.Alpha) > 1:
			return fault(r.at, "row %d (Nc %g) must say alpha: %g", i+1, nc, a)
		case len(r.v.V) != len(s.X):
			return fault(r.at, "row %d (Nc %g) has %d values, needs %d", i+1, nc, len(r.v.V), len(s.X))
		}
		table.V = append(table.V, r.v.V...)
		out.rows[i].at = r.at
	}
	s.Tables, s.tables = append(s.Tables, table), append(s.tables, out)
	return nil
}

// expected describes the expected kind of a YAML value in words.
var expected = map[reflect.Kind]string{
	reflect.Float64: "a number", reflect.Int: "a whole number", reflect.String: "text",
	reflect.Slice: "a list", reflect.Struct: "a set of keys", reflect.Map: "a set of keys",
}

// yamlFault gives an error of the YAML reader its place and drops the excerpt of the file.
func yamlFault(err error) error {
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) && wrong.Token != nil {
		return placeOf(wrong.Token).fault("%q is not allowed here; expected %s",
			wrong.Token.Value, expected[wrong.DstType.Kind()])
	}
	var plain *document.Errors
	if errors.As(err, &plain) {
		p := plain.Problems[0]
		return place{p.Pos.Line, p.Pos.Column}.fault("%s", p.Message)
	}
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
		return placeOf(y.GetToken()).fault("%s", y.GetMessage())
	}
	return &FileError{Err: err}
}

func (native) Write(w io.Writer, m *perfmap.Map) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: 1\nname: %s\nkind: %s\n", nativeMark, strconv.Quote(m.Name), m.Kind)
	interp := m.Interp
	interp = cmp.Or(interp, perfmap.Monotone)
	fmt.Fprintf(&b, "interp: %s\n", interp)
	if m.InterpAlpha != "" {
		fmt.Fprintf(&b, "interp_alpha: %s\n", m.InterpAlpha)
	}
	if parts := continuations(m.Extrap, ": "); parts != nil {
		fmt.Fprintf(&b, "extrap: {%s}\n", strings.Join(parts, ", "))
	}
	fmt.Fprintf(&b, "alpha: %s\nNc: %s\n", numeric.List(m.Alpha), numeric.List(m.Nc))
	fmt.Fprintf(&b, "axis: {name: %s, values: %s}\n", strconv.Quote(m.XName), numeric.List(m.X))
	fmt.Fprintf(&b, "design: {alpha: %s, Nc: %s, X: %s}\n", numeric.Text(m.Design.Alpha), numeric.Text(m.Design.Nc),
		numeric.Text(m.Design.X))
	if m.Stall != nil {
		fmt.Fprintf(&b, "stall: %s # %s of the stall line\n", numeric.Text(*m.Stall), m.XName)
	}
	if m.StallLine != nil {
		fmt.Fprintf(&b, "stall_line: %s # %s of the stall line at each Nc\n", numeric.List(m.StallLine), m.XName)
	}
	b.WriteString("tables:\n")
	for t := range m.Tables {
		fmt.Fprintf(&b, "  - name: %s\n    rows: # one a speed line, over %s\n", strconv.Quote(m.Tables[t].Name),
			m.XName)
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
	writeSection(b, "notes", o.Notes, func(n string) string { return "- " + strconv.Quote(n) })
	writeSection(b, "parameters", slices.Sorted(maps.Keys(o.Parameters)), func(k string) string {
		return strconv.Quote(k) + ": " + numeric.Text(o.Parameters[k])
	})
	writeSection(b, "versions", slices.Sorted(maps.Keys(o.Versions)), func(k string) string {
		return strconv.Quote(k) + ": " + strconv.Quote(o.Versions[k])
	})
	writeSection(b, "points", o.Points, func(p perfmap.OriginPoint) string {
		text := fmt.Sprintf("- {Nc: %s, X: %s, run: %s, error: %s",
			numeric.Text(p.Nc), numeric.Text(p.X), strconv.Quote(p.Run), numeric.Text(p.Error))
		if p.Answer != "" {
			text += ", answer: " + strconv.Quote(p.Answer)
		}
		if p.Steered {
			text += ", steered: true"
		}
		return text + "}"
	})
}

// writeSection writes a part of the origin, a line each. It writes no heading for an empty part.
func writeSection[T any](b *strings.Builder, name string, parts []T, line func(T) string) {
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %s:\n", name)
	}
	for _, p := range parts {
		fmt.Fprintf(b, "    %s\n", line(p))
	}
}
