package plan

import (
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

// Further rounds of a zoom to an error are those of earlier studies, each run with the share of studies that made it,
// or those of a stated range.
func TestAddRounds(t *testing.T) {
	t.Parallel()
	type shares = []float64
	for name, c := range map[string]struct {
		earlier [][]int // runs of each round, by study
		planned int     // rounds
		zoom    config.Zoom
		want    []shares // of each further round
		note    string
	}{
		"two studies": {[][]int{{2, 3}, {2, 1, 1}}, 1, config.Zoom{}, []shares{{1, 0.5, 0.5}, {0.5}},
			"zoom of fan: further rounds as in earlier studies of the engine, 2"},
		"the second round is planned, too": {[][]int{{2, 3}, {2, 1, 1}}, 2, config.Zoom{}, []shares{{0.5}},
			"zoom of fan: further rounds as in earlier studies of the engine, 2"},
		"no study made more": {[][]int{{2}}, 1, config.Zoom{}, nil,
			"zoom of fan: further rounds as in earlier studies of the engine, 1"},
		"no study": {nil, 1, config.Zoom{Batch: 2}, []shares{{1, 1}, {0.75, 0.75}, {0.5, 0.5}, {0.25, 0.25}},
			"zoom of fan: 1 to 4 further rounds of 2 runs: no earlier study of the engine"},
		"most": {nil, 1, config.Zoom{Batch: 2, Most: 5}, []shares{{1, 1}, {0.75}},
			"zoom of fan: 1 to 4 further rounds of 2 runs: no earlier study of the engine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.zoom.Component = "fan"
			like := predict.Run{Component: "fan", Solver: "s", Cores: 1, Cached: true}
			p := Plan{Graph: &predict.Graph{Runs: []predict.Run{{Name: "engine 1", Executive: 1}}},
				Later: []Later{{Zoom: &c.zoom, Rounds: c.planned, Runs: 2, Like: like}}}
			p.AddRounds(map[string][][]int{"fan": c.earlier})
			var got []shares
			for _, r := range p.Runs[1:] {
				switch n := len(got) - 1; {
				case r.Executive > 0 && r.Share != got[n][0]:
					t.Errorf("%s: share %g, of its round %g", r.Name, r.Share, got[n][0])
				case r.Executive > 0:
				case r.After[0] == p.Runs[len(p.Runs)-1].Name, r.Cached:
					t.Errorf("%+v", r)
				case n < 0 || len(got) < lastEngine(p.Runs, r.After[0]):
					got = append(got, shares{r.Share})
				default:
					got[n] = append(got[n], r.Share)
				}
			}
			must.Equal(t, c.want, got)
			must.Equal(t, []string{c.note}, p.Assumptions)
			must.OK(t, p.Check(&predict.Cluster{Groups: []predict.Nodes{{Number: 1, Cores: 1, Speed: 1}}}))
		})
	}
}

// lastEngine is the number of the executive's work with a name.
func lastEngine(runs []predict.Run, name string) int {
	for _, r := range runs {
		if r.Name == name {
			return r.Executive
		}
	}
	return 0
}
