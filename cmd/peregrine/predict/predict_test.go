package predict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

// Each cluster of a sweep has the same history: logs are read once, and each of their studies counts once.
func TestHistory(t *testing.T) {
	t.Parallel()
	p := &past{names: []string{"a", "b"}, attempts: []predict.Measured{{Study: "s"}, {Study: "s"}},
		courses: map[string]*makespan.Course{"s": {Ended: true, Engine: "e", Waits: []float64{7}}}}
	for range 2 {
		h := p.history("e", map[string]bool{"": true}, "")
		must.Equal(t, []int{2, 1, 1}, []int{len(h.Attempts), len(h.Executive), len(h.Waits)})
	}
}

// What a launcher would give to a run does not keep it from this machine.
func TestLocal(t *testing.T) {
	t.Parallel()
	c := &predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 2, Runs: 2, Speed: 1}}}
	zoom := map[string]int{"cluster": 3, "own": 2}
	p := &plan.Plan{Licences: map[string]int{"own": 1}, Graph: &predict.Graph{Runs: []predict.Run{
		{Name: "engine 1", Executive: 1},
		{Name: "a", Solver: "s", Cores: 64, Memory: 1 << 40, Licences: zoom},
	}}}
	local(p)
	limit(c, p)
	must.OK(t, p.Check(c))
	must.Equal(t, map[string]int{"own": 1}, p.Runs[1].Licences)
	must.Equal(t, map[string]int{"cluster": 3, "own": 2}, zoom)
	must.Equal(t, []int{0, 1}, []int{p.Runs[0].Cores, p.Runs[1].Cores})
}

// A standard error that is not known is no 0, in the text and in JSON.
func TestUnknownDeviation(t *testing.T) {
	t.Parallel()
	c := &predict.Calibration{Solvers: []predict.SolverTimes{{Cell: &predict.Estimated{Value: 2e-6}}}}
	for want, got := range map[string]string{"2 ± ? us": calibrationText(c),
		`"cell":{"value":0.000002}`: string(must.Value(json.Marshal(c))(t))} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
