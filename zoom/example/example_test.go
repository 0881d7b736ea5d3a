package example

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// fan is a request that both solvers take.
func fan(settings map[string]float64) plugin.Request {
	r := plugin.Request{
		Numbers: map[string]float64{"N": 3727.7, "gamma": 1.4, "R": 287.05, "throttle": 0.29},
		Arrays: map[string][]float64{"inlet_span": {0, 1}, "inlet_Pt": {101325, 101325}, "inlet_Tt": {288.15, 288.15},
			"inlet_alpha": {0, 0}},
	}
	for name, value := range settings {
		r.Numbers[name] = value
	}
	return r
}

// The example in Go does all that is expected of a plugin.
func TestGoConforms(t *testing.T) {
	testenv.Long(t, "builds the example")
	program := filepath.Join(t.TempDir(), "meanline")
	if out, err := exec.Command("go", "build", "-o", program, "./meanline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	conform(t, program)
}

// The example in Python does so, too, made with nothing but solver.proto.
func TestPythonConforms(t *testing.T) {
	testenv.Long(t, "starts Python with gRPC many times")
	conform(t, mock.Python(t, "../example"))
}

func conform(t *testing.T, program string) {
	mock.Conform(t, mock.Subject{
		Program: launch.Program{Command: []string{program}},
		Quick:   fan(nil),
		Long:    fan(map[string]float64{"relaxation": 1e-6, "pause": 0.002, "max_iterations": 1e9}),
	})
}
