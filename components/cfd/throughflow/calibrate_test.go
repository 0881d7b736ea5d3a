package throughflow

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// calibrate finds the Calibration with which the case has the pressure ratio pr
// and the efficiency eff at the mass flow w, kg/s: the deviation offset and the
// loss factor by which one known point corrects the correlations. The case's exit
// condition and calibration are not used. Newton's method with difference quotients; about ten runs.
func calibrate(ctx context.Context, c Case, w, pr, eff float64) (Calibration, error) {
	const (
		rounds    = 8
		deviation = 0.2 * degree
		loss      = 0.02
		close     = 2e-5
	)
	point := func(k Calibration) (p, e float64, err error) {
		c.Exit = march.Exit{At: c.Exit.At, W: w}
		c.Settings.Calibration = k
		s, err := New(c)
		if err != nil {
			return 0, 0, err
		}
		r, err := s.Run(ctx, nil)
		if err != nil {
			return 0, 0, err
		}
		if r.Status != march.Converged {
			return 0, 0, fmt.Errorf("throughflow: calibration to %g kg/s: run with deviation %+.3g deg, loss %+.3g: %s: %s", w, k.Deviation/degree, k.Loss, r.Status, r.Message)
		}
		return r.PR - pr, r.Eff - eff, nil
	}
	var k Calibration
	for range rounds {
		p0, e0, err := point(k)
		if err != nil {
			return k, err
		}
		if math.Abs(p0) < close && math.Abs(e0) < close {
			return k, nil
		}
		pd, ed, err := point(Calibration{k.Deviation + deviation, k.Loss})
		if err != nil {
			return k, err
		}
		pl, el, err := point(Calibration{k.Deviation, k.Loss + loss})
		if err != nil {
			return k, err
		}
		a, b := (pd-p0)/deviation, (pl-p0)/loss
		d, e := (ed-e0)/deviation, (el-e0)/loss
		det := a*e - b*d
		if det == 0 {
			return k, fmt.Errorf("throughflow: calibration to %g kg/s, PR %g, eff %g: deviation and loss do not act apart", w, pr, eff)
		}
		k.Deviation += bound((b*e0-e*p0)/det, 3*degree)
		k.Loss += bound((d*p0-a*e0)/det, 0.3)
	}
	return k, fmt.Errorf("throughflow: no calibration to %g kg/s, PR %g, eff %g in %d rounds; last deviation %+.3g deg, loss %+.3g", w, pr, eff, rounds, k.Deviation/degree, k.Loss)
}

func bound(x, by float64) float64 { return min(max(x, -by), by) }
