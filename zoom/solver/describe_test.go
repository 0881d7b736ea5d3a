package solver_test

import (
	"context"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// A solver that does not come up is given up after the zoom's limit.
func TestDescriptionKeepsTheLimitOfTheStart(t *testing.T) {
	t.Parallel()
	r := solver.NewRegistry(solver.Serve{}, []config.SolverProgram{
		{Name: "slow", Command: []string{"/bin/sleep", "300"}, File: "solvers.yaml"},
	}, launch.Registry{local.Name: local.Open}, local.Name)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	_, err := r.DescribeWithin(ctx, "slow", 50*time.Millisecond)
	must.Fail(t, err, "did not come up")
	if ctx.Err() != nil {
		t.Error("it was given 15 s")
	}
}
