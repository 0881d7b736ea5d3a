package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// This file makes the curves of a sweep's pictures from its rows. sweepdraw.go draws them.

// picture is a plot of a sweep.
type picture struct {
	title    string
	note     string // points that are missing or extrapolated
	x, y     string // labels of the axes; the abscissa of a carpet plot has none
	families []family
}

// family holds the curves along one axis of a sweep, a curve for each value of another axis.
type family struct {
	name   string // "ambient.mach", with its unit; empty: a single curve
	curves []curve
}

type curve struct {
	value string // of the family's axis
	runs  [][]spot
}

// spot is a solved point. Beyond marks a point that needed an extrapolated map. A curve has a gap at points that did
// not converge.
type spot struct {
	x, y   float64
	beyond bool
}

// pictures makes the pictures of one entry of `plot`, one for each combination of values of the axes that a picture
// does not show.
func (r sweepReport) pictures(p config.Plot, sys unit.System) []picture {
	v := r.view(sys)
	v.p, v.iy = p, r.column(p.Y)
	v.axes()
	var rest []int
	for i := range v.grid {
		if i != v.along && i != v.across {
			rest = append(rest, i)
		}
	}
	var list []picture
	place := make([]int, len(v.grid))
	for {
		list = append(list, v.picture(place, rest))
		i := len(rest) - 1
		for ; i >= 0; i-- {
			if place[rest[i]]++; place[rest[i]] < v.grid[rest[i]] {
				break
			}
			place[rest[i]] = 0
		}
		if i < 0 {
			return list
		}
	}
}

// view is an entry of `plot` while its pictures are made.
type view struct {
	r      sweepReport
	sys    unit.System
	p      config.Plot
	grid   sweep.Lattice
	iy     int
	ix     int  // -1: a carpet plot
	along  int  // the axis whose values make a curve
	across int  // the axis that has a curve for each value; -1: none
	both   bool // curves along the second axis as well
}

func (r sweepReport) view(sys unit.System) view {
	v := view{r: r, sys: sys}
	for _, a := range r.Sweep.Over {
		v.grid = append(v.grid, len(a.Values))
	}
	return v
}

// column is the index of a column.
func (r sweepReport) column(path string) int {
	return slices.IndexFunc(r.Sweep.Columns(), func(q config.Quantity) bool { return q.Path == path })
}

// axes finds the axes along which curves run. If the plot has an axis of the sweep as x or y, curves run along that
// axis. A plot of one result over another has curves along the last axis, and also along the axis before it unless the
// entry gives `lines`.
func (v *view) axes() {
	sw := v.r.Sweep
	v.ix, v.across = -1, -1
	if v.p.X != "" {
		v.ix = v.r.column(v.p.X)
	}
	last := func(not ...int) int {
		for i := len(v.grid) - 1; i >= 0; i-- {
			if !slices.Contains(not, i) {
				return i
			}
		}
		return -1
	}
	fixed := max(sw.Axis(v.p.X), sw.Axis(v.p.Y)) // at most one is an axis
	if v.p.Lines != "" {
		v.across = sw.Axis(v.p.Lines)
	}
	switch {
	case fixed >= 0:
		v.along = fixed
		if v.across < 0 {
			v.across = last(fixed)
		}
	case v.across >= 0:
		v.along = last(v.across)
	default:
		v.along = last()
		v.across = last(v.along)
		v.both = v.across >= 0
	}
}

// picture makes a picture. Place has the values of the axes in rest, which the picture does not show.
func (v *view) picture(place, rest []int) picture {
	sw := v.r.Sweep
	pic := picture{title: v.r.Engine + ": " + sw.Name, y: v.label(v.iy)}
	var at []string
	for _, i := range rest {
		at = append(at, v.name(i)+" "+v.value(i, place[i]))
	}
	if len(at) > 0 {
		pic.title += ", " + strings.Join(at, ", ")
	}
	x := v.abscissa(place)
	if v.ix >= 0 {
		pic.x = v.label(v.ix)
	}
	pic.families = append(pic.families, v.family(place, v.along, v.across, x))
	if v.both {
		pic.families = append(pic.families, v.family(place, v.across, v.along, x))
	}
	pic.note = v.note(place)
	return pic
}

// note counts the points that are missing, and explains the hollow marks.
func (v *view) note(place []int) string {
	all, left, beyond := 0, 0, 0
	v.each(place, func(row *sweep.Row) {
		all++
		switch {
		case !row.Converged:
			left++
		case len(row.Extrapolated) > 0:
			beyond++
		}
	})
	var list []string
	if left > 0 {
		list = append(list, fmt.Sprintf("%d of %d points did not converge and are left out", left, all))
	}
	if beyond > 0 {
		list = append(list, "hollow marks: a map was extrapolated")
	}
	return strings.Join(list, "; ")
}

// shownIn returns the display unit of a flight condition or a quantity of a sweep. Their lengths are altitudes: in
// imperial units they are in feet, not inches.
func shownIn(sys unit.System, dim unit.Dimension) unit.Unit {
	if sys != unit.Imperial || dim != unit.Length {
		return sys.Of(dim)
	}
	ft, err := unit.New("ft", unit.Length)
	if err != nil {
		panic(err) // a foot is a length
	}
	return ft
}

// label names a column with its unit, for an axis of the plot.
func (v *view) label(column int) string {
	q := v.r.Sweep.Columns()[column]
	name := v.r.names()[column]
	if name == q.Path {
		name = axisTitle(q.Path)
	}
	if u := shownIn(v.sys, q.Dim).Name(); u != "" {
		return name + ", " + u
	}
	return name
}

// name is the name of an axis in titles and legends.
func (v *view) name(axis int) string { return v.r.names()[axis] }

// value writes a value of an axis with its unit.
func (v *view) value(axis, i int) string {
	a := v.r.Sweep.Over[axis]
	u := shownIn(v.sys, a.Dim)
	text := unit.Brief(u.FromSI(a.Values[i]))
	if u.Name() != "" {
		text += " " + u.Name()
	}
	return text
}

// at returns a row of the plane that a picture shows.
func (v *view) at(place []int, along, across int) *sweep.Row {
	p := slices.Clone(place)
	p[v.along] = along
	if v.across >= 0 {
		p[v.across] = across
	}
	return &v.r.Rows[v.grid.Index(p)]
}

// each calls f with every row of the plane that a picture shows.
func (v *view) each(place []int, f func(row *sweep.Row)) {
	n := 1
	if v.across >= 0 {
		n = v.grid[v.across]
	}
	for j := range n {
		for i := range v.grid[v.along] {
			f(v.at(place, i, j))
		}
	}
}

// family makes the curves along one axis of the plane, at the values of the other axis.
func (v *view) family(place []int, along, across int, x func(along, across int, row *sweep.Row) float64) family {
	f := family{}
	n := 1
	if across >= 0 {
		n = v.grid[across]
		f.name = v.name(across)
	}
	y := shownIn(v.sys, v.r.Sweep.Columns()[v.iy].Dim)
	order := ascending(v.r.Sweep.Over[along].Values)
	for j := range n {
		c := curve{}
		if across >= 0 {
			c.value = v.value(across, j)
		}
		var run []spot
		for _, i := range order {
			a, b := i, j
			if along != v.along {
				a, b = j, i
			}
			row := v.at(place, a, b)
			px, py := x(a, b, row), y.FromSI(row.Values[v.iy])
			if !row.Converged || !numeric.Finite(px) || !numeric.Finite(py) {
				if len(run) > 0 {
					c.runs = append(c.runs, run)
				}
				run = nil
				continue
			}
			run = append(run, spot{px, py, len(row.Extrapolated) > 0})
		}
		if len(run) > 0 {
			c.runs = append(c.runs, run)
		}
		f.curves = append(f.curves, c)
	}
	return f
}

// ascending returns the indices of values in ascending order: the user may give any order.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// abscissa returns the function that gives a row's x: a column, or the position in a carpet
// plot.
func (v *view) abscissa(place []int) func(along, across int, row *sweep.Row) float64 {
	if v.ix >= 0 {
		u := shownIn(v.sys, v.r.Sweep.Columns()[v.ix].Dim)
		return func(_, _ int, row *sweep.Row) float64 { return u.FromSI(row.Values[v.ix]) }
	}
	s, t := share(v.r.Sweep.Over[v.along].Values), share(v.r.Sweep.Over[v.across].Values)
	offset := v.offset(place, s, t)
	return func(along, across int, _ *sweep.Row) float64 { return s[along] + offset*t[across] }
}

// share scales values to the range 0 to 1.
func share(values []float64) []float64 {
	lo, hi := slices.Min(values), slices.Max(values)
	out := make([]float64, len(values))
	for i, v := range values {
		if hi > lo {
			out[i] = (v - lo) / (hi - lo)
		}
	}
	return out
}

// offset returns the shift of a carpet plot's abscissa along its second axis,
//
//	x = s + offset t, with s and t from 0 to 1 along the axes
//
// A fixed offset can fold the carpet into a line. So offset tries several values and takes the value with the largest
// area between the lines relative to the width. Shifts to the right, which are usual, come first; a later value must be
// better by 10 %.
func (v *view) offset(place []int, s, t []float64) float64 {
	best, widest := 0.5, 0.0
	a, b := ascending(v.r.Sweep.Over[v.along].Values), ascending(v.r.Sweep.Over[v.across].Values)
	for _, k := range []float64{0.5, 0.35, 0.75, 1, -0.5, -0.35, -0.75, -1} {
		area := 0.0
		corner := func(i, j int) (x, y float64) {
			return s[a[i]] + k*t[b[j]], v.at(place, a[i], b[j]).Values[v.iy]
		}
		for i := 1; i < len(a); i++ {
			for j := 1; j < len(b); j++ {
				x0, y0 := corner(i-1, j-1)
				x1, y1 := corner(i, j-1)
				x2, y2 := corner(i, j)
				x3, y3 := corner(i-1, j)
				// Half the cross product of the diagonals.
				if c := math.Abs((x2-x0)*(y3-y1)-(x3-x1)*(y2-y0)) / 2; numeric.Finite(c) {
					area += c
				}
			}
		}
		if area /= 1 + math.Abs(k); area > 1.1*widest {
			best, widest = k, area
		}
	}
	return best
}

// axisTitle names the quantity of a path for the axis of a picture: performance.Fn is "net thrust Fn", burner.out.Tt is
// "burner.out total temperature Tt". A path of a component's own parameter or output is returned as it is.
func axisTitle(path string) string {
	words := strings.Split(path, ".")
	field := words[len(words)-1]
	if len(words) == 2 && words[0] == "performance" {
		for _, q := range quantity.Performance {
			if q.Name == field {
				return brief(q.Doc) + " " + field
			}
		}
	}
	if len(words) == 3 {
		if f := flow.FieldOf(field); f != nil {
			return words[0] + "." + words[1] + " " + brief(f.Doc) + " " + field
		}
	}
	return path
}

// brief is the first phrase of a quantity's sentence.
func brief(doc string) string {
	if i := strings.IndexAny(doc, ",:"); i > 0 {
		return doc[:i]
	}
	return doc
}
