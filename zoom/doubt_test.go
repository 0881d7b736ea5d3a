package zoom

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// What a run lacks in settling counts in each stream of a fan, by itself, and reaches the causes of the error where the engine works.
func TestUnsettledStreams(t *testing.T) {
	m := machine()
	b := NewBuilder(m, nil, 6)
	o := knownAnswer(b, gridPoint{200, 2})
	stated := map[string]float64{OutWError: 2e-4, OutPRError: 4e-4, OutEffError: 6e-4}
	for name, e := range stated {
		o.Result.Numbers[name] = e
	}
	r := NewRounds(m, nil, MethodMap)
	r.take(Wanted{Name: o.Job.Name}, o)
	response := must.Value(r.Response())(t)
	a := r.answers[0]
	by := response.Causes(pointAt(a.X)).Convergence
	for i, k := range response.quantities() {
		least := map[int]float64{modelWc: 2e-4, modelEff: 6e-4 * a.Y[modelEff], modelPRCore: 4e-4, modelEffCore: 6e-4 * a.Y[modelEffCore]}[k]
		if !(least > 0) || by[i] < 0.99*least || by[i] > 10*least {
			t.Errorf("quantity %d is stated to be %.2g off for unfinished runs, at least %.2g", k, by[i], least)
		}
	}
	if n := len(by); n != 4 {
		t.Errorf("%d quantities, want flow and efficiency, and pressure ratio and efficiency of the core stream", n)
	}
}
