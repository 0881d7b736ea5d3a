package throughflow

import (
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

// A run that is killed may go on from the solution of any step: also of the last one on a mesh, behind which the next
// mesh follows and not another step, and of the last of all, behind which nothing follows.
func TestResumeFromAnyStep(t *testing.T) {
	c := coarseE3(t)
	c.Settings.Every = 1
	s := newSolver(t, c)
	var saved []*Solution // by step, from 1
	whole, err := s.Run(context.Background(), func(march.Progress) march.Reply {
		saved = append(saved, s.Solution())
		return march.Continue
	})
	if err != nil || whole.Status != march.Converged {
		t.Fatalf("%v %v", err, whole)
	}
	saved = append(saved, s.Solution())
	last := 0 // step on the coarse mesh
	for n, sol := range saved {
		if sol.Mesh == 0 {
			last = n
		}
		if ended := n >= len(saved)-2; sol.Final != ended {
			t.Errorf("step %d of %d: ended %t", n+1, whole.Iterations, sol.Final)
		}
	}
	if last < 10 || last > len(saved)-10 {
		t.Fatalf("the coarse mesh is left at step %d of %d", last+1, len(saved))
	}
	places := []int{last, last + 1, len(saved) - 3}
	if testenv.IsLong(t) {
		places = append(places, 0, last-1)
	}
	for _, n := range places {
		if diff := cmp.Diff(whole, ended(t, resumed(t, c, reloaded(t, saved[n].Save)))); diff != "" {
			t.Errorf("resumed behind step %d of %d, the last on the coarse mesh being %d: differs:\n%s", n+1,
				whole.Iterations, last+1, diff)
		}
	}
}

// Whatever a file holds, it is a solution that a case takes or refuses, or none.
func FuzzSolution(f *testing.F) {
	s := newSolver(f, coarseE3(f))
	marchtest.FuzzSolution(f, "throughflow", s.Solution().Save, func(r io.Reader) {
		if sol, err := LoadSolution(r); err == nil {
			_ = s.Resume(sol) // it may be of another case
		}
	})
}
