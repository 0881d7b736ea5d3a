package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
)

// Envelope is a flight envelope to be searched for points that do not converge.
type Envelope struct {
	Ambient string         // name of the ambient component
	Vary    string         // throttle
	Limits  []config.Limit // what full power is limited by; the first is its target
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
func (e *Envelope) Search(ctx context.Context, s *model.Session, first, n int) ([]EnvelopePoint, error) {
	p, err := s.Point()
	if err != nil {
		return nil, err
	}
	out := make([]EnvelopePoint, n)
	for i := range out {
		u := sobol(first + i)
		q := EnvelopePoint{Altitude: 45000 * 0.3048 * u[0], Mach: 0.9 * u[1], DTs: -40 + 80*u[2], Throttle: 0.2 + 0.8*u[3]}
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

func (e *Envelope) solve(ctx context.Context, p *model.Point, q *EnvelopePoint) {
	set := []config.Setting{
		{Path: e.Ambient + ".altitude", Value: config.Value{Num: q.Altitude}},
		{Path: e.Ambient + ".mach", Value: config.Value{Num: q.Mach}},
		{Path: e.Ambient + ".dTs", Value: config.Value{Num: q.DTs}},
	}
	full := config.Case{Name: "full power", Set: set, Limits: e.Limits,
		Solve: []config.Balance{{Vary: e.Vary, Until: e.Limits[0].Path, Target: *e.Limits[0].Max}}}
	info, err := p.Solve(ctx, &full)
	q.Evaluations = info.Evaluations
	if err != nil {
		q.Reason = fmt.Sprintf("full power: %v", err)
		return
	}
	part := config.Case{Name: "part power", Set: set,
		Solve: []config.Balance{{Vary: e.Vary, Until: "performance.Fn", Target: q.Throttle * p.Value("performance.Fn")}}}
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

// sobol is point i of the Sobol sequence in four dimensions, each coordinate in
// [0, 1), with the direction numbers of Joe and Kuo (ACM TOMS 29, 2003; set
// new-joe-kuo-6) in Gray-code order.
func sobol(i int) [4]float64 {
	const bits = 32
	type dim struct {
		s, a int
		m    []uint32
	}
	dims := []dim{{1, 0, []uint32{1}}, {2, 1, []uint32{1, 3}}, {3, 1, []uint32{1, 3, 1}}}
	gray := uint32(i) ^ uint32(i)>>1
	var out [4]float64
	for d := range out {
		var v [bits]uint32
		if d == 0 {
			for k := range v {
				v[k] = 1 << (bits - 1 - k)
			}
		} else {
			p := dims[d-1]
			for k := range v {
				if k < p.s {
					v[k] = p.m[k] << (bits - 1 - k)
					continue
				}
				v[k] = v[k-p.s] ^ v[k-p.s]>>p.s
				for j := 1; j < p.s; j++ {
					if p.a>>(p.s-1-j)&1 == 1 {
						v[k] ^= v[k-j]
					}
				}
			}
		}
		x := uint32(0)
		for k := range v {
			if gray>>k&1 == 1 {
				x ^= v[k]
			}
		}
		out[d] = float64(x) / math.Exp2(bits)
	}
	return out
}
