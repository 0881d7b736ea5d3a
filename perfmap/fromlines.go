package perfmap

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Line is a speed line of solver runs.
type Line struct {
	Nc     float64
	Points []LinePoint // in any order
}

// LinePoint is the result of a run.
type LinePoint struct {
	Values  map[string]float64 // "Wc", "PR", "eff" and further tables
	Run     string             // name of the run
	Answer  string             // key of its answer in the cache; may be empty
	Steered bool               // see [OriginPoint]
	Error   float64            // estimated relative error of the values
}

// LineOptions holds the properties that do not follow from the runs of [FromLines].
type LineOptions struct {
	Alpha    float64           // stator setting of all runs
	Design   *Point            // where the map is scaled; nil: best efficiency on the line nearest to Nc = 1
	Stall    bool              // the first point of every line is its stall point
	Source   string            // name of the solver, for the origin
	Versions map[string]string // program or plugin -> version, for the origin
}

// LineError is a fault of a speed line or of a run on it.
type LineError struct {
	Nc  float64
	Run string // empty: the line as a whole
	Msg string
}

func (e *LineError) Error() string {
	if e.Run != "" {
		return fmt.Sprintf("speed line Nc %g, run %s: %s", e.Nc, e.Run, e.Msg)
	}
	return fmt.Sprintf("speed line Nc %g: %s", e.Nc, e.Msg)
}

// minLinePoints is the least number of points that show a line's curvature.
const minLinePoints = 3

// FromLines makes the map of a compressor from speed lines of solver runs. The lines may have different numbers of
// points, because some runs may have failed, but need at least three each. On every line a point's place is
//
//	k     = ln(Wc^2/PR)
//	Rline = 1 + (k - k_first)/(k_last - k_first)
//
// PR/Wc^2 is the throttle resistance of the machine. A throttle line crosses a characteristic only once, also if the
// characteristic is flat or vertical, or falls towards stall. So Rline rises from the point nearest to stall (1) to the
// most open point (2). The map's Rline axis is the union of all lines' places, so that the map reproduces every run. A
// line is a monotone cubic between its own points.
//
// Of several points at one place, the point with the smallest error is used. The result does not depend on the order of
// lines and points. One line is enough: see [LineTolerance] for the use of such a map at other speeds.
//
// Errors about a line or run are of type [*LineError], about the map of type [*Error].
func FromLines(name string, lines []Line, opt LineOptions) (*Map, error) {
	sorted, err := placeLines(lines)
	if err != nil {
		return nil, fmt.Errorf("map %q: %w", name, err)
	}
	return fromPlaced(context.Background(), name, sorted, opt)
}

// fromPlaced is FromLines with the lines in order.
func fromPlaced(ctx context.Context, name string, sorted []placedLine, opt LineOptions) (*Map, error) {
	tables, err := commonTables(sorted)
	if err != nil {
		return nil, fmt.Errorf("map %q: %w", name, err)
	}
	m := Map{
		Name: name, Kind: Compressor, Alpha: []float64{opt.Alpha}, XName: "Rline", X: unionOfPlaces(sorted),
		Origin: &Origin{Method: "lines", Source: opt.Source, Versions: maps.Clone(opt.Versions)},
	}
	for _, l := range sorted {
		m.Nc = append(m.Nc, l.nc)
		for i, p := range l.points {
			m.Origin.Points = append(m.Origin.Points, OriginPoint{Nc: l.nc, X: l.place[i], Run: p.Run, Error: p.Error,
				Answer: p.Answer, Steered: p.Steered})
		}
	}
	for _, t := range tables {
		table := Table{Name: t}
		for _, l := range sorted {
			table.V = append(table.V, l.resample(t, m.X)...)
		}
		m.Tables = append(m.Tables, table)
	}
	if opt.Stall {
		stall := lineStall
		m.Stall = &stall
	}
	m.Design = bestPoint(&m)
	if opt.Design != nil {
		m.Design = *opt.Design
	}
	return newMap(ctx, m)
}

// placedLine is a line in order, with the place of each point.
type placedLine struct {
	nc     float64
	points []LinePoint
	place  []float64
}

// placeLines joins lines of equal speed, sorts lines and points, and places the points.
func placeLines(lines []Line) ([]placedLine, error) {
	bySpeed := map[float64][]LinePoint{}
	for _, l := range lines {
		bySpeed[l.Nc] = append(bySpeed[l.Nc], l.Points...)
	}
	if len(bySpeed) == 0 {
		return nil, fmt.Errorf("no speed lines")
	}
	var out []placedLine
	for _, nc := range slices.Sorted(maps.Keys(bySpeed)) {
		l, err := placeLine(nc, bySpeed[nc])
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

func placeLine(nc float64, points []LinePoint) (placedLine, error) {
	if !numeric.Finite(nc) || nc <= 0 {
		return placedLine{}, &LineError{Nc: nc, Msg: "the speed must be above 0"}
	}
	for _, p := range points {
		for _, t := range slices.Sorted(maps.Keys(p.Values)) {
			if v := p.Values[t]; !numeric.Finite(v) {
				return placedLine{}, &LineError{Nc: nc, Run: p.Run, Msg: fmt.Sprintf("%s is %g", t, v)}
			}
		}
		for _, t := range []string{"Wc", "PR", "eff"} {
			if _, ok := p.Values[t]; !ok {
				return placedLine{}, &LineError{Nc: nc, Run: p.Run, Msg: "has no " + t}
			}
		}
		if !(p.Values["Wc"] > 0) || !(p.Values["PR"] > 0) {
			return placedLine{}, &LineError{
				Nc: nc, Run: p.Run, Msg: fmt.Sprintf("Wc %g and PR %g must be above 0", p.Values["Wc"], p.Values["PR"]),
			}
		}
	}
	key := lineKey
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b LinePoint) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.Error, b.Error), strings.Compare(a.Run, b.Run))
	})
	const same = 1e-9
	points = slices.CompactFunc(points, func(a, b LinePoint) bool { return math.Abs(key(b)-key(a)) <= same })
	if len(points) < minLinePoints {
		return placedLine{}, &LineError{
			Nc: nc, Msg: fmt.Sprintf("%d different points, needs at least %d", len(points), minLinePoints),
		}
	}
	l := placedLine{nc: nc, points: points}
	first, span := key(points[0]), key(points[len(points)-1])-key(points[0])
	for _, p := range points {
		l.place = append(l.place, 1+(key(p)-first)/span)
	}
	return l, nil
}

// lineKey returns the function k of [FromLines].
func lineKey(p LinePoint) float64 {
	return 2*math.Log(p.Values["Wc"]) - math.Log(p.Values["PR"])
}

// commonTables returns the names that every point has, in a fixed order. It fails if a point lacks the value of
// another.
func commonTables(lines []placedLine) ([]string, error) {
	names := map[string]bool{}
	for _, l := range lines {
		for _, p := range l.points {
			for t := range p.Values {
				names[t] = true
			}
		}
	}
	order := []string{"Wc", "PR", "eff", "PR_core", "eff_core"}
	rank := func(t string) int {
		if i := slices.Index(order, t); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	for _, l := range lines {
		for _, p := range l.points {
			for _, t := range sorted {
				if _, ok := p.Values[t]; !ok {
					return nil, &LineError{Nc: l.nc, Run: p.Run, Msg: "has no " + t + ", which other runs have"}
				}
			}
		}
	}
	return sorted, nil
}

func unionOfPlaces(lines []placedLine) []float64 {
	var x []float64
	for _, l := range lines {
		x = append(x, l.place...)
	}
	slices.Sort(x)
	return slices.CompactFunc(x, func(a, b float64) bool { return math.Abs(b-a) < placeTolerance })
}

// placeTolerance is the tolerance of equal places on lines.
const placeTolerance = 1e-9

func (l *placedLine) resample(table string, x []float64) []float64 {
	y, d := make([]float64, len(l.points)), make([]float64, len(l.points))
	for i, p := range l.points {
		y[i] = p.Values[table]
	}
	numeric.Steffen(l.place, y, d)
	out := make([]float64, len(x))
	for i, u := range x {
		out[i] = numeric.Cubic(l.place, y, d, u)
	}
	return out
}

// bestPoint is where efficiency is best on the line nearest to Nc = 1.
func bestPoint(m *Map) Point {
	r := 0
	for i, nc := range m.Nc {
		if math.Abs(nc-1) < math.Abs(m.Nc[r]-1) {
			r = i
		}
	}
	eff := m.Row(m.Index("eff"), 0, r)
	return Point{Alpha: m.Alpha[0], Nc: m.Nc[r], X: m.X[slices.Index(eff, slices.Max(eff))]}
}
