package zoom

import (
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// The lines of a response's map: how far they are apart in speed, how far they go beyond the answers in kappa, and how many
// points they have.
const (
	lineSpacing = 0.025
	lineBeyond  = 0.02
	linePoints  = 9
)

// ErrNoMap means that components of a kind have no map, zoomed or not.
var ErrNoMap = errors.New("a component of this kind works on no map")

// Map is the response as a map: lines over the speeds of the runs, and from the least to the greatest kappa of them, or
// pressure ratio of a turbine. A compressor's map needs lines that do not cross; where those of the response do, the error
// says so. It is ErrNoMap where there can be no map.
func (r *Response) Map() (*perfmap.Map, error) {
	switch r.machine.kind().(type) {
	case lawful:
		return nil, ErrNoMap
	case expansion:
		return r.turbineMap()
	}
	var lines []perfmap.Line
	for _, nc := range r.speeds() {
		lines = append(lines, r.line(nc))
	}
	m, err := perfmap.FromLines(r.name, lines, perfmap.LineOptions{Source: r.source})
	if err != nil {
		return nil, fmt.Errorf("the model of %s cannot be written as a map: %w", r.name, err)
	}
	m.Origin.Points = r.origin()
	return anchored(m, r.machine)
}

// speeds are those of the map's lines, rpm.
func (r *Response) speeds() (list []float64) {
	n := 1 + int(math.Ceil((r.hi[0]-r.lo[0])/lineSpacing-1e-9))
	for i := range n {
		nu := r.lo[0]
		if n > 1 {
			nu += (r.hi[0] - r.lo[0]) * float64(i) / float64(n-1)
		}
		list = append(list, numeric.Round(nu*r.machine.Nc, 9))
	}
	return list
}

// turbineMap is the response of a turbine as a map.
func (r *Response) turbineMap() (*perfmap.Map, error) {
	m := perfmap.Map{
		Name: r.name, Kind: perfmap.Turbine, Alpha: []float64{0}, XName: "PR", Nc: r.speeds(),
		Tables: []perfmap.Table{{Name: "Wp"}, {Name: "eff"}}, Origin: &perfmap.Origin{Method: "lines", Source: r.source},
	}
	lo, hi := r.kappas()
	for i := range linePoints {
		m.X = append(m.X, math.Exp(lo+(hi-lo)*float64(i)/(linePoints-1)))
	}
	var v components.Responded
	for _, nc := range m.Nc {
		for _, pr := range m.X {
			r.At(nc, pr, &v)
			m.Tables[0].V, m.Tables[1].V = append(m.Tables[0].V, v.Wc), append(m.Tables[1].V, v.Eff[0])
		}
	}
	for _, a := range r.model.Answers() {
		m.Origin.Points = append(m.Origin.Points, perfmap.OriginPoint{Nc: a.X[0] * r.machine.Nc, X: math.Exp(a.X[1]), Run: a.Key, Error: a.Noise[modelEff]})
	}
	m.Design = perfmap.Point{Nc: min(max(r.machine.Nc, m.Nc[0]), numeric.Last(m.Nc)), X: min(max(r.machine.PR, m.X[0]), numeric.Last(m.X))}
	return perfmap.New(m)
}

// origin are the runs, where they are on the map; their errors are what they state of themselves.
func (r *Response) origin() []perfmap.OriginPoint {
	var list []perfmap.OriginPoint
	lo, hi := r.kappas()
	for _, a := range r.model.Answers() {
		list = append(list, perfmap.OriginPoint{Nc: a.X[0] * r.machine.Nc, X: 1 + (a.X[1]-lo)/(hi-lo), Run: a.Key, Error: a.Noise[modelEff]})
	}
	return list
}

// kappas are the ends of the map's lines.
func (r *Response) kappas() (lo, hi float64) { return r.lo[1] - lineBeyond, r.hi[1] + lineBeyond }

// line is the response at a corrected speed, rpm.
func (r *Response) line(nc float64) perfmap.Line {
	l := perfmap.Line{Nc: nc}
	lo, hi := r.kappas()
	var v components.Responded
	for i := range linePoints {
		x := lo + (hi-lo)*float64(i)/(linePoints-1)
		r.At(nc, x, &v)
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
