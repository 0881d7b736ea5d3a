package bladerow

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

// A run that is killed may go on from the solution of any iteration: also of the last one on a mesh, behind which the
// next mesh follows and not another iteration, and of the last of all, behind which nothing follows.
func TestResumeFromAnyIteration(t *testing.T) {
	c := viscous67(t)
	c.Settings.Levels, c.Settings.MaxIterations, c.Settings.Every = 2, 60, 1
	s := solver(t, c)
	var saved []*Solution // by iteration, from 1
	whole, err := s.Run(context.Background(), func(march.Progress) march.Reply {
		saved = append(saved, s.Solution())
		return march.Continue
	})
	must.OK(t, err)
	last := 0 // iteration on the coarse mesh
	for n, sol := range saved {
		if sol.Mesh == 0 {
			last = n
		}
		if ended := n == len(saved)-1; sol.Final != ended {
			t.Errorf("iteration %d of %d: ended %t", n+1, whole.Iterations, sol.Final)
		}
	}
	if !s.Solution().Final || last < 5 || last > len(saved)-10 {
		t.Fatalf("the coarse mesh is left at iteration %d of %d", last+1, len(saved))
	}
	places := []int{last, last + 1, len(saved) - 2}
	if testenv.IsLong(t) {
		places = append(places, 0, last-1, len(saved)-30)
	}
	for _, n := range places {
		if diff := cmp.Diff(whole, run(t, resumed(t, c, reloaded(t, saved[n].Save)))); diff != "" {
			t.Errorf("resumed behind iteration %d of %d, the last on the coarse mesh being %d: differs:\n%s", n+1,
				whole.Iterations, last+1, diff)
		}
	}
}

// Whatever a file holds, it is a solution that a case takes or refuses, or none.
func FuzzSolution(f *testing.F) {
	s := solver(f, crude67(f))
	marchtest.FuzzSolution(f, "bladerow", s.Solution().Save, func(r io.Reader) {
		if sol, err := LoadSolution(r); err == nil {
			_ = s.Resume(sol) // it may be of another case
		}
	})
}
