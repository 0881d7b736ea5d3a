package throughflow

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// A run that is killed may go on from the solution of any step: also of the last one on a mesh, behind which the next mesh
// follows and not another step, and of the last of all, behind which nothing follows.
func TestResumeFromAnyStep(t *testing.T) {
	c := e3Case(t)
	c.Settings = coarse
	c.Settings.Every = 1
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var saved []*Solution // by step, from 1
	whole, err := s.Run(context.Background(), func(march.Progress) march.Command {
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
	for _, n := range []int{0, last - 1, last, last + 1, len(saved) - 3} {
		var file bytes.Buffer
		if err := saved[n].Save(&file); err != nil {
			t.Fatal(err)
		}
		sol, err := LoadSolution(&file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(c)
		if err == nil {
			err = s.Resume(sol)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Run(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, r); diff != "" {
			t.Errorf("resumed behind step %d of %d, the last on the coarse mesh being %d: differs:\n%s", n+1, whole.Iterations, last+1, diff)
		}
	}
}
