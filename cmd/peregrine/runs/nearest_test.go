package runs

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Differences of requests name values, and of long texts the first line that differs.
func TestChanges(t *testing.T) {
	t.Parallel()
	a := plugin.Request{Numbers: map[string]float64{"cfl": 50, "N": 1},
		Texts: map[string]string{"blade": "one\ntwo\nthree"}, Arrays: map[string][]float64{"Pt": {1, 2}}}
	b := plugin.Request{Numbers: map[string]float64{"cfl": 40, "N": 1},
		Texts: map[string]string{"blade": "one\n 2\nthree"}, Arrays: map[string][]float64{"Pt": {1, 2.5}}}
	must.Equal(t, []string{"Pt: by 0.5 at most", "blade line 2: two -> 2", "cfl 50 -> 40"}, changes(&a, &b))
	must.Equal(t, []string(nil), changes(&a, &a))
	b = plugin.Request{Numbers: a.Numbers, Arrays: a.Arrays, Texts: map[string]string{"blade": "one\ntwo\nthree\n"}}
	must.Equal(t, []string{"blade line 3: three -> three"}, changes(&a, &b))
}
