package verify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// orderedEngine is an engine whose envelope is walked in several orders.
type orderedEngine struct {
	name     string
	session  func(testing.TB) *session.Session
	envelope *Envelope // its limits are those of full power
	by       string    // the quantity given as a share of its value at full power
	others   []config.Balance
}

// maxima are limits, from paths and greatest values in turn.
func maxima(list ...any) []config.Limit {
	var out []config.Limit
	for i := 0; i < len(list); i += 2 {
		v := list[i+1].(float64)
		out = append(out, config.Limit{Path: list[i].(string), Max: &v})
	}
	return out
}

// exampleSession designs an engine of config/examples.
func exampleSession(name string) func(testing.TB) *session.Session {
	return func(t testing.TB) *session.Session {
		t.Helper()
		return must.Value(session.Open(t.Context(), enginetest.Edited(t, name)))(t)
	}
}

func orderedEngines() []orderedEngine {
	const fn, fuel = "performance.Fn", "burner.FAR"
	t41 := func(k float64) []config.Limit {
		return maxima("hpt.rotor.Tt", k, "fan.NcMap", 1.05, "hpc.NcMap", 1.05)
	}
	return []orderedEngine{
		{"turbofan", exampleSession("turbofan"), &Envelope{"ambient", fuel, t41(1600)}, fn, nil},
		{"geared", exampleSession("geared"), &Envelope{"ambient", fuel, t41(1750)}, fn, nil},
		{"E3", exampleSession("e3"), &Envelope{"ambient", fuel, t41(1638)}, fn, nil},
		{
			"turboshaft", exampleSession("turboshaft"),
			&Envelope{"ambient", fuel, maxima("hpt.rotor.Tt", 1500., "compressor.NcMap", 1.05)}, "load.power",
			[]config.Balance{{Vary: "load.power", Until: "power.N", Target: 20900}},
		},
		{"HBTF", hbtfSession, hbtfEnvelope(), fn, nil},
		{"JT9D", jt9dSession, jt9dEnvelope(), fn, nil},
	}
}

// orderedPoint is a point of an envelope and where it was found.
type orderedPoint struct {
	set         []config.Setting
	share       float64
	target      float64
	converged   bool
	reason      string
	speed       float64 // of the first shaft
	evaluations int
}

// orderedGrid is an envelope: by flight condition (altitude, Mach number and temperature), then by throttle
// from full power down.
type orderedGrid struct {
	altitudes, flights, throttles int
	points                        []orderedPoint
}

func (g *orderedGrid) at(altitude, flight, throttle int) *orderedPoint {
	return &g.points[(altitude*g.flights+flight)*g.throttles+throttle]
}

// orderedBy is the meaning of the throttle: a share of thrust or power from 5 to 100 %, or of the temperature that
// limits full power from 50 to 100 %.
type orderedBy int

const (
	shareOfThrust orderedBy = iota
	shareOfTemperature
)

func (e *orderedEngine) grid(t testing.TB, p *steady.OperatingPoint, altitudes, machs, temperatures []float64,
	throttles int,
	by orderedBy) *orderedGrid {
	g := &orderedGrid{altitudes: len(altitudes), flights: len(machs) * len(temperatures), throttles: throttles}
	for _, altitude := range altitudes {
		for _, mach := range machs {
			for _, dts := range temperatures {
				set := inFlight(e.envelope.Ambient, altitude, mach, dts)
				limits := e.envelope.Limits
				full := config.Case{Name: "full power", Set: set, Limits: limits,
					Solve: append([]config.Balance{
						{Vary: e.envelope.Vary, Until: limits[0].Path, Target: *limits[0].Max},
					}, e.others...)}
				must.OK(t, p.Home())
				if _, err := p.Solve(context.Background(), &full); err != nil {
					t.Fatalf("%s: full power at %g m, Mach %g, %+g K: %v", e.name, altitude, mach, dts, err)
				}
				path, least := e.by, 0.05
				if by == shareOfTemperature {
					path, least = limits[0].Path, 0.5
				}
				for k := range throttles {
					share := 1 - (1-least)*float64(k)/float64(throttles-1)
					g.points = append(g.points, orderedPoint{set: set, share: share, target: share * p.Value(path)})
				}
			}
		}
	}
	return g
}

// caseOf is a point as a case.
func (e *orderedEngine) caseOf(q *orderedPoint, by orderedBy) config.Case {
	c := config.Case{Name: "point", Set: q.set}
	switch {
	case by == shareOfTemperature:
		c.Solve = append([]config.Balance{{Vary: e.envelope.Vary, Until: e.envelope.Limits[0].Path, Target: q.target}},
			e.others...)
	case len(e.others) > 0: // its output is set, and the fuel holds its speed
		c.Set = append(slices.Clone(c.Set), config.Setting{Path: e.by, Value: config.Value{Num: q.target}})
		c.Solve = []config.Balance{{Vary: e.envelope.Vary, Until: e.others[0].Until, Target: e.others[0].Target}}
	default:
		c.Solve = []config.Balance{{Vary: e.envelope.Vary, Until: e.by, Target: q.target}}
	}
	return c
}

// walk solves all points in an order: cold, each from the design; by throttle or by altitude, each
// from the one before.
func (e *orderedEngine) walk(t testing.TB, s *session.Session, g *orderedGrid, by orderedBy,
	order string) *orderedGrid {
	out := &orderedGrid{g.altitudes, g.flights, g.throttles, slices.Clone(g.points)}
	p := must.Value(s.Point())(t)
	solve := func(q *orderedPoint) {
		if order == "cold" {
			must.OK(t, p.Home())
		}
		c := e.caseOf(q, by)
		info, err := p.Solve(context.Background(), &c)
		q.evaluations, q.converged = info.Evaluations, err == nil
		if err != nil {
			q.reason = err.Error()
			return
		}
		q.speed = p.Value(s.Engine.Shafts[0].Name + ".N")
	}
	turned := func(i, n int, back bool) int {
		if back {
			return n - 1 - i
		}
		return i
	}
	if order == "altitude" {
		for f := range g.flights {
			for k := range g.throttles {
				for a := range g.altitudes {
					solve(out.at(turned(a, g.altitudes, k%2 == 1), f, k))
				}
			}
		}
		return out
	}
	for a := range g.altitudes {
		for f := range g.flights {
			for k := range g.throttles {
				solve(out.at(a, f, turned(k, g.throttles, (a+f)%2 == 1)))
			}
		}
	}
	return out
}

// orderCounts are the results of walking an envelope.
type orderCounts struct {
	points, converged, differ, rise int
	evaluations, shared, most       int
	failing                         []int // evaluations of points that did not converge
}

// compare walks an envelope in three orders. Points differ if one order finds a solution and another does not, or
// speeds disagree by more than 1e-8; rise if the speed rises as the throttle falls.
func (e *orderedEngine) compare(t testing.TB, altitudes, machs, temperatures []float64, throttles int,
	by orderedBy) map[string]*orderCounts {
	counts := map[string]*orderCounts{}
	var cold *orderedGrid
	for _, order := range []string{"cold", "throttle", "altitude"} {
		s := e.session(t)
		p := must.Value(s.Point())(t)
		g := e.grid(t, p, altitudes, machs, temperatures, throttles, by)
		before := s.Model.SharedEvaluations()
		out := e.walk(t, s, g, by, order)
		if cold == nil {
			cold = out
		}
		c := &orderCounts{points: len(out.points), shared: s.Model.SharedEvaluations() - before}
		counts[order] = c
		for i, q := range out.points {
			ref := cold.points[i]
			c.evaluations += q.evaluations
			c.most = max(c.most, q.evaluations)
			if !q.converged {
				c.failing = append(c.failing, q.evaluations)
				if q.reason == "" {
					t.Errorf("%s, %s, point %d fails without a reason", e.name, order, i)
				}
			} else {
				c.converged++
			}
			if q.converged != ref.converged || q.converged && math.Abs(q.speed/ref.speed-1) > 1e-8 {
				c.differ++
				t.Logf("%s, %s: point %d (%v, %.3f): %v %.6g %s, cold %v %.6g %s", e.name, order, i,
					q.set[0].Value.Num, q.share, q.converged, q.speed, q.reason, ref.converged, ref.speed, ref.reason)
			}
			if i%throttles > 0 && q.converged && out.points[i-1].converged && q.speed > out.points[i-1].speed*(1+1e-8) {
				c.rise++
			}
		}
	}
	return counts
}

func (c *orderCounts) String() string {
	slices.Sort(c.failing)
	median, worst := 0, 0
	if n := len(c.failing); n > 0 {
		median, worst = c.failing[n/2], c.failing[n-1]
	}
	return fmt.Sprintf("%d of %d converge, %d differ from cold, %d rise; %.1f evaluations a point and %.1f shared, "+
		"at most %d; failing ones %d in the median, %d at most",
		c.converged, c.points, c.differ, c.rise, float64(c.evaluations)/float64(c.points),
		float64(c.shared)/float64(c.points), c.most, median, worst)
}

// An answer does not depend on the way: points of coarse envelopes, solved each from the design, and each from
// its neighbour in throttle and in altitude, are the same. By temperature some points have no answer,
// and others two.
func TestOrders(t *testing.T) {
	for _, e := range orderedEngines()[:enginetest.Trials(t, 1, 6, 6)] {
		for _, by := range []orderedBy{shareOfThrust, shareOfTemperature} {
			for order, c := range e.compare(t, []float64{0, 10400}, []float64{0.3, 0.85}, []float64{40}, 10, by) {
				if c.differ > 0 {
					t.Errorf("%s, %s: %v", e.name, order, c)
				}
				if by == shareOfThrust && c.converged < c.points {
					t.Errorf("%s, %s: %v", e.name, order, c)
				}
				for _, n := range c.failing {
					if n > 5000 {
						t.Errorf("%s, %s: a point that fails takes %d evaluations", e.name, order, n)
					}
				}
			}
		}
	}
}

// BenchmarkOrders walks the envelopes of 2880 points of the six engines, by thrust and by temperature, in
// three orders.
func BenchmarkOrders(b *testing.B) {
	for _, e := range orderedEngines() {
		for _, by := range []orderedBy{shareOfThrust, shareOfTemperature} {
			b.Run(fmt.Sprintf("%s/%s", e.name, []string{"thrust", "temperature"}[by]), func(b *testing.B) {
				for b.Loop() {
					counts := e.compare(b, []float64{0, 2600, 5200, 7800, 10400, 13000}, []float64{0, 0.3, 0.6, 0.85},
						[]float64{-30, 0, 40}, 40, by)
					for _, order := range []string{"cold", "throttle", "altitude"} {
						b.Logf("%s: %v", order, counts[order])
					}
					b.ReportMetric(100*float64(counts["cold"].converged)/float64(counts["cold"].points), "%converged")
					b.ReportMetric(float64(counts["throttle"].differ+counts["altitude"].differ), "differ")
				}
			})
		}
	}
}
