package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// jsonFile reads the maps of two public collections of reference data. It does not write: results are written in other
// formats.
//
// pyCycle's maps, one array for each table:
//
//	{"name": "AXI5", "kind": "compressor",
//	 "axis_order": ["alphaMap", "NcMap", "RlineMap"],
//	 "axes":   {"alphaMap": {"values": [0, 90]}, "NcMap": {"values": [...]}, "RlineMap": {"values": [...]}},
//	 "tables": {"WcMap": {"values": [[[...]]]}, "effMap": {...}, "PRmap": {...}},
//	 "map_design_point_defaults": {"alphaMap": 0, "NcMap": 1, "RlineMap": 2}, "RlineStall": 1}
//
// pyCycle interpolates them linearly in all three axes, and continues the last cell where it extrapolates: [Linear]
// with [Chord].
//
// NPSS's maps, row by row, with NPSS's interpolation and extrapolation:
//
//	{"map": "HPT", "header_defaults_before_JT9D_overrides": {"PRmapDes": 5, "NpMapDes": 100},
//	 "tables": {"TB_Wp": {"args": ["NcDes", "PRdes"], "interp": {"NcDes": "linear", ...}, "extrap": {...},
//	   "planes": [{"value": 0, "lines": [{"NcDes": 60, "PRdes": [...], "WcMap": [...]}]}]}}}
//
// The units are those of the source: lbm/s at sea level in both.
type jsonFile struct{}

func (jsonFile) Name() string  { return "json" }
func (jsonFile) Title() string { return "JSON" }
func (jsonFile) Match(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
}

func (jsonFile) Read(data []byte, name string) (*perfmap.Map, error) {
	root, err := decodeJSON(data)
	if err != nil {
		return nil, err
	}
	if root.get("axis_order") != nil {
		return readPyCycle(root, name)
	}
	if root.get("map") != nil && root.get("tables") != nil {
		return readRowsJSON(root, name)
	}
	return nil, place{
		1, 1,
	}.fault("this JSON is no map: it has neither the key axis_order (pyCycle's maps) nor map and tables (NPSS's)")
}

func readPyCycle(root *jsonNode, name string) (*perfmap.Map, error) {
	s := sheet{
		Map: perfmap.Map{Name: root.get("name").string(name), Interp: perfmap.Linear,
			Extrap: perfmap.Extrap{Alpha: perfmap.Chord, Nc: perfmap.Chord, X: perfmap.Chord},
			Origin: &perfmap.Origin{Method: "import", Source: root.get("origin").string("pyCycle map")}}}
	if s.Kind = perfmap.Kind(root.get("kind").string("")); s.Kind != perfmap.Compressor && s.Kind != perfmap.Turbine {
		return nil, root.fault(`kind %q is neither "compressor" nor "turbine"`, s.Kind)
	}
	order := root.get("axis_order").items
	if len(order) != 3 {
		return nil, root.fault("axis_order has %d entries; want alpha, speed and the third axis", len(order))
	}
	var axes [3][]float64
	for i, o := range order {
		node := root.get("axes").get(o.text).get("values")
		if node == nil {
			return nil, o.fault("axes has no values of %q", o.text)
		}
		var err error
		if axes[i], err = node.numbers(); err != nil {
			return nil, err
		}
	}
	s.XName = axisName(order[2].text)
	tables := root.get("tables")
	if tables == nil {
		return nil, root.fault("the key tables is missing")
	}
	for i, key := range tables.keys {
		quantity := quantity(key, s.Kind)
		if quantity == "" {
			s.note("table %s is left out", key)
			continue
		}
		node := &tables.items[i]
		if v := node.get("values"); v != nil {
			node = v
		}
		t, err := cubeTable(quantity, node, axes)
		if err != nil {
			return nil, err
		}
		s.tables = append(s.tables, t)
	}
	design := root.get("map_design_point_defaults")
	s.Design.Alpha = design.get(order[0].text).number(first(axes[0]))
	s.Design.Nc = design.get(order[1].text).number(1)
	s.Design.X = design.get(order[2].text).number(first(axes[2]))
	if stall := root.get("RlineStall"); stall != nil {
		x := stall.number(math.NaN())
		s.Stall = &x
	}
	return s.build()
}

// cubeTable cuts an array [alpha][nc][x] into rows.
func cubeTable(name string, node *jsonNode, axes [3][]float64) (sheetTable, error) {
	t := sheetTable{name: name, at: node.at}
	if len(node.items) != len(axes[0]) {
		return t, node.fault("table %s has %d planes for %d alpha", name, len(node.items), len(axes[0]))
	}
	for a, plane := range node.items {
		if len(plane.items) != len(axes[1]) {
			return t, plane.fault("table %s has %d rows for %d speeds in alpha plane %d", name, len(plane.items),
				len(axes[1]), a+1)
		}
		for n := range plane.items {
			v, err := plane.items[n].numbers()
			if err != nil {
				return t, err
			}
			t.rows = append(t.rows, sheetRow{at: plane.items[n].at, alpha: axes[0][a], nc: axes[1][n], x: axes[2],
				v: v})
		}
	}
	return t, nil
}

func readRowsJSON(root *jsonNode, name string) (*perfmap.Map, error) {
	f := &npssFile{scalars: map[string]float64{}}
	for i, key := range root.keys {
		if strings.HasPrefix(key, "header_defaults") {
			for j, k := range root.items[i].keys {
				f.scalars[strings.ToLower(k)] = root.items[i].items[j].number(math.NaN())
			}
		}
	}
	tables := root.get("tables")
	for i, key := range tables.keys {
		t, err := rowsTable(key, &tables.items[i])
		if err != nil {
			return nil, err
		}
		f.tables = append(f.tables, t)
	}
	return f.toMap(root.get("map").string(name), root.get("source").string("NPSS map"))
}

func rowsTable(name string, node *jsonNode) (*npssTable, error) {
	t := &npssTable{name: name, at: node.at, interp: map[string]string{}, extrap: map[string]string{}}
	args := node.get("args")
	if args == nil || len(args.items) < 2 || len(args.items) > 3 {
		return nil, node.fault("table %s needs two or three args", name)
	}
	for _, a := range args.items {
		t.args = append(t.args, a.text)
		t.interp[a.text] = node.get("interp").get(a.text).string("")
		t.extrap[a.text] = node.get("extrap").get(a.text).string("")
	}
	speed, x := t.args[len(t.args)-2], t.args[len(t.args)-1]
	for _, plane := range node.get("planes").list() {
		for _, line := range plane.get("lines").list() {
			r := npssRow{sheetRow{at: line.at}, []float64{line.get(speed).number(math.NaN())}}
			if len(t.args) == 3 {
				r.coords = []float64{plane.get("value").number(math.NaN()), r.coords[0]}
			}
			for k, key := range line.keys {
				if key == speed {
					continue
				}
				v, err := line.items[k].numbers()
				if err != nil {
					return nil, err
				}
				if key == x {
					r.x = v
				} else {
					r.v = v
				}
			}
			t.rows = append(t.rows, r)
		}
	}
	return t, nil
}

func first(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[0]
}

// jsonNode is a JSON value with its place in the file. All reading methods accept a nil node for a missing value.
type jsonNode struct {
	at    place
	text  string // of a string or number
	kind  byte   // '{', '[', '"', '0'; 'n' for null, true and false
	keys  []string
	items []jsonNode // of an array, or of an object's keys
}

const deepestJSON = 32

func decodeJSON(data []byte) (*jsonNode, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	lines := newLineIndex(data)
	root, err := decodeNode(d, lines, 0)
	if err != nil {
		if _, ok := err.(*FileError); ok {
			return nil, err
		}
		// where the last good word ends; offsets of syntax errors count from elsewhere
		at := lines.place(int(d.InputOffset()))
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, at.fault("the file ends too early")
		}
		return nil, at.fault("after this: %v", err)
	}
	return root, nil
}

func decodeNode(d *json.Decoder, lines lineIndex, depth int) (*jsonNode, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	n := &jsonNode{at: lines.place(int(d.InputOffset()) - 1), kind: 'n'}
	if depth > deepestJSON {
		return nil, n.fault("nested deeper than any map")
	}
	switch v := tok.(type) {
	case json.Number:
		n.kind, n.text = '0', v.String()
	case string:
		n.kind, n.text = '"', v
	case json.Delim:
		n.kind = byte(v)
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, fmt.Sprint(key))
			}
			item, err := decodeNode(d, lines, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, *item)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *jsonNode) fault(format string, args ...any) error { return n.at.fault(format, args...) }

func (n *jsonNode) get(key string) *jsonNode {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return &n.items[i]
		}
	}
	return nil
}

func (n *jsonNode) list() []jsonNode {
	if n == nil || n.kind != '[' {
		return nil
	}
	return n.items
}

func (n *jsonNode) string(missing string) string {
	if n == nil || n.kind != '"' {
		return missing
	}
	return n.text
}

func (n *jsonNode) number(missing float64) float64 {
	if n == nil || n.kind != '0' {
		return missing
	}
	v, err := parseNumber(n.text)
	if err != nil {
		return math.NaN()
	}
	return v
}

func (n *jsonNode) numbers() ([]float64, error) {
	if n.kind != '[' {
		return nil, n.fault("a list of numbers is due here")
	}
	v := make([]float64, len(n.items))
	for i, item := range n.items {
		if item.kind != '0' {
			return nil, item.fault("value %d is no number", i+1)
		}
		var err error
		if v[i], err = parseNumber(item.text); err != nil {
			return nil, item.fault("value %d: %v", i+1, err)
		}
	}
	return v, nil
}
