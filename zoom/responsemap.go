package zoom

import (
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

// Map is the response as a map: lines over the speeds of the runs, and from the least to the greatest kappa of them.
// A map needs lines that do not cross; where those of the response do, the error says so.
func (r *Response) Map() (*perfmap.Map, error) {
	n := 1 + int(math.Ceil((r.hi[0]-r.lo[0])/lineSpacing-1e-9))
	var lines []perfmap.Line
	for i := range n {
		nu := r.lo[0]
		if n > 1 {
			nu += (r.hi[0] - r.lo[0]) * float64(i) / float64(n-1)
		}
		lines = append(lines, r.line(numeric.Round(nu*r.machine.Nc, 9)))
	}
	m, err := perfmap.FromLines(r.name, lines, perfmap.LineOptions{Source: r.source})
	if err != nil {
		return nil, fmt.Errorf("the model of %s cannot be written as a map: %w", r.name, err)
	}
	m.Origin.Points = r.origin()
	return anchored(m, r.machine)
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
