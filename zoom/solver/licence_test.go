package solver_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Solvers that share a licence must say the same of it.
func TestSharedLicence(t *testing.T) {
	program := func(name, licence, folder string, of int) config.SolverProgram {
		return config.SolverProgram{Name: name, Command: []string{"x"}, File: "solvers.yaml",
			Licence: &config.Licence{Name: licence, Of: of, Folder: folder}}
	}
	r := solver.NewRegistry(solver.Serve{}, []config.SolverProgram{
		program("a", "cfd", "", 2), program("b", "cfd", "", 2), program("c", "cfd", "/elsewhere", 3),
		program("d", "mesh", "", 1), program("e", "mesh", "", 4), {Name: "f"},
	}, nil, "")
	for name, want := range map[string]string{
		"a": "", "b": "", "c": "", "f": "", "throughflow": "",
		"d": "licence mesh: of: 1, and of solver e at solvers.yaml:", "e": "licence mesh: of: 4, and of solver d",
	} {
		switch _, err := r.Licence(name); {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}
