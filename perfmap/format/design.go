package format

import (
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// alphaNames are the names that NPSS's elements have had for the design stator setting.
var alphaNames = []string{"alphaMapDes", "parmGeomDes"}

// stated returns the first of some names' values that a file's scalars hold.
func stated(scalars map[string]float64, names []string) (float64, bool) {
	for _, n := range names {
		if v, ok := scalars[strings.ToLower(n)]; ok {
			return v, true
		}
	}
	return 0, false
}

// designOf takes the design point and the stall line from the file's scalars,
// under the names that NPSS's map elements have had.
func (s *sheet) designOf(scalars map[string]float64) {
	find := func(what string, fallback float64, names ...string) float64 {
		if v, ok := stated(scalars, names); ok {
			return v
		}
		if what != "" {
			s.note("the file states no design %s; %s is taken", what, numeric.Text(fallback))
		}
		return fallback
	}
	rows := s.tables[0].rows
	var alpha, nc, x float64
	if len(rows) > 0 {
		alpha, nc = rows[0].alpha, usual(func(r int) float64 { return rows[r].nc }, len(rows), 1, 100)
		x = usual(func(i int) float64 { return rows[0].x[i] }, len(rows[0].x),
			map[perfmap.Kind]float64{perfmap.Compressor: 2}[s.Kind])
	}
	s.Design = perfmap.Point{
		Alpha: find("", alpha, alphaNames...),
		Nc:    find("speed", nc, "NcMapDes", "NpMapDes", "parmNcDes"),
		X:     find(s.XName, x, "RlineMapDes", "betaMapDes", "PRmapDes", "parmMapDes", s.XName+"Des"),
	}
	if v, ok := scalars["rlinestall"]; ok && s.Kind == perfmap.Compressor {
		s.Stall = &v
	}
}

// usual returns the first of the wanted values that lies between the ends of an
// axis, or else the axis' middle value.
func usual(axis func(i int) float64, n int, wanted ...float64) float64 {
	if n == 0 {
		return math.NaN()
	}
	for _, w := range wanted {
		if w >= axis(0) && w <= axis(n-1) {
			return w
		}
	}
	return axis(n / 2)
}
