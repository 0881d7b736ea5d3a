package report

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// A case whose last attempt could not begin has no residual in its table; others have theirs.
func TestResidualOnlyWhereKnown(t *testing.T) {
	for _, c := range []struct {
		info result.SolveInfo
		want string
	}{
		{result.SolveInfo{Iterations: 7, Evaluations: 50, Unknown: true}, "not there (7 iterations, 50 evaluations)"},
		{
			result.SolveInfo{Iterations: 7, Evaluations: 50, Residual: 0.25},
			"not there (7 iterations, 50 evaluations, residual 2.5e-01)",
		},
		{result.SolveInfo{Evaluations: 1, Unknown: true}, "not there (1 evaluation)"},
	} {
		r := &result.Results{
			Engine: "engine",
			Cases:  []*result.Result{{Name: "case", Kind: "offdesign", Solver: c.info, Message: "not there"}},
		}
		var b strings.Builder
		must.OK(t, Table(&b, r, unit.SI))
		must.Contain(t, b.String(), c.want)
	}
}

// The summary names its contents: flight condition, T4, margins and limits. Irrelevant rows are left out: PSFC of an
// offtake, BPR of a bleed. A warning has a subject, and its lines keep their indentation.
func TestSummary(t *testing.T) {
	c := &result.Result{
		Name: "climb", Kind: "design", Converged: true, Limited: []string{"burner.out.Tt max 1320 K"},
		Solver:      result.SolveInfo{Evaluations: 1, Residual: 1e-12},
		Flight:      &result.Flight{Altitude: 3048, Mach: 0.5},
		Performance: result.Performance{Fn: 5e4, Wf: 1.4, BPR: 0.02, Power: 5e4, PSFC: 1.4 / 5e4},
		Stations:    map[string]result.Station{"burner.out": {W: 70, Pt: 1e6, Tt: 1320}},
		Components: map[string]result.Component{
			"burner": {Type: "burner", Outputs: result.Outputs{}},
			"hpc": {Type: "compressor", Outputs: result.Outputs{"Nc": 9000, "SMN": 12.34},
				Map: &result.MapPlace{Name: "hpc", Extrapolated: true}},
		},
		MapEdges: map[string]perfmap.Edge{"hpc": perfmap.NcHigh},
		Order:    result.Names{Components: []string{"burner", "hpc"}, Stations: []string{"burner.out"}},
		Zoom: map[string]*result.ZoomResult{"hpc": {Method: "map", Runs: 1, Rounds: 3, RunsEnds: 15, ErrorHolds: true,
			Fidelity: "throughflow 2, axisymmetric Euler with blade forces"}},
	}
	made := must.Value(perfmap.MakeCompressor(perfmap.CompressorShape{PR: 10, Eff: 0.85, Wc: 100}))(t)
	r := &result.Results{Engine: "engine", Cases: []*result.Result{c},
		Warnings: []result.Warning{{
			Severity: "warning", Rule: "r", Message: strings.Repeat("long ", 20) + "\nit printed: x",
			Evidence: []string{"2 of its 3 runs were lost"},
		}},
		ZoomedMaps: map[string]result.ScaledMap{
			"hpc": {Map: made, Scale: perfmap.Scale{Nc: 1, Wc: 1, PR: 0.955, Eff: 1.01}},
		},
	}
	var b strings.Builder
	must.OK(t, Table(&b, r, unit.SI))
	must.Contain(t, b.String(),
		"  altitude     m           3048.0\n  Mach                        0.5\n  T4           K           1320.0\n",
		"  SMN hpc      %             12.3\n", "\n  climb is limited by burner.out.Tt max 1320 K\n",
		"does not change the\n    performance in climb",
		"s_NcDes 1, s_WcDes 1, s_PRdes 0.955 (of PR - 1), s_effDes 1.01\n",
		"(its starting values are the solution:\n  1 evaluation, residual 1.0e-12)",
		"\n  EXTRAPOLATED: hpc is outside its map (Nc above); beyond its bounds a map is only a guess\n",
		"1 run made, 0 from the\n    cache",
		"\n  warning: study: long", "\n    it printed: x (rule r)\n      2 of its 3 runs were lost\n")
	var imperial strings.Builder
	must.OK(t, Table(&imperial, r, unit.Imperial))
	must.Contain(t, imperial.String(), "  altitude     ft            10000\n")
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "  PSFC") || strings.HasPrefix(line, "  BPR") || strings.HasPrefix(line, "  dTs") ||
			len(line) > table.Width {
			t.Errorf("line %q", line)
		}
	}
}
