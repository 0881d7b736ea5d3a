package session_test

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A component's map over kappa gives the values that the engine finds on the map over its coordinate.
func TestMapOverKappa(t *testing.T) {
	for _, name := range []string{"turbofan.yaml", "e3.yaml", "turboshaft.yaml"} {
		cfg := must.Value(config.Load(enginetest.Example(name), components.Catalogue(), nil))(t)
		s := must.Value(session.Open(t.Context(), cfg))(t)
		seen := 0
		for _, c := range session.CaseNames(cfg) {
			if k := cfg.Case(c); k != nil && k.Transient != nil {
				continue
			}
			results, err := s.Solve(t.Context(), []string{c}, 1)
			if err != nil || !results[0].Converged {
				continue
			}
			for _, p := range s.Model.Parts {
				charted, ok := p.Component.(components.Charted)
				if !ok {
					continue
				}
				out := results[0].Components[p.Name]
				nc, wc, pr := out.Value("Nc"), out.Value("Wc"), out.Value("PR")
				var v components.Responded
				charted.KappaMap().At(0, nc, math.Log(wc*wc/pr), &v)
				want := []float64{wc, pr, out.Value("eff")}
				got := []float64{v.Wc, v.PR[0], v.Eff[0]}
				if _, fan := p.Component.(*components.Fan); fan {
					want, got = append(want, out.Value("PR_core"), out.Value("eff_core")), append(got, v.PR[1],
						v.Eff[1])
				}
				for i := range want {
					if math.Abs(got[i]/want[i]-1) > 1e-7 {
						t.Errorf("%s, %s, %s: %v, in the engine %v", name, c, p.Name, got, want)
						break
					}
				}
				seen++
			}
		}
		if seen == 0 {
			t.Errorf("%s: no component was compared", name)
		}
	}
}
