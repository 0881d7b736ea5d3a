package format

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// csv is a map as a table in long form for spreadsheets and data frames, with one point in each line:
//
//	# name: fan
//	# design: alpha=0 Nc=1 X=2
//	# stall: 1
//	alpha,Nc,Rline,Wc,PR,eff
//	0,0.9,1,80,1.55,0.84
//	0,0.9,2,90,1.5,0.9
//
// The columns are alpha (may be left out), Nc (or Np), the third axis and the tables (Wc, PR, eff, PR_core, eff_core;
// Wp, eff over PR for a turbine), in any order; names as in NPSS's files are accepted. Points are in the order of the
// axes, alpha outermost. Columns are separated by commas, semicolons or tabs.
//
// Lines with # before the columns' names may state name, interp, interp_alpha, extrap (alpha=none Nc=linear X=smooth),
// design, stall and stall_line; without a design point one is assumed, and the map's Origin.Notes records it. Numbers
// are written with full precision, so that reading a file gives the written map, except its origin.
type csv struct{}

func (csv) Name() string  { return "csv" }
func (csv) Title() string { return "CSV" }
func (csv) Match(data []byte) bool {
	_, err := csvHead(data)
	return err == nil
}

func (csv) Loss(m *perfmap.Map) []string { return originLoss(m) }

// csvTable is the head of a file.
type csvTable struct {
	meta    map[string]csvNote
	columns []string // "alpha", "Nc", "" for the third axis, else the table
	xName   string
	kind    perfmap.Kind
	comma   string
	rest    []byte // the points
	line    int    // number of the line before them
}

// csvNote is a comment "key: text".
type csvNote struct {
	text string
	at   place
}

// csvHead reads up to the names of the columns.
func csvHead(data []byte) (*csvTable, error) {
	h := &csvTable{meta: map[string]csvNote{}}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		h.line++
		data = rest
		text := strings.TrimSpace(string(line))
		if comment, ok := strings.CutPrefix(text, "#"); ok {
			if key, value, ok := strings.Cut(comment, ":"); ok {
				h.meta[strings.ToLower(strings.TrimSpace(key))] = csvNote{strings.TrimSpace(value), place{h.line, 1}}
			}
			continue
		}
		if text == "" {
			continue
		}
		h.rest = rest
		return h, h.names(text)
	}
	return nil, fmt.Errorf("there is no line with the names of the columns")
}

// names reads the line of the columns' names.
func (h *csvTable) names(text string) error {
	h.comma = ","
	for _, c := range []string{";", "\t"} {
		if strings.Count(text, c) > strings.Count(text, h.comma) {
			h.comma = c
		}
	}
	fault := place{h.line, 1}.fault
	raw := strings.Split(text, h.comma)
	for i := range raw {
		raw[i] = strings.Trim(strings.TrimSpace(raw[i]), `"`)
	}
	h.kind = perfmap.Compressor
	if slices.ContainsFunc(raw, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "wp") }) {
		h.kind = perfmap.Turbine
	}
	for _, name := range raw {
		lower := strings.ToLower(name)
		q := quantity(name, h.kind)
		switch {
		case lower == "alpha" || lower == "alphamap":
			name = "alpha"
		case isSpeed(name):
			name = "Nc"
		case q != "" && !(h.kind == perfmap.Turbine && q == "PR"):
			name = q
		case h.xName == "":
			h.xName, name = axisName(name), ""
		default:
			return fault("column %q: the third axis is %s already; the columns are alpha, Nc, the third axis, and "+
				"Wc, PR, eff or Wp, eff", name, h.xName)
		}
		if slices.Contains(h.columns, name) {
			return fault("column %q is listed twice", name)
		}
		h.columns = append(h.columns, name)
	}
	for _, need := range []string{"Nc", "", "eff"} {
		if !slices.Contains(h.columns, need) {
			return fault(
				"there is no column %s; the columns are alpha, Nc, the third axis, and Wc, PR, eff or Wp, eff",
				map[string]string{"": "of the third axis (Rline, beta or PR)"}[need]+need)
		}
	}
	return nil
}

func (csv) Read(data []byte, name string) (*perfmap.Map, error) {
	h, err := csvHead(data)
	if err != nil {
		return nil, err
	}
	points, err := h.points()
	if err != nil {
		return nil, err
	}
	s := &sheet{
		Map: perfmap.Map{
			Name: name, Kind: h.kind, XName: h.xName, Origin: &perfmap.Origin{Method: "import", Source: "CSV file"},
		},
	}
	for c, column := range h.columns {
		if column != "" && column != "alpha" && column != "Nc" {
			s.tables = append(s.tables, h.table(column, c, points))
		}
	}
	if err := h.manner(s); err != nil {
		return nil, err
	}
	return s.build()
}

// csvPoint is a line of numbers.
type csvPoint struct {
	at place
	v  []float64
}

func (h *csvTable) points() (points []csvPoint, err error) {
	line := h.line
	for text := range strings.Lines(string(h.rest)) {
		line++
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		at := place{line, 1}
		fields := strings.Split(text, h.comma)
		if len(fields) != len(h.columns) {
			return nil, at.fault("%d values for %d columns", len(fields), len(h.columns))
		}
		p := csvPoint{at: at, v: make([]float64, len(fields))}
		for i, f := range fields {
			f = strings.Trim(strings.TrimSpace(f), `"`)
			if h.comma == ";" {
				f = strings.Replace(f, ",", ".", 1) // as spreadsheets write where the comma is decimal
			}
			if p.v[i], err = parseNumber(f); err != nil {
				return nil, at.fault("column %d: %v", i+1, err)
			}
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, place{line, 1}.fault("there are no points under the names of the columns")
	}
	return points, nil
}

// table cuts a column into rows of equal alpha and speed.
func (h *csvTable) table(name string, column int, points []csvPoint) sheetTable {
	alpha, nc, x := slices.Index(h.columns, "alpha"), slices.Index(h.columns, "Nc"), slices.Index(h.columns, "")
	t := sheetTable{name: name, at: points[0].at}
	for _, p := range points {
		a := 0.0
		if alpha >= 0 {
			a = p.v[alpha]
		}
		n := len(t.rows) - 1
		if n < 0 || t.rows[n].alpha != a || t.rows[n].nc != p.v[nc] {
			t.rows = append(t.rows, sheetRow{at: p.at, alpha: a, nc: p.v[nc]})
			n++
		}
		t.rows[n].x = append(t.rows[n].x, p.v[x])
		t.rows[n].v = append(t.rows[n].v, p.v[column])
	}
	return t
}

// manner applies the settings in the comments.
func (h *csvTable) manner(s *sheet) error {
	s.Name = cmp.Or(h.meta["name"].text, s.Name)
	s.Interp, s.InterpAlpha = perfmap.Interp(h.meta["interp"].text), perfmap.Interp(h.meta["interp_alpha"].text)
	extrap, _, err := h.pairs("extrap")
	if err != nil {
		return err
	}
	way := func(axis string) perfmap.Continuation { return perfmap.Continuation(extrap[axis]) }
	s.Extrap = perfmap.Extrap{Alpha: way("alpha"), Nc: way("Nc"), X: way("X")}
	if stall, ok := h.meta["stall"]; ok {
		x, err := parseNumber(stall.text)
		if err != nil {
			return stall.at.fault("stall: %v", err)
		}
		s.Stall = &x
	}
	line := h.meta["stall_line"]
	for _, text := range strings.Fields(line.text) {
		x, err := parseNumber(text)
		if err != nil {
			return line.at.fault("stall_line: %v", err)
		}
		s.StallLine = append(s.StallLine, x)
	}
	design, at, err := h.pairs("design")
	if err != nil {
		return err
	}
	if design == nil {
		s.designOf(nil)
		return nil
	}
	s.Design.Alpha = s.tables[0].rows[0].alpha
	for i, into := range []*float64{&s.Design.Alpha, &s.Design.Nc, &s.Design.X} {
		key := csvAxes[i]
		text, ok := design[key]
		if !ok && key == "alpha" {
			continue
		}
		if !ok {
			return at.fault("design: %s is missing; write design: alpha=0 Nc=1 X=2", key)
		}
		if *into, err = parseNumber(text); err != nil || math.IsInf(*into, 0) {
			return at.fault("design: %s=%s is no number", key, text)
		}
	}
	return nil
}

// csvAxes are the axes that a comment can name.
var csvAxes = []string{"alpha", "Nc", "X"}

// pairs reads a comment "key: alpha=1 X=2"; nil: the file lacks it.
func (h *csvTable) pairs(key string) (map[string]string, place, error) {
	note, ok := h.meta[key]
	if !ok {
		return nil, note.at, nil
	}
	out := map[string]string{}
	for _, f := range strings.Fields(note.text) {
		k, v, _ := strings.Cut(f, "=")
		if k == h.xName {
			k = "X"
		}
		if !slices.Contains(csvAxes, k) {
			return nil, note.at, note.at.fault("%s: %q is none of %s", key, f, strings.Join(csvAxes, ", "))
		}
		out[k] = v
	}
	return out, note.at, nil
}

func (csv) Write(w io.Writer, m *perfmap.Map) error {
	var b strings.Builder
	if strings.TrimSpace(m.Name) != "" {
		fmt.Fprintf(&b, "# name: %s\n", oneComment(m.Name))
	}
	fmt.Fprintf(&b, "# interp: %s\n", m.Interp)
	if m.InterpAlpha != "" {
		fmt.Fprintf(&b, "# interp_alpha: %s\n", m.InterpAlpha)
	}
	if parts := continuations(m.Extrap, "="); parts != nil {
		fmt.Fprintf(&b, "# extrap: %s\n", strings.Join(parts, " "))
	}
	fmt.Fprintf(&b, "# design: alpha=%s Nc=%s X=%s\n", numeric.Text(m.Design.Alpha), numeric.Text(m.Design.Nc),
		numeric.Text(m.Design.X))
	if m.Stall != nil {
		fmt.Fprintf(&b, "# stall: %s\n", numeric.Text(*m.Stall))
	}
	if m.StallLine != nil {
		fmt.Fprintf(&b, "# stall_line: %s\n", numeric.Join(m.StallLine, " "))
	}
	fmt.Fprintf(&b, "alpha,Nc,%s", m.XName)
	for _, t := range m.Tables {
		fmt.Fprintf(&b, ",%s", t.Name)
	}
	b.WriteString("\n")
	for a, alpha := range m.Alpha {
		for r, nc := range m.Nc {
			for k, x := range m.X {
				b.WriteString(numeric.Text(alpha) + "," + numeric.Text(nc) + "," + numeric.Text(x))
				for t := range m.Tables {
					b.WriteString("," + numeric.Text(m.Row(t, a, r)[k]))
				}
				b.WriteString("\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
