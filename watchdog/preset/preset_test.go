package preset_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	parser := history.NewParser(&spec, "f", history.State{}, func() time.Time { return time.Time{} })
	take := func(list []event.Event) {
		for _, e := range list {
			events = append(events, event.Event{Kind: e.Kind, Name: e.Name, Values: e.Values, Arrays: e.Arrays, NonFinite: e.NonFinite, Text: e.Text})
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		take(parser.Parse(tail.Line{Text: []byte(line)}))
	}
	take(parser.Flush())
	return p.Name, events
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

// Columns of foreign tables that are residuals by their names; all else is monitored.
func TestGuess(t *testing.T) {
	for header, want := range map[string]string{
		"iter,continuity,W_in":                        "iteration residual_continuity W_in",
		"iter,continuity,x-velocity,energy,k,PR":      "iteration residual_continuity residual_x-velocity residual_energy residual_k PR",
		"# iteration residual res_u res_k PR":         "iteration residual residual_u residual_k PR",
		"iter resU RESULT rest rmsd resistance Cd":    "iteration residual_U RESULT rest rmsd resistance Cd",
		`"Time_Iter","Inner_Iter","rms[Rho]","CD"`:    "iteration Inner_Iter residual_Rho CD",
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

func TestCodeSaturne(t *testing.T) {
	name, got := read(t, " iteration, velocity, pressure\n       1,  2.4618129e-01,  2.4808121e-01\n")
	want := []event.Event{{Kind: event.Iteration, Values: numbers{"iteration": 1, "residual_velocity": 2.4618129e-01, "residual_pressure": 2.4808121e-01}}}
	if diff := cmp.Diff(want, got); diff != "" || name != "code_saturne-residuals" {
		t.Error(name, diff)
	}
}

func TestCodeSaturneInTime(t *testing.T) {
	_, got := read(t, "t, velocity, pressure\n 1.0000000e-01,  3.0798216e+01,  3.9391740e+01\n")
	want := []event.Event{{Kind: event.Iteration, Values: numbers{"time": 0.1, "residual_velocity": 30.798216, "residual_pressure": 39.391740}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, got = read(t, "t, 1, 2\n 1.0000000e-01,  3,  4\n")
	want = []event.Event{{Kind: event.Iteration, Values: numbers{"time": 0.1, "probe_1": 3, "probe_2": 4}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
