package verify

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/steady"
)

// Envelope is a flight envelope to be searched for points that do not converge.
type Envelope struct {
	Ambient string         // name of the ambient component
	Vary    string         // throttle
	Limits  []config.Limit // limits of full power; the first is its target
}

// EnvelopePoint is a point of the envelope and how it was solved.
type EnvelopePoint struct {
	Altitude, Mach, DTs, Throttle float64
	Converged                     bool
	Extrapolated                  bool // some map was left
	Reason                        string
	Evaluations                   int
}

// Search solves points first to first+n-1 of the four-dimensional Sobol sequence
// over altitude 0 to 45,000 ft, Mach number 0 to 0.9, dTs -40 to 40 K and 20 to
// 100 % of the thrust at full power there. No point is given a starting value;
// each starts at the design.
func (e *Envelope) Search(ctx context.Context, s *session.Session, first, n int) ([]EnvelopePoint, error) {
	p, err := s.Point()
	if err != nil {
		return nil, err
	}
	out := make([]EnvelopePoint, n)
	for i := range out {
		u := sobol(first+i, 4)
		q := EnvelopePoint{Altitude: 45000 * 0.3048 * u[0], Mach: 0.9 * u[1], DTs: -40 + 80*u[2],
			Throttle: 0.2 + 0.8*u[3]}
		if err := p.Home(); err != nil {
			return nil, err
		}
		e.solve(ctx, p, &q)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = q
	}
	return out, nil
}

func (e *Envelope) solve(ctx context.Context, p *steady.OperatingPoint, q *EnvelopePoint) {
	set := inFlight(e.Ambient, q.Altitude, q.Mach, q.DTs)
	full := config.Case{Name: "full power", Set: set, Limits: e.Limits,
		Solve: []config.Balance{{Vary: e.Vary, Until: e.Limits[0].Path, Target: *e.Limits[0].Max}}}
	info, err := p.Solve(ctx, &full)
	q.Evaluations = info.Evaluations
	if err != nil {
		q.Reason = fmt.Sprintf("full power: %v", err)
		return
	}
	part := config.Case{Name: "part power", Set: set,
		Solve: []config.Balance{
			{Vary: e.Vary, Until: "performance.Fn", Target: q.Throttle * p.Value("performance.Fn")},
		}}
	info, err = p.Solve(ctx, &part)
	q.Evaluations += info.Evaluations
	if err != nil {
		q.Reason = fmt.Sprintf("%.0f %% power: %v", 100*q.Throttle, err)
		return
	}
	q.Converged = true
	for _, c := range p.Result("").Components {
		if c.Map != nil && c.Map.Extrapolated {
			q.Extrapolated = true
		}
	}
}

// inFlight sets an altitude, m, a Mach number and a difference from the standard day, K.
func inFlight(ambient string, altitude, mach, dts float64) []config.Setting {
	set := func(name string, v float64) config.Setting {
		return config.Setting{Path: ambient + "." + name, Value: config.Value{Num: v}}
	}
	return []config.Setting{set("altitude", altitude), set("mach", mach), set("dTs", dts)}
}
