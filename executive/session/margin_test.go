package session

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The stall margin of a fan has a value all the way from cruise to windmilling, where the pressure falls in it.
func TestMarginWhereTheFanWindmills(t *testing.T) {
	text := must.Value(os.ReadFile(enginetest.Example("turbofan.yaml")))(t)
	const chop = `
  chop:
    kind: transient
    duration: 15 s
    every: 0.5 s
    flame_out: continue
    schedule: {burner.Wf: [[0 s, 0.4 kg/s], [3 s, 0.05 kg/s]]}
    save: [fan.PR]
`
	engine, _, _ := strings.Cut(string(text), "\nsweeps:")
	cfg := must.Value(config.Parse("turbofan.yaml", []byte(engine+chop), components.Catalogue(),
		[]string{"hp.inertia=10 kg m2", "lp.inertia=40 kg m2"}))(t)
	s := must.Value(Open(t.Context(), cfg))(t)
	r := must.Value(s.SolveCase(t.Context(), s.Model, cfg.Case("chop")))(t)
	converged(t, r)
	pr, smn := r.History.Column("fan.PR"), r.History.Column("fan.SMN")
	if last := pr[len(pr)-1]; last > 0.999 {
		t.Fatalf("PR is %g at the end", last)
	}
	for i, v := range smn {
		if math.IsNaN(v) || i > 0 && pr[i] < 1.3 && v < smn[i-1] {
			t.Fatalf("at PR %g SMN is %g", pr[i], v)
		}
	}
}
