package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// expansion returns flow and efficiency of a turbine map, in its terms, wherever it is.
func expansion(m *perfmap.Map, nc, pr float64) (wp, eff float64) {
	out, corners := make([]perfmap.Value, len(m.Tables)), make([]perfmap.Corner, len(m.Tables))
	m.At(m.Design.Alpha, nc, pr, out)
	wp, eff = out[m.Index("Wp")].V, out[m.Index("eff")].V
	if d, ok := m.Driven(m.Design.Alpha, nc, pr, 1, corners); ok {
		d.At(&wp, &eff, corners[m.Index("Wp")], corners[m.Index("eff")])
	}
	return wp, eff
}

// drop is the ideal work of an expansion over cp Tt.
func drop(pr float64) float64 { return -math.Expm1(-0.33 / 1.33 * math.Log(pr)) }

func madeTurbine(t *rapid.T) *perfmap.Map {
	m, err := perfmap.MakeTurbine(perfmap.TurbineShape{
		PR: rapid.Float64Range(1.2, 8).Draw(t, "PR"), Eff: rapid.Float64Range(0.7, 0.93).Draw(t, "eff"),
		Stages: rapid.Float64Range(1, 6).Draw(t, "stages"), Wp: 10,
	})
	if err != nil {
		t.Skip(err)
	}
	if way := rapid.SampledFrom([]perfmap.Continuation{perfmap.Smooth, perfmap.Chord}).Draw(t,
		"way"); way != perfmap.Smooth {
		return withExtrap(t, m, perfmap.Extrap{Nc: way, X: way})
	}
	return m
}

// A turbine gives no more than the ideal work, at any speed and pressure ratio; driven, it
// takes no more than its speed squared stands for; and its flow ends with the pressure ratio.
func TestDrivenIsPossible(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeTurbine(t)
		nc := rapid.Float64Range(0, numeric.Last(m.Nc)).Draw(t, "Nc")
		pr := 1 + math.Exp(rapid.Float64Range(math.Log(1e-6), math.Log(numeric.Last(m.X)-1)).Draw(t, "ln(PR-1)"))
		wp, eff := expansion(m, nc, pr)
		if !(wp > 0) || !(eff <= 1) || math.IsInf(eff, 0) {
			t.Fatalf("Wp %g, eff %g at Nc %g, PR %g", wp, eff, nc, pr)
		}
		if pr <= m.X[0] && eff*drop(pr) < -3*nc*nc-0.01*nc {
			t.Fatalf("it takes %g cp T at Nc %g, PR %g", -eff*drop(pr), nc, pr)
		}
		least, eff := expansion(m, nc, 1+1e-9)
		if least > 0.01*wp && pr > m.X[0] {
			t.Fatalf("flow %g of %g at PR 1", least, wp)
		}
		if nc > 0.3 && eff > 0 {
			t.Fatalf("efficiency %g at PR 1 and Nc %g", eff, nc)
		}
		_, still := expansion(m, 0, pr)
		must.Within(t, "work of a rotor that stands still, of the ideal", still, 0, 1e-12)
	})
}

// Flow rises with the pressure ratio; neither it nor the work has a kink.
func TestDrivenIsSmooth(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeTurbine(t)
		if m.Extrap.X == perfmap.Chord {
			t.Skip("its own continuation has a kink")
		}
		nc := rapid.Float64Range(0.01, m.Nc[1]).Draw(t, "Nc")
		pr := 1 + (m.X[1]-1)*rapid.Float64Range(0.02, 1).Draw(t, "PR")
		if rapid.Bool().Draw(t, "edge of speed") {
			nc = m.Nc[0]
		}
		if rapid.Bool().Draw(t, "edge of PR") {
			pr = m.X[0]
		}
		const h = 1e-7
		dn, dp := h, 0.0
		if rapid.Bool().Draw(t, "along PR") {
			dn, dp = 0, h*(pr-1)
		}
		at := func(i float64) [2]float64 {
			w, e := expansion(m, nc+i*dn, pr+i*dp)
			return [2]float64{math.Log(w), e * drop(pr+i*dp)}
		}
		a, b, c := at(-1), at(0), at(1)
		for i, name := range []string{"ln Wp", "work"} {
			before, after := (b[i]-a[i])/h, (c[i]-b[i])/h
			if math.Abs(after-before) > 1e-4*(1+math.Abs(before)) {
				t.Fatalf("the slope of %s goes from %g to %g at Nc %g, PR %g", name, before, after, nc, pr)
			}
		}
		if dp > 0 && c[0] <= a[0] {
			t.Fatalf("flow does not rise with the pressure ratio at Nc %g, PR %g", nc, pr)
		}
	})
}
