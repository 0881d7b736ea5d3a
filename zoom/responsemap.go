package zoom

// A response as a map of speed lines, for files and pictures.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// The lines of a response's map: their distance in speed, their reach beyond the answers in kappa, and their number of
// points.
const (
	lineSpacing = 0.025
	lineBeyond  = 0.02
	linePoints  = 9
)

// ErrNoMap means that components of a kind have no map, zoomed or not.
var ErrNoMap = errors.New("a component of this kind works on no map")

// Chart returns the response as a map, with the bands of its lines. The lines cover the speeds of the runs, from the
// lowest to the highest kappa of them, or from the stall line where that is known.
//
// A map needs lines that do not cross. Towards stall those of a fan may nearly meet; lines from there are cut until
// they do not cross, and the map then has no stall line. If they still cross, Chart returns an error.
//
// A turbine's map has no bands, and ranges from the lowest to the highest pressure ratio. The error is ErrNoMap where
// no map is possible, and that of ctx once ctx ends.
//
// With turning vanes or blades the map has a plane at every few deg from the lowest setting of the runs to the highest,
// and the bands are of its design's plane. Its alpha is 0 at the setting of the geometry.
func (r *Response) Chart(ctx context.Context) (*perfmap.Map, []Band, error) {
	switch {
	case !r.machine.Charted():
		return nil, nil, ErrNoMap
	case !r.machine.Compresses():
		m, err := r.turbineMap()
		return m, nil, err
	}
	r = r.charted()
	speeds := r.speeds()
	var first error
	for cut := 0; cut < 20; cut++ {
		m, err := r.planes(ctx, speeds, float64(cut)/20)
		if err == nil {
			m.Origin.Points = r.origin(float64(cut) / 20)
			if m, err = anchored(m, r.machine); err != nil {
				return nil, nil, err
			}
			bands := r.bands(ctx, nearest(r.alphas(), 0), speeds)
			return m, bands, ctx.Err()
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		first = cmp.Or(first, err)
		if r.stall == nil {
			break
		}
	}
	return nil, nil, fmt.Errorf("the model of %s cannot be written as a map: %w", r.name, first)
}

// planes returns a map without a share of its lines at their stall ends.
func (r *Response) planes(ctx context.Context, speeds []float64, cut float64) (*perfmap.Map, error) {
	var all *perfmap.Map
	for _, alpha := range r.alphas() {
		var lines []perfmap.Line
		for _, nc := range speeds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			lines = append(lines, r.line(alpha, nc, cut))
		}
		m, err := perfmap.FromLines(r.name, lines,
			perfmap.LineOptions{Alpha: alpha, Source: r.source, Stall: r.stall != nil && cut == 0})
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = m
			continue
		}
		all.Alpha = append(all.Alpha, alpha)
		for i := range all.Tables { // points are at the same places on all lines
			all.Tables[i].V = append(all.Tables[i].V, m.Tables[i].V...)
		}
	}
	return perfmap.New(*all)
}

// alphaSpacing is the greatest distance between a map's settings, deg. Between them a map is linear.
const alphaSpacing = 2.5

// alphas returns the settings of the map, deg.
func (r *Response) alphas() []float64 {
	lo, hi := r.lo[2], r.hi[2]
	if hi-lo < machine.SettingStep {
		return []float64{lo}
	}
	return numeric.Ramp(lo, hi, int(math.Ceil((hi-lo)/alphaSpacing)))
}

// charted returns the response by all runs, also by runs for ends.
func (r *Response) charted() *Response {
	c := *r
	if r.whole != nil {
		c.model = r.whole
	}
	return &c
}

// Band is where a speed line may be: two standard deviations of the model to both sides, along lines of constant kappa.
// It ends where the model is extrapolated.
type Band struct{ Low, High []components.Responded }

// bands returns the bands of the lines at a setting and corrected speeds, rpm, until ctx ends.
func (r *Response) bands(ctx context.Context, alpha float64, speeds []float64) []Band {
	var list []Band
	for _, nc := range speeds {
		if ctx.Err() != nil {
			return nil
		}
		var b Band
		lo, hi := covered(r.model.Answers(), nc/r.machine.Nc)
		from, _ := r.kappas(alpha, nc)
		lo = max(lo, from)
		if !(lo < hi) {
			continue
		}
		for _, x := range numeric.Ramp(lo, hi, bandPieces) {
			var v components.Responded
			r.At(alpha, nc, x, &v)
			d := 2 * r.Deviations(machine.RunPoint{Nu: nc / r.machine.Nc, Kappa: x, Alpha: alpha})[0]
			b.Low, b.High = append(b.Low, moved(v, -d)), append(b.High, moved(v, d))
		}
		list = append(list, b)
	}
	return list
}

// covered returns the lowest and the highest kappa at a speed, as a fraction of the design speed, that lie between
// runs: the convex hull of the runs' speeds and kappas. At speeds beyond all runs, lo is greater than hi.
func covered(runs []surrogate.Observation, nu float64) (lo, hi float64) {
	const same = 1e-6
	lo, hi = math.Inf(1), math.Inf(-1)
	add := func(kappa float64) { lo, hi = min(lo, kappa), max(hi, kappa) }
	for _, a := range runs {
		if math.Abs(a.X[0]-nu) < same {
			add(a.X[1])
		}
		for _, b := range runs {
			if a.X[0] < nu && nu < b.X[0] {
				add(a.X[1] + (b.X[1]-a.X[1])*(nu-a.X[0])/(b.X[0]-a.X[0]))
			}
		}
	}
	return lo, hi
}

// bandPieces is the number of pieces of a band's sides.
const bandPieces = 60

// moved returns a point with ln Wc changed at constant kappa.
func moved(v components.Responded, by float64) components.Responded {
	v.Wc *= math.Exp(by)
	v.PR[0] *= math.Exp(2 * by)
	return v
}

// speeds returns the speeds of the map's lines, rpm: the speeds of known stall ends, or else equal distances.
func (r *Response) speeds() []float64 {
	if r.stall != nil {
		var list []float64
		for _, a := range r.stall.model.Answers() {
			if !slices.ContainsFunc(list, func(nu float64) bool { return math.Abs(nu-a.X[0]) < lineSpacing/5 }) {
				list = append(list, a.X[0])
			}
		}
		if slices.Min(list)-r.lo[0] > lineSpacing {
			list = append(list, r.lo[0])
		}
		if r.hi[0]-slices.Max(list) > lineSpacing {
			list = append(list, r.hi[0])
		}
		slices.Sort(list)
		for i, nu := range list {
			list[i] = numeric.Round(nu*r.machine.Nc, 9)
		}
		return list
	}
	n := 1 + int(math.Ceil((r.hi[0]-r.lo[0])/lineSpacing-1e-9))
	var list []float64
	for i := range n {
		nu := r.lo[0]
		if n > 1 {
			nu += (r.hi[0] - r.lo[0]) * float64(i) / float64(n-1)
		}
		list = append(list, numeric.Round(nu*r.machine.Nc, 9))
	}
	return list
}

// turbineMap returns the response of a turbine as a map.
func (r *Response) turbineMap() (*perfmap.Map, error) {
	m := perfmap.Map{
		Name: r.name, Kind: perfmap.Turbine, XName: "PR", Nc: r.speeds(),
		Tables: []perfmap.Table{{Name: "Wp"}, {Name: "eff"}},
		Origin: &perfmap.Origin{Method: "lines", Source: r.source},
	}
	m.Alpha = r.alphas()
	lo, hi := r.kappas(0, r.machine.Nc)
	for i := range linePoints {
		m.X = append(m.X, math.Exp(lo+(hi-lo)*float64(i)/(linePoints-1)))
	}
	var v components.Responded
	for _, alpha := range m.Alpha {
		for _, nc := range m.Nc {
			for _, pr := range m.X {
				r.At(alpha, nc, pr, &v)
				m.Tables[0].V, m.Tables[1].V = append(m.Tables[0].V, v.Wc), append(m.Tables[1].V, v.Eff[0])
			}
		}
	}
	for _, a := range r.model.Answers() {
		m.Origin.Points = append(m.Origin.Points, perfmap.OriginPoint{Nc: a.X[0] * r.machine.Nc, X: math.Exp(a.X[1]),
			Run: a.Key, Error: a.Noise[machine.OutputEff], Answer: a.Source, Steered: a.Steered})
	}
	m.Design = perfmap.Point{Alpha: nearest(m.Alpha, 0), Nc: min(max(r.machine.Nc, m.Nc[0]), numeric.Last(m.Nc)),
		X: min(max(r.machine.PR, m.X[0]), numeric.Last(m.X))}
	return perfmap.New(m)
}

// origin returns the runs with their places on the map, and the errors that they state themselves.
func (r *Response) origin(cut float64) []perfmap.OriginPoint {
	var list []perfmap.OriginPoint
	for _, a := range r.model.Answers() {
		lo, hi := r.kappas(machine.PointAt(a.X).Alpha, a.X[0]*r.machine.Nc)
		if lo += cut * (hi - lo); a.X[1] < lo || a.X[1] > hi {
			continue
		}
		list = append(list, perfmap.OriginPoint{Nc: a.X[0] * r.machine.Nc, X: 1 + (a.X[1]-lo)/(hi-lo), Run: a.Key,
			Error: a.Noise[machine.OutputEff], Answer: a.Source, Steered: a.Steered})
	}
	return list
}

// kappas returns the ends of the map's line at a setting and a corrected speed, rpm.
func (r *Response) kappas(alpha, nc float64) (lo, hi float64) {
	lo, hi = r.lo[1]-lineBeyond, r.hi[1]+lineBeyond
	if wc, pr, ok := r.StallAt(alpha, nc); ok {
		lo = math.Log(wc * wc / pr)
	}
	return lo, hi
}

// line returns the response at a setting and a corrected speed, rpm, without a share of it at its stall end.
func (r *Response) line(alpha, nc, cut float64) perfmap.Line {
	l := perfmap.Line{Nc: nc}
	lo, hi := r.kappas(alpha, nc)
	lo += cut * (hi - lo)
	var v components.Responded
	for i := range linePoints {
		x := lo + (hi-lo)*float64(i)/(linePoints-1)
		r.At(alpha, nc, x, &v)
		p := perfmap.LinePoint{
			Values: map[string]float64{"Wc": v.Wc, "PR": v.PR[0], "eff": v.Eff[0]},
		}
		if r.machine.Split > 0 {
			p.Values["PR_core"], p.Values["eff_core"] = v.PR[1], v.Eff[1]
		}
		l.Points = append(l.Points, p)
	}
	return l
}
