package preset_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/preset"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// read recognizes a file and returns what its events say.
func read(t *testing.T, text string) (name string, events []event.Event) {
	t.Helper()
	p := preset.Find([]byte(text))
	if p == nil {
		t.Fatalf("not recognized: %.60q", text)
	}
	spec := history.FileSpec{File: p.File}
	must.OK(t, spec.Check())
	return p.Name, parse(&spec, text)
}

// parse returns what the events of a text say.
func parse(spec *history.FileSpec, text string) (events []event.Event) {
	parser := history.NewParser(spec, "f", history.State{}, func() time.Time { return time.Time{} })
	take := func(list []event.Event) {
		for _, e := range list {
			events = append(events, event.Event{Kind: e.Kind, Name: e.Name, Values: e.Values, Arrays: e.Arrays, NonFinite: e.NonFinite, Text: e.Text})
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		take(parser.Parse(tail.Line{Text: []byte(line)}))
	}
	take(parser.Flush())
	return events
}

type numbers = map[string]float64

func TestPeregrine(t *testing.T) {
	name, got := read(t, `# bladerow history 1
# iteration residual W_in[kg/s] W_out[kg/s] PR eff Ps_exit[Pa] mesh
20 1.345105e-01 573.75262 533.78261 1.3053536 0.86719807 105058.33 0
profile 20 area 0.0075 0.055
profile 20 Pt[Pa] 129457 nan
end not_converged 20 residual fell to 0.0001 of its greatest value
end diverged 20 negative density
end converged 20 residual below 0.01
`)
	want := []event.Event{
		{Kind: event.Iteration, Values: numbers{"iteration": 20, "residual": 0.1345105, "W_in": 573.75262, "W_out": 533.78261, "PR": 1.3053536, "eff": 0.86719807, "Ps_exit": 105058.33, "mesh": 0}},
		{Kind: event.Profile, Values: numbers{"iteration": 20}, Arrays: map[string][]float64{"area": {0.0075, 0.055}}},
		{Kind: event.Profile, Values: numbers{"iteration": 20}, Arrays: map[string][]float64{"Pt": {129457, 0}}, NonFinite: []string{"Pt"}},
		{Kind: event.Status, Name: "limit", Values: numbers{"iteration": 20}, Text: "residual fell to 0.0001 of its greatest value"},
		{Kind: event.Status, Name: "diverged", Values: numbers{"iteration": 20}, Text: "negative density"},
		{Kind: event.Status, Name: "converged", Values: numbers{"iteration": 20}, Text: "residual below 0.01"},
	}
	if diff := cmp.Diff(want, got); diff != "" || name != "peregrine-history" {
		t.Error(name, diff)
	}
}

// samples are lines of solvers, and what they say.
var samples = []struct {
	format, text string
	want         []event.Event
}{
	{"code_saturne-residuals", " iteration, velocity, pressure\n       1,  2.4618129e-01,  2.4808121e-01\n", []event.Event{{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_velocity": 2.4618129e-01, "residual_pressure": 2.4808121e-01}}}},
	{"code_saturne-residuals", "t, velocity, pressure\n 1.0000000e-01,  3.0798216e+01,  3.9391740e+01\n", []event.Event{{Kind: event.Iteration, Values: numbers{"time": 0.1, "residual_velocity": 30.798216, "residual_pressure": 39.391740}}}},
	{"code_saturne-probes", "t, 1, 2\n 1.0000000e-01,  3,  4\n", []event.Event{{Kind: event.Iteration, Values: numbers{"time": 0.1, "probe_1": 3, "probe_2": 4}}}},
	// What SU2's documentation shows of a history; iterations are the inner ones.
	{"su2-history", `"Time_Iter","Outer_Iter","Inner_Iter",     "rms[Rho]"    ,      "CD"       ,    "Avg CFL"
          0,          0,          7,          -4.5,   0.214,   25
`, []event.Event{{Kind: event.Iteration, Values: numbers{"iteration": 7, "residual_Rho": math.Pow(10, -4.5), "CD": 0.214}}}},
	{"su2-screen", `-------------------------------------------------------------------------
|    The SU2 Suite (Stanford University Unstructured)                   |
| Release 7.0.2 "Blackbird"                                             |
+---------------------------------------------------------------------+
|  Inner_Iter|   Time(sec)|    rms[Rho]|          CL|
+---------------------------------------------------------------------+
|           0|  2.4e-02|       -2|    0.25|
|           1|  2.4e-02|       -3|    nan|
+---------------------------------------------------------------------+
|                 Convergence Field|             Value|
All convergence criteria satisfied.
------------------------- Exit Success (SU2_CFD) ------------------------
`, []event.Event{
		{Kind: event.Iteration, Values: numbers{"iteration": 0, "residual_Rho": 0.01, "CL": 0.25}},
		{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_Rho": 0.001}, NonFinite: []string{"CL"}},
		{Kind: event.Status, Name: "converged", Text: "All convergence criteria satisfied."},
		{Kind: event.Status, Name: "ended", Text: "------------------------- Exit Success (SU2_CFD) ------------------------"},
	}},
	{"fluent-transcript", `  iter  continuity  x-velocity  energy     k  lift-1     time/iter
     1  1.0000e+00  4.5000e-03  2.5e-05  0.5  12.5  0:01:23  199
 reversed flow in 12 faces on pressure-outlet 7.
     2  9.0000e-01  4.4000e-03  2.4e-05  0.4  12.6  0:01:21  198
!    2 solution is converged
Divergence detected in AMG solver: pressure correction
Error: floating point exception
`, []event.Event{
		{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_continuity": 1, "residual_x-velocity": 4.5e-3, "residual_energy": 2.5e-5, "residual_k": 0.5, "lift-1": 12.5, "inner_left": 199}},
		{Kind: event.Warning, Values: numbers{"faces": 12}, Text: " reversed flow in 12 faces on pressure-outlet 7."},
		{Kind: event.Iteration, Values: numbers{"iteration": 2, "residual_continuity": 0.9, "residual_x-velocity": 4.4e-3, "residual_energy": 2.4e-5, "residual_k": 0.4, "lift-1": 12.6, "inner_left": 198}},
		{Kind: event.Status, Name: "converged", Text: "!    2 solution is converged"},
		{Kind: event.Status, Name: "diverged", Text: "Divergence detected in AMG solver: pressure correction"},
		{Kind: event.Status, Name: "non_finite", Text: "Error: floating point exception"},
	}},
	{"cfx-out", ` ======================================================================
 OUTER LOOP ITERATION =    1                    CPU SECONDS = 1.234E+01
 ----------------------------------------------------------------------
 |       Equation       | Rate | RMS Res | Max Res |  Linear Solution |
 +----------------------+------+---------+---------+------------------+
 | U - Mom              |99.99 | 9.6E-01 | 7.7E+00 |       5.8E-04  OK|
 | P-Mass               |  .12 | 3.0E-03 | 4.0E-02 | 12.0  4.6E-02  OK|
 ======================================================================
 OUTER LOOP ITERATION =    2                    CPU SECONDS = 2.234E+01
 | U - Mom  | 1.36 | 3.7E-02 | 3.5E-01 |       1  |       NaN  *      |
 | ERROR #004100018 has occurred in subroutine FINMES.                |
 | Fatal overflow in linear solver.                                   |
`, []event.Event{
		{Kind: event.Iteration, Values: numbers{"iteration": 1, "cpu": 12.34, "residual_U - Mom": 0.96, "residual_P-Mass": 3e-3}},
		{Kind: event.Iteration, Values: numbers{"iteration": 2, "cpu": 22.34, "residual_U - Mom": 3.7e-2}},
		{Kind: event.Status, Name: "failed", Text: " | ERROR #004100018 has occurred in subroutine FINMES.                |"},
		{Kind: event.Status, Name: "diverged", Text: " | Fatal overflow in linear solver.                                   |"},
	}},
	{"cgns-convergence", "# IterationNumber RSDMassRMS RSDEnergyStagnationDensityRMS CoefLift\n1 0.5 0.25 1.5\n", []event.Event{{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_MassRMS": 0.5, "residual_EnergyStagnationDensityRMS": 0.25, "CoefLift": 1.5}}}},
	{"openfoam-log", `Create time
Time = 0.5s
DILUPBiCGStab:  Solving for k.air, Initial residual = 0.5, Final residual = 1e-3, No Iterations 2
PBiCCCG:  Solving for U, Initial residual = (0.5 0.25 0), Final residual = (1e-3 1e-4 0), No Iterations (3 4 0)
Courant Number mean: 0.1 max: 0.9
Flow time scale min/max = 0.001, 2
deltaT = 1e-05
bounding k, min: -0.1 max: 5 average: 0.2
PIMPLE: converged in 3 iterations
#1  Foam::sigFpe::sigHandler(int)
--> FOAM FATAL ERROR:
Maximum number of iterations exceeded: 100
`, []event.Event{
		{Kind: event.Warning, Values: numbers{"min_k": -0.1, "max_k": 5, "average_k": 0.2}, Text: "bounding k, min: -0.1 max: 5 average: 0.2"},
		{Kind: event.Message, Values: numbers{"corrections": 3}, Text: "PIMPLE: converged in 3 iterations"},
		{Kind: event.Iteration, Values: numbers{"time": 0.5, "residual_k.air": 0.5, "final_k.air": 1e-3, "inner_k.air": 2,
			"residual_Ux": 0.5, "residual_Uy": 0.25, "residual_Uz": 0, "final_Ux": 1e-3, "final_Uy": 1e-4, "final_Uz": 0, "inner_Ux": 3, "inner_Uy": 4, "inner_Uz": 0,
			"courant_mean": 0.1, "courant_max": 0.9, "timescale_min": 1e-3, "timescale_max": 2, "dt": 1e-5}},
		{Kind: event.Status, Name: "non_finite", Text: "#1  Foam::sigFpe::sigHandler(int)"},
		{Kind: event.Status, Name: "failed", Text: "--> FOAM FATAL ERROR:"},
		{Kind: event.Status, Name: "diverged", Text: "Maximum number of iterations exceeded: 100"},
	}},
	// shallowWaterFoam begins the line with a blank.
	{"openfoam-log", `OpenFOAM: The Open Source CFD Toolbox
 Time = 0.1

Courant number mean: 0.01 max: 0.02
DICPCG:  Solving for h, Initial residual = 0.0294652, Final residual = 2.19685e-11, No Iterations 7
`, []event.Event{{Kind: event.Iteration, Values: numbers{"time": 0.1, "residual_h": 0.0294652, "final_h": 2.19685e-11, "inner_h": 7}}}},
	// solidDisplacementFoam counts iterations, not times.
	{"openfoam-log", `OpenFOAM: The Open Source CFD Toolbox
Iteration: 1

GAMG:  Solving for Dx, Initial residual = 1, Final residual = 0.475327, No Iterations 2
Iteration: 2
`, []event.Event{{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_Dx": 1, "final_Dx": 0.475327, "inner_Dx": 2}},
		{Kind: event.Iteration, Values: numbers{"iteration": 2}}}},
}

func TestSamples(t *testing.T) {
	for _, c := range samples {
		name, got := read(t, c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || name != c.format {
			t.Errorf("%s, not %s: %s", name, c.format, diff)
		}
	}
}

// Columns of foreign tables that are residuals by their names; all else is monitored.
func TestGuess(t *testing.T) {
	for header, want := range map[string]string{
		"iter,continuity,W_in":                        "iteration residual_continuity W_in",
		"iter,continuity,x-velocity,energy,k,PR":      "iteration residual_continuity residual_x-velocity residual_energy residual_k PR",
		"# iteration residual res_u res_k PR":         "iteration residual residual_u residual_k PR",
		"iter resU RESULT rest rmsd resistance Cd":    "iteration residual_U RESULT rest rmsd resistance Cd",
		`"Iter","rms[Rho]","CD"`:                      "iteration residual_Rho CD",
		"Iter rms_rho res.v res(w) Res_Flow[0] CL":    "iteration residual_rho residual_v residual_w residual_Flow[0] CL",
		"iter k epsilon":                              "iteration k epsilon",
		"iter k epsilon x-velocity":                   "iteration residual_k residual_epsilon residual_x-velocity",
		"Time U_initial U_final U_iters residual_p Q": "iteration residual_U final_U inner_U residual_p Q",
	} {
		var row strings.Builder
		names := strings.Fields(want)
		for range names {
			row.WriteString(" 1")
		}
		_, got := read(t, header+"\n"+row.String())
		if len(got) != 1 || len(got[0].Values) != len(names) {
			t.Errorf("%s: %+v", header, got)
			continue
		}
		for _, n := range names {
			if x, ok := got[0].Values[n]; !ok || x != 1 && (n != "residual_Rho" || x != 10) {
				t.Errorf("%s: %s is %g: %v", header, n, x, got[0].Values)
			}
		}
	}
}

// The Foundation's OpenFOAM prints its targets and times in another form.
func TestFoundation(t *testing.T) {
	name, got := read(t, `Create time

SIMPLE: Convergence criteria found
        p: tolerance 0.01
        (k|epsilon): tolerance 1e-05

Starting time loop

Time = 1s

DILUPBiCGStab:  Solving for U, Initial residual = (1 0.5 0), Final residual = (0.1 0.05 0), No Iterations (1 1 0)
`)
	want := []event.Event{
		{Kind: event.Message, Values: numbers{"target_p": 0.01}},
		{Kind: event.Message, Values: numbers{"target_(k|epsilon)": 1e-5}},
		{Kind: event.Iteration, Values: numbers{"time": 1, "residual_Ux": 1, "residual_Uy": 0.5, "residual_Uz": 0,
			"final_Ux": 0.1, "final_Uy": 0.05, "final_Uz": 0, "inner_Ux": 1, "inner_Uy": 1, "inner_Uz": 0}},
	}
	for i := range got {
		got[i].Text = ""
	}
	if diff := cmp.Diff(want, got); diff != "" || name != "openfoam-log" {
		t.Error(name, diff)
	}
}

func TestOpenFOAMTables(t *testing.T) {
	for text, want := range map[string]numbers{
		"# Region type : patch inlet\n# Time          \tsum(phi)\tweightedAverage(U)\n10              \t-2.5e-01\t(1 2 3)\n": {
			"iteration": 10, "sum(phi)": -0.25, "weightedAverage(U)_x": 1, "weightedAverage(U)_y": 2, "weightedAverage(U)_z": 3},
		"# Residuals\n# Time          \tUx_initial\tUx_final\tUx_iters\tUx_converged\n1 0.5 0.05 3 false\n": {
			"iteration": 1, "residual_Ux": 0.5, "final_Ux": 0.05, "inner_Ux": 3},
		"# Probe 0 (0 0 0)\n# Probe 1 (1 0 0)\n#       Probe             0             1\n#        Time\n  5   1.5  (1 2 3)\n": {
			"iteration": 5, "value_0": 1.5, "value_1_x": 1, "value_1_y": 2, "value_1_z": 3},
	} {
		name, got := read(t, text)
		if diff := cmp.Diff([]event.Event{{Kind: event.Iteration, Values: want}}, got); diff != "" || name != "openfoam-table" {
			t.Error(name, diff)
		}
	}
}

// The log of a run, by the format and by regular expressions as they were written before there were templates.
func TestOpenFOAMLog(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/rhoSimpleFoam.log"))(t)
	name, got := read(t, string(data))
	spec := history.FileSpec{File: history.File{Format: history.Regexp, Pattern: "log", Patterns: []history.Pattern{
		{Regexp: `^Time = (?P<time>[-+0-9.eE]+)s?$`, Begins: true},
		{Regexp: `:  Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+), Final residual = (?P<final>\S+), No Iterations (?P<inner>\d+)`},
		{Regexp: `^time step continuity errors : sum local = (?P<continuity_local>\S+), global = (?P<continuity_global>\S+), cumulative = (?P<continuity_cumulative>\S+)`},
		{Regexp: `^ExecutionTime = (?P<cpu>\S+) s  ClockTime = (?P<clock>\S+) s`},
		{Regexp: `^\s+field (?P<key>\S+)\s+tolerance (?P<target>\S+)`, Kind: event.Message},
		{Regexp: `^pressureControl: (?P<key>\w+) max (?P<max>\S+)`, Kind: event.Warning},
		{Regexp: `^pressureControl: (?P<key>\w+) min (?P<min>\S+)`, Kind: event.Warning},
		{Regexp: `solution converged in`, Kind: event.Status, Status: "converged"},
		{Regexp: `^End\s*$`, Kind: event.Status, Status: "ended"},
	}}}
	want := parse(&spec, string(data))
	if diff := cmp.Diff(want, got); diff != "" || name != "openfoam-log" || len(got) != 50 {
		t.Errorf("%s: %d events: %s", name, len(got), diff)
	}
}

// Every built-in format says what it is, and what it was checked with.
func TestFormats(t *testing.T) {
	for _, p := range preset.List() {
		if p.Doc == "" || p.Sample == "" || preset.Text(p.Name) == nil || len(p.Detect)+len(p.Header) == 0 {
			t.Errorf("%+v", p)
		}
	}
}

// The equations of several regions keep apart, also for a parser that goes on within an iteration.
func TestOpenFOAMRegions(t *testing.T) {
	text := `Starting time loop
Time = 2


Solving for fluid region air
DILUPBiCGStab:  Solving for Ux, Initial residual = 0.2, Final residual = 0.004, No Iterations 1
DILUPBiCGStab:  Solving for h, Initial residual = 0.9, Final residual = 0.01, No Iterations 2

Solving for solid region heater
DICPCG:  Solving for h, Initial residual = 0.17, Final residual = 0.02, No Iterations 3
Time = 3
DICPCG:  Solving for T, Initial residual = 0.5, Final residual = 0.1, No Iterations 1
`
	want := []event.Event{
		{Kind: event.Iteration, Values: numbers{"time": 2, "residual_air.Ux": 0.2, "final_air.Ux": 0.004, "inner_air.Ux": 1,
			"residual_air.h": 0.9, "final_air.h": 0.01, "inner_air.h": 2, "residual_heater.h": 0.17, "final_heater.h": 0.02, "inner_heater.h": 3}},
		{Kind: event.Iteration, Values: numbers{"time": 3, "residual_T": 0.5, "final_T": 0.1, "inner_T": 1}},
	}
	if _, got := read(t, text); cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
	spec := &history.FileSpec{File: preset.Find([]byte(text)).File}
	var state history.State
	var got []event.Event
	for line := range strings.Lines(text) {
		p := history.NewParser(spec, "f", state, time.Now)
		for _, e := range p.Parse(tail.Line{Text: []byte(strings.TrimSuffix(line, "\n"))}) {
			got = append(got, event.Event{Kind: e.Kind, Values: e.Values})
		}
		state = p.State()
	}
	if cmp.Diff(want[:1], got) != "" {
		t.Error(cmp.Diff(want[:1], got))
	}
}
