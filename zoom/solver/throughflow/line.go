package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// A speed line is a series of exit conditions between choking and stall, made by throttle constants. Their parabolas Ps
// = K W^2 cross the line once at any slope, but a given pressure has two flows below the line's peak and none above.

// DesignThrottle estimates the throttle constant, Pa s2/kg2, at which the exit passes the mass flow w, kg/s, at
// total-pressure ratio pr and total-temperature ratio tr (of mass averages), with the exit swirl that this work needs:
//
//	Vtheta = (cp (tr - 1) Tt1)/(omega r), Vm from continuity at the mean radius.
func (c Case) DesignThrottle(w, pr, tr float64) (float64, error) {
	c.Settings = c.Settings.withDefaults(c.rows())
	if c.Exit.K == 0 && c.Exit.Ps == 0 && c.Exit.W == 0 {
		c.Exit.W = w // only to pass the check
	}
	if err := c.check(); err != nil {
		return 0, march.Named(solverName, err)
	}
	if !(w > 0 && pr > 0 && tr > 0) || math.IsInf(w*pr*tr, 0) {
		return 0, march.Named(solverName, march.Bad("DesignThrottle", "W %g kg/s, PR %g, TR %g; want all more than 0",
			w, pr, tr))
	}
	pt1, tt1 := mean(c.Inlet.Pt), mean(c.Inlet.Tt)
	_, z := c.Geometry.Ends()
	hub, casing := c.Geometry.Hub.At(z), c.Geometry.Casing.At(z)
	r := math.Sqrt((hub*hub + casing*casing) / 2)
	swirl := 0.0
	if c.N > 0 {
		swirl = c.Gas.Cp() * (tr - 1) * tt1 / (c.N * math.Pi / 30 * r)
	}
	p := &path{gas: c.Gas, pt0: pt1 * pr, tt0: tt1 * tr, tt: tt1 * tr, vt: swirl * r}
	ts, rho := p.statics(w/(math.Pi*(casing*casing-hub*hub)), r)
	return rho * c.Gas.R * ts / (w * w), nil
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
