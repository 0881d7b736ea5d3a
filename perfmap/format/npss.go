package format

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// npss is the text of NPSS's map files: a subelement of type
// CompressorRlineMap, TurbinePRmap or the like, with one table for each quantity.
//
//	Subelement CompressorRlineMap S_map {
//	   NcMapDes = 1.0;  RlineMapDes = 2.0;  RlineStall = 1.0;
//	   Table TB_Wc(real alphaMap, real NcMap, real RlineMap) {
//	      alphaMap = 0.0 {
//	         NcMap = 0.3 {
//	            RlineMap = { 1.0, 1.2, 1.4 }
//	            WcMap = { 38.1, 42.9, 47.8 }
//	         }
//	         NcMap = 0.4 { RlineMap = *;  WcMap = { 54.0, 60.0, 65.9 } }
//	      }
//	      NcMap.interp = "lagrange2";  NcMap.extrap = "linear";
//	   }
//	   Table TB_eff(...) {...}  Table TB_PR(...) {...}
//	}
//
// As in NPSS the hierarchy counts, not the names of axes and values: the last
// argument of a table is the axis along the arrays, the one before it the
// speed, one before that the stator setting. Only where an argument that is
// called like a speed comes last are the last two taken the other way round. An
// array * repeats that of the row before. Comments are //, /* */ and #;
// other statements and functions are ignored.
//
// Reynolds tables and all others that a Map has no place for are left out, and
// the map's Origin.Notes records it.
type npss struct{}

func (npss) Name() string           { return "npss" }
func (npss) Title() string          { return "NPSS .map" }
func (npss) Match(data []byte) bool { return npssStart().Match(data) }

var npssStart = regex.Lazy(`(?m)^[ \t]*(Subelement[ \t]+\w+[ \t]+\w+|Table[ \t]+\w+[ \t]*\()`)

func (npss) Read(data []byte, name string) (*perfmap.Map, error) {
	f, err := parseNPSS(data)
	if err != nil {
		return nil, err
	}
	return f.toMap(cmp.Or(f.description, name), "NPSS map file")
}

// npssFile is the content of a map file.
type npssFile struct {
	description string
	scalars     map[string]float64 // by name in lower case
	tables      []*npssTable
}

type npssTable struct {
	name           string
	at             place
	args           []string
	interp, extrap map[string]string // by argument
	rows           []npssRow
}

// npssRow is the innermost block: the coordinates of its outer blocks, its last argument's values and its function
// values.
type npssRow struct {
	sheetRow
	coords []float64
}

// toMap makes the map of an NPSS file.
func (f *npssFile) toMap(name, source string) (*perfmap.Map, error) {
	s := &sheet{
		Map: perfmap.Map{Name: name, Kind: perfmap.Turbine, Origin: &perfmap.Origin{Method: "import", Source: source}},
	}
	if slices.ContainsFunc(f.tables, func(t *npssTable) bool { return quantity(t.name, perfmap.Compressor) == "PR" }) {
		s.Kind = perfmap.Compressor
	}
	// Tables without a stator setting get that of the design point, so that the design point is on the map.
	alpha, _ := stated(f.scalars, alphaNames)
	var main *npssTable
	for _, t := range f.tables {
		q := quantity(t.name, s.Kind)
		if q == "" {
			s.note("table %s is left out", t.name)
			continue
		}
		if i := slices.IndexFunc(s.tables, func(o sheetTable) bool { return o.name == q }); i >= 0 {
			return nil, t.at.fault("table %s: line %d has a table of this kind already; a file holds one map",
				t.name, s.tables[i].at.line)
		}
		st, err := t.sheet(q, alpha)
		if err != nil {
			return nil, err
		}
		if main == nil {
			main = t
		}
		s.tables = append(s.tables, st)
	}
	if main == nil {
		return nil, fmt.Errorf(
			"map %q: the file holds no table of a map (TB_Wc, TB_PR and TB_eff of a compressor; TB_Wp and TB_eff of "+
				"a turbine)", name)
	}
	if s.XName = axisName(main.axes()[2]); s.XName == "Rline" && s.Kind == perfmap.Turbine {
		return nil, main.at.fault("table %s runs over Rline, as those of a compressor, but there is no table TB_PR",
			main.name)
	}
	s.manner(main, f.tables)
	s.designOf(f.scalars)
	return s.build()
}

// axes returns the table's arguments for alpha (empty: none), speed and the third axis.
func (t *npssTable) axes() [3]string {
	n := len(t.args)
	a := [3]string{"", t.args[n-2], t.args[n-1]}
	if n > 2 {
		a[0] = t.args[n-3]
	}
	if t.swapped() {
		a[1], a[2] = a[2], a[1]
	}
	return a
}

// swapped reports whether the arrays run along the speed.
func (t *npssTable) swapped() bool {
	n := len(t.args)
	return isSpeed(t.args[n-1]) && !isSpeed(t.args[n-2])
}

// sheet brings the rows into the form of a sheet. Rows without a stator
// setting get alpha.
func (t *npssTable) sheet(name string, alpha float64) (sheetTable, error) {
	out := sheetTable{name: name, at: t.at}
	if len(t.args) < 2 || len(t.args) > 3 {
		return out, t.at.fault(
			"table %s has the arguments %s; a map's table has two or three: stator setting, speed, and Rline, beta "+
				"or PR", t.name, strings.Join(t.args, ", "))
	}
	for i, r := range t.rows {
		switch n := len(r.coords); n {
		case 1, 2:
			r.alpha, r.nc = append([]float64{alpha}, r.coords...)[n-1], r.coords[n-1]
			out.rows = append(out.rows, r.sheetRow)
		default:
			return out, r.at.fault("table %s, row %d: the row is nested in %d blocks;"+
				" a map's row belongs in a block of its speed, itself in a block of its stator setting", t.name, i+1, n)
		}
	}
	if t.swapped() {
		return out.transpose()
	}
	return out, nil
}

// transpose turns rows along the speed (nc holds the third coordinate, x the
// speeds) into rows along the third axis.
func (t sheetTable) transpose() (sheetTable, error) {
	out := sheetTable{name: t.name, at: t.at}
	for len(t.rows) > 0 {
		head := t.rows[0]
		n := slices.IndexFunc(t.rows, func(r sheetRow) bool { return r.alpha != head.alpha })
		if n < 0 || math.IsNaN(head.alpha) {
			n = len(t.rows)
		}
		for k, nc := range head.x {
			row := sheetRow{at: head.at, alpha: head.alpha, nc: nc}
			for i, r := range t.rows[:n] {
				if !slices.Equal(r.x, head.x) || len(r.v) != len(r.x) {
					return out, r.at.fault(
						"table %s, row %d: %d values over the speeds %s; the first row has them over %s", t.name, i+1,
						len(r.v), short(r.x), short(head.x))
				}
				row.x, row.v = append(row.x, r.nc), append(row.v, r.v[k])
			}
			out.rows = append(out.rows, row)
		}
		t.rows = t.rows[n:]
	}
	return out, nil
}

// manner takes over how the tables are interpolated and extrapolated.
func (s *sheet) manner(main *npssTable, all []*npssTable) {
	axes := main.axes()
	interp := func(axis string) perfmap.Interp {
		known := []perfmap.Interp{perfmap.Linear, perfmap.Lagrange2, perfmap.Lagrange3}
		return wordOf(s, axis+".interp", main.interp[axis], known, "", "monotone")
	}
	extrap := func(axis string) perfmap.Continuation {
		known := []perfmap.Continuation{perfmap.Chord, perfmap.Hold}
		return wordOf(s, axis+".extrap", main.extrap[axis], known, perfmap.Chord, "linear")
	}
	alpha, nc, x := interp(axes[0]), interp(axes[1]), interp(axes[2])
	if s.Interp = cmp.Or(nc, x); s.Interp == "" {
		s.note("the file states no interpolation; monotone is taken")
	} else if x != "" && x != s.Interp {
		s.note("%s is interpolated %s in the file, and here %s as %s is", axes[2], x, s.Interp, axes[1])
	}
	if alpha != s.Interp {
		s.InterpAlpha = alpha
	}
	s.Extrap = perfmap.Extrap{Alpha: extrap(axes[0]), Nc: extrap(axes[1]), X: extrap(axes[2])}
	if s.Extrap.Alpha == perfmap.Hold { // as it is anyway
		s.Extrap.Alpha = ""
	}
	for _, t := range all {
		if quantity(t.name, s.Kind) == "" || t == main {
			continue
		}
		for i, a := range t.axes() {
			if t.interp[a] != main.interp[axes[i]] || t.extrap[a] != main.extrap[axes[i]] {
				s.note("table %s states another interpolation of %s than %s; that of %s is taken", t.name, a,
					main.name, main.name)
			}
		}
	}
}

// wordOf returns the word that a file states for a setting, or "" if the file states none. It replaces an unknown word
// by another word, and records a note with the name of the setting.
func wordOf[W ~string](s *sheet, of, stated string, known []W, other W, name string) W {
	w := W(strings.ToLower(stated))
	if w == "" || slices.Contains(known, w) {
		return w
	}
	s.note("%s = %q is not known; %s is taken", of, w, name)
	return other
}
