package format

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// turbine makes a turbine's map. If the limits of PR are the same for all speeds, beta becomes PR without other
// changes. Otherwise each speed line has its own pressure ratios, and the map needs one axis for all: the lines are
// brought to common pressure ratios.
func (f *gasTurbFile) turbine(s *sheet, title string) (*perfmap.Map, error) {
	for _, n := range []string{flowTable, effTable, minRatioTable, maxRatioTable} {
		if f.tables[n] == nil {
			return nil, fmt.Errorf("map %q: the table %q is missing; a turbine map has Min Pressure Ratio,"+
				" Max Pressure Ratio, Mass Flow and Efficiency", s.Name, n)
		}
	}
	flow, eff := f.tables[flowTable], f.tables[effTable]
	low, high := f.tables[minRatioTable], f.tables[maxRatioTable]
	for _, t := range []*gasTurbTable{low, high} {
		if len(t.rows) != 1 || len(t.cols) != len(flow.rows) {
			return nil, t.at.fault("%s: %d rows of %d values; it has one row with a value for each of the %d speeds",
				t.name, len(t.rows), len(t.cols), len(flow.rows))
		}
		for i, nc := range t.cols {
			if nc != flow.rows[i].nc {
				return nil, t.at.fault("%s, value %d: its speed is %g, that of row %d of Mass Flow %g",
					t.name, i+1, nc, i+1, flow.rows[i].nc)
			}
		}
	}
	lo, hi := low.rows[0].v, high.rows[0].v
	for i := range lo {
		if !(lo[i] > 0 && hi[i] > lo[i]) || math.IsInf(hi[i], 0) {
			return nil, high.rows[0].at.fault("%s at speed %g: %g must be above the Min Pressure Ratio there, %g",
				high.name, high.cols[i], hi[i], lo[i])
		}
	}
	s.tables = []sheetTable{flow.sheet("Wp"), eff.sheet("eff")}
	s.gasTurbDesign(title)
	if slices.Min(lo) != slices.Max(lo) || slices.Min(hi) != slices.Max(hi) {
		return s.commonRatios(lo, hi)
	}
	ratio := func(beta float64) float64 { return lo[0] + beta*(hi[0]-lo[0]) }
	for _, t := range []*gasTurbTable{flow, eff} {
		for k, beta := range t.cols { // shared by all rows
			t.cols[k] = ratio(beta)
		}
	}
	s.Design.X = ratio(s.Design.X)
	s.XName = "PR"
	return s.build()
}

// commonRatios makes a map over PR from a map over beta whose pressure ratios differ from speed to speed. Values on
// each line come from the monotone cubic in PR; beyond its ends they keep the value at the end.
func (s *sheet) commonRatios(lo, hi []float64) (*perfmap.Map, error) {
	s.XName = "beta"
	byBeta, err := s.build()
	if err != nil {
		return nil, err
	}
	const finer = 2
	beta := byBeta.X
	least, most := slices.Min(lo), slices.Max(hi)
	c := *byBeta
	c.X = numeric.Ramp(least, most, finer*(len(beta)-1))
	c.XName = "PR"
	c.Tables = []perfmap.Table{{Name: "Wp"}, {Name: "eff"}}
	pr, slope := make([]float64, len(beta)), make([]float64, len(beta))
	for t := range c.Tables {
		for r := range c.Nc {
			for k, b := range beta {
				pr[k] = lo[r] + b*(hi[r]-lo[r])
			}
			v := byBeta.Row(t, 0, r)
			numeric.Steffen(pr, v, slope)
			for _, x := range c.X {
				c.Tables[t].V = append(c.Tables[t].V, numeric.Cubic(pr, v, slope, x))
			}
		}
	}
	d := byBeta.Design
	limit := func(v []float64) float64 { return polygonHeld(c.Nc, v, d.Nc) }
	c.Design = perfmap.Point{Nc: d.Nc, X: limit(lo) + d.X*(limit(hi)-limit(lo))}
	m, err := perfmap.New(c)
	if err != nil {
		return nil, err
	}
	worst := 0.0
	for t := range m.Tables {
		for r, nc := range m.Nc {
			for k, v := range byBeta.Row(t, 0, r) {
				got, _ := m.Value(m.Tables[t].Name, perfmap.Point{Nc: nc, X: lo[r] + beta[k]*(hi[r]-lo[r])})
				worst = max(worst, math.Abs(got.V-v)/max(math.Abs(v), 1e-9))
			}
		}
	}
	m.Origin.Notes = append(m.Origin.Notes, fmt.Sprintf(
		"the limits of the pressure ratio differ from speed to speed; the lines were brought to %d common pressure "+
			"ratios, held at their ends, within %.2g %% of the file's points", len(m.X), 100*worst))
	return m, nil
}

func polygonHeld(x, y []float64, u float64) float64 {
	if len(x) == 1 {
		return y[0]
	}
	return polygon(x, y, numeric.Clamp(u, x))
}
