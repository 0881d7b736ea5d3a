package format

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// gasTurb is the text format ("type 99") of the maps of GasTurb and GSP: a title, the Reynolds correction, and named
// tables over beta and speed.
//
//	99 fan
//	Reynolds: RNI=0.1 f=0.95 RNI=1 f=1
//	Mass Flow
//	 3.00400  0.0  0.5  1.0      key, then the betas
//	 0.90000  92   90   80       speed, then a value for each beta
//	 1.00000  101  100  92
//	Efficiency
//	 ...
//	Pressure Ratio
//	 ...
//	Surge Line
//	 2.00300  80   92            key, then flows
//	 1.00000  1.55 1.7           any number, then the pressure ratio of each
//
// The key of a table is its rows + columns/1000, heads included. Numbers are separated by spaces and may continue in
// the next line. A turbine has Min Pressure Ratio and Max Pressure Ratio over speed in place of Pressure Ratio and
// Surge Line:
//
//	PR = PRmin(N) + beta (PRmax(N) - PRmin(N))
//
// (GSP Online Help, National Aerospace Laboratory NLR: "Map table format", "Turbine map format"; J. Kurzke, "How to get
// component maps for aircraft gas turbine performance calculations", ASME 96-GT-164.)
//
// Read: a compressor's third axis is beta, which rises from choke to surge. The surge line becomes the beta at which
// each speed line meets it. A turbine's third axis becomes PR. The Reynolds correction is kept as parameters RNI1, f1,
// RNI2, f2 of the map's Origin. The format has no design point. It is taken from "design Nc=1 beta=0.5" in the title,
// where this package writes it. Without this text these two values are assumed.
type gasTurb struct{}

func (gasTurb) Name() string  { return "gasturb" }
func (gasTurb) Title() string { return "GasTurb or GSP text" }
func (gasTurb) Match(data []byte) bool {
	return gasTurbStart().Match(data) && bytes.Contains(bytes.ToLower(data), []byte("mass flow"))
}

var gasTurbStart = regex.Lazy(`(?m)^[ \t]*99(?:[ \t]+(.*?))?[ \t]*\r?$`)

// gasTurbTable is a table of a file: the heads of its columns, and rows of a head, which is the row's nc, and values.
type gasTurbTable struct {
	sheetTable
	cols []float64
}

const (
	flowTable     = "mass flow"
	effTable      = "efficiency"
	ratioTable    = "pressure ratio"
	surgeTable    = "surge line"
	minRatioTable = "min pressure ratio"
	maxRatioTable = "max pressure ratio"
)

var gasTurbTables = []string{flowTable, effTable, ratioTable, surgeTable, minRatioTable, maxRatioTable}

func (gasTurb) Read(data []byte, name string) (*perfmap.Map, error) {
	text := string(data)
	head := gasTurbStart().FindStringSubmatchIndex(text)
	if head == nil {
		return nil, place{1, 1}.fault(`a map of GasTurb or GSP begins with a line "99 TITLE"`)
	}
	title := ""
	if head[2] >= 0 {
		title = strings.TrimSpace(text[head[2]:head[3]])
	}
	f := &gasTurbFile{lines: newLineIndex(data), text: text, at: head[1], tables: map[string]*gasTurbTable{}}
	if err := f.read(); err != nil {
		return nil, err
	}
	s := &sheet{
		Map: perfmap.Map{
			Name: name, Kind: perfmap.Compressor, XName: "beta",
			Origin: &perfmap.Origin{Method: "import", Source: "GasTurb or GSP map file: " + title, Notes: f.notes},
		},
	}
	if before, _, ok := strings.Cut(title, "; design "); ok && before != "" {
		s.Name = before
	}
	if f.reynolds != nil {
		s.Origin.Parameters = map[string]float64{"RNI1": f.reynolds[0], "f1": f.reynolds[1], "RNI2": f.reynolds[2],
			"f2": f.reynolds[3]}
	}
	if f.tables[minRatioTable] != nil || f.tables[maxRatioTable] != nil {
		s.Kind = perfmap.Turbine
		return f.turbine(s, title)
	}
	return f.compressor(s, title)
}

func (f *gasTurbFile) compressor(s *sheet, title string) (*perfmap.Map, error) {
	for _, q := range []struct{ file, table string }{{flowTable, "Wc"}, {ratioTable, "PR"}, {effTable, "eff"}} {
		t := f.tables[q.file]
		if t == nil {
			return nil, fmt.Errorf(
				"map %q: the table %q is missing; a compressor map has Mass Flow, Efficiency and Pressure Ratio",
				s.Name, q.file)
		}
		s.tables = append(s.tables, t.sheet(q.table))
	}
	s.gasTurbDesign(title)
	// The surge line is found on a map that has passed its checks.
	m, err := s.build()
	if err != nil || f.tables[surgeTable] == nil {
		return m, err
	}
	line, notes, err := f.tables[surgeTable].stallLine(m)
	if err != nil {
		return nil, err
	}
	c := *m
	c.StallLine = line
	c.Origin.Notes = append(c.Origin.Notes, notes...)
	if slices.Min(line) == slices.Max(line) {
		c.Stall, c.StallLine = &line[0], nil
	}
	return perfmap.New(c)
}

// sheet names a table as maps do.
func (t *gasTurbTable) sheet(name string) sheetTable {
	out := t.sheetTable
	out.name = name
	return out
}

var gasTurbDesignPoint = regex.Lazy(`; design Nc=(\S+) beta=(\S+)$`)

func (s *sheet) gasTurbDesign(title string) {
	if d := gasTurbDesignPoint().FindStringSubmatch(title); d != nil {
		nc, err := parseNumber(d[1])
		beta, err2 := parseNumber(d[2])
		if err == nil && err2 == nil {
			s.Design = perfmap.Point{Nc: nc, X: beta}
			return
		}
	}
	rows := s.tables[0].rows
	s.Design.Nc = usual(func(i int) float64 { return rows[i].nc }, len(rows), 1, 100)
	s.Design.X = usual(func(i int) float64 { return rows[0].x[i] }, len(rows[0].x), 0.5)
	s.note("the file states no design point; Nc %s, beta %s are taken", numeric.Text(s.Design.Nc),
		numeric.Text(s.Design.X))
}

// stallLine returns the beta at which each speed line meets the surge line. A speed line that ends before the surge
// line gets its last beta, which the notes record.
//
// Along a speed line towards surge, d = PR - PRsurge(Wc) rises through zero; PRsurge is the polygon of the file's
// points, continued linearly.
func (t *gasTurbTable) stallLine(m *perfmap.Map) (line []float64, notes []string, err error) {
	if len(t.rows) != 1 || len(t.cols) < 2 {
		return nil, nil, t.at.fault("Surge Line: %d rows of %d values; it has one row, of two values or more",
			len(t.rows), len(t.cols))
	}
	flow, ratio := t.cols, t.rows[0].v
	for i, w := range flow {
		if !(w > 0) || !(ratio[i] > 0) || math.IsInf(w+ratio[i], 0) || i > 0 && w <= flow[i-1] {
			return nil, nil, t.at.fault(
				"Surge Line, value %d: Mass Flow %g, Pressure Ratio %g: both must be above 0 and the flow must rise",
				i+1, w, ratio[i])
		}
	}
	w, p := m.Index("Wc"), m.Index("PR")
	var short []string
	for r := range m.Nc {
		wc, pr := m.Row(w, 0, r), m.Row(p, 0, r)
		above := func(k int) float64 { return pr[k] - polygon(flow, ratio, wc[k]) }
		beta := numeric.Last(m.X)
		k := len(m.X) - 1
		for k > 0 && above(k-1) > 0 {
			k--
		}
		switch d := above(k); {
		case math.Abs(d) < 1e-9*pr[k]: // on it, but for rounding
			beta = m.X[k]
		case d < 0: // only of the last point: the line ends before it stalls
			short = append(short, numeric.Text(m.Nc[r]))
		case k == 0:
			return nil, nil, t.at.fault("Surge Line: the speed line of Nc %g lies wholly beyond it", m.Nc[r])
		default:
			beta = m.X[k-1] + (m.X[k]-m.X[k-1])*numeric.Bisect(func(s float64) float64 {
				return pr[k-1] + s*(pr[k]-pr[k-1]) - polygon(flow, ratio, wc[k-1]+s*(wc[k]-wc[k-1]))
			}, 0, 1)
		}
		line = append(line, beta)
	}
	if short != nil {
		notes = append(notes,
			fmt.Sprintf("the speed lines of Nc %s end before the surge line; their last point is taken for it",
				strings.Join(short, ", ")))
	}
	return line, notes, nil
}

// polygon interpolates linearly and continues with its first and last segment.
func polygon(x, y []float64, u float64) float64 {
	i := numeric.Locate(x, u)
	t := (u - x[i]) / (x[i+1] - x[i])
	return y[i]*(1-t) + y[i+1]*t
}
