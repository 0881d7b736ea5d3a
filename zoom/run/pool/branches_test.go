package pool

import (
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// Which branch stands in for a point does not depend on which one ended first.
func TestStandInWasRequestedFirst(t *testing.T) {
	k := &BranchBook{live: live.New()}
	must.OK(t, k.live.Continue(t.TempDir()))
	failed, first, second := &branch.Branch{Name: "a-b1", Root: "a"}, &branch.Branch{Name: "a-b2", Root: "a"},
		&branch.Branch{Name: "a-b3", Root: "a"}
	for _, b := range []*branch.Branch{failed, first, second} {
		k.take(b)
	}
	k.end(second, run.NewOutcome(run.Job{Name: second.Name}, event.Converged, nil))
	k.end(failed, run.NewOutcome(run.Job{Name: failed.Name}, event.Diverged, nil))
	k.end(first, run.NewOutcome(run.Job{Name: first.Name}, event.Converged, nil))
	if list := k.StandIns(); len(list) != 1 || list[0].Name() != "a-b2" {
		t.Fatalf("%+v stand in", list)
	}
	k.StandsIn(k.StandIns()[0])
	if list := k.StandIns(); len(list) > 0 {
		t.Errorf("%+v stand in once more", list)
	}
}
