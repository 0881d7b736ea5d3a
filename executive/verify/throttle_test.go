package verify

import (
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// The answer is the point to which a throttle leads: from the design by flight condition first, then down in steps of 1
// % of full thrust or power. With its turbine temperature as the target, every point of that way is found again, from
// the design and from near idle in any flight condition, and no solution of less thrust and more fuel in its place.
func TestAnswersLieOnTheWayDown(t *testing.T) {
	for _, e := range orderedEngines()[:enginetest.Trials(t, 1, 6, 6)] {
		t.Run(e.name, func(t *testing.T) {
			s := e.session(t)
			p := must.Value(s.Point())(t)
			var ways []throttling
			for _, flight := range [][]float64{{0, 0.3, 40}, {13000, 0.4, 0}, {0, 0.75, 40}} { // m, Mach number, K
				ways = append(ways, e.throttle(t, s, p, flight))
			}
			for _, w := range ways {
				for _, from := range ways {
					e.askByTemperature(t, s, p, w, from.points[len(from.points)-1])
				}
			}
		})
	}
}

// throttling is an engine's way from full power in one flight condition.
type throttling struct {
	points       []orderedPoint
	temperatures []float64
}

// find solves a point from where the engine is, and returns the first shaft's speed and the temperature.
func (e *orderedEngine) find(t *testing.T, s *session.Session, p *steady.OperatingPoint, q orderedPoint,
	by orderedBy) (speed, temperature float64) {
	t.Helper()
	c := e.caseOf(&q, by)
	if _, err := p.Solve(t.Context(), &c); err != nil {
		t.Errorf("%g m, Mach %g: %.2f of full power, %g: %v", q.set[0].Value.Num, q.set[1].Value.Num, q.share,
			q.target, err)
	}
	return p.Value(s.Engine.Shafts[0].Name + ".N"), p.Value(e.envelope.Limits[0].Path)
}

// throttle walks from the design to full power in a flight condition and down to 5 % of it.
func (e *orderedEngine) throttle(t *testing.T, s *session.Session, p *steady.OperatingPoint,
	flight []float64) (w throttling) {
	w.points = e.grid(t, p, flight[:1], flight[1:2], flight[2:], 96, shareOfThrust).points
	for i := range w.points {
		speed, temperature := e.find(t, s, p, w.points[i], shareOfThrust)
		if i > 0 && speed >= w.points[i-1].speed {
			t.Errorf("%v: at %.2f of full power the speed rises", flight, w.points[i].share)
		}
		w.points[i].speed, w.temperatures = speed, append(w.temperatures, temperature)
	}
	return w
}

// askByTemperature looks for points of a way by their temperatures, from the design and from a point near idle.
func (e *orderedEngine) askByTemperature(t *testing.T, s *session.Session, p *steady.OperatingPoint, w throttling,
	idle orderedPoint) {
	least := slices.Min(w.temperatures)
	// nearer to the fold it has half the digits
	for i := 0; i < len(w.points) && w.temperatures[i] > 1.01*least; i += 9 {
		q := orderedPoint{set: w.points[i].set, share: w.points[i].share, target: w.temperatures[i]}
		for _, home := range []bool{true, false} {
			if home {
				must.OK(t, p.Home())
			} else {
				e.find(t, s, p, idle, shareOfThrust)
			}
			if speed, _ := e.find(t, s, p, q, shareOfTemperature); math.Abs(speed/w.points[i].speed-1) > 1e-7 {
				t.Errorf("%g m, Mach %g: %g K gives %g rpm (from the design: %t), on the way down %g",
					q.set[0].Value.Num, q.set[1].Value.Num, q.target, speed, home, w.points[i].speed)
			}
		}
	}
}
