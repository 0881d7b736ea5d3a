package zoom

import (
	"errors"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Runs that failed for one cause are counted, not listed, whatever the numbers in their messages.
func TestFailedRunsAreCountedByCause(t *testing.T) {
	e := &NoMapError{Err: errors.New("no run gave an answer")}
	add := func(class event.Class, folder, why string) {
		o := run.NewOutcome(run.Job{}, class, nil)
		o.Folder = folder
		o.Err = o.Failure(why, nil)
		e.Failed = append(e.Failed, o)
	}
	for i := range 8 {
		add(event.Timeout, fmt.Sprint("runs/", i), "step solve did not end within 10s")
		add(event.Stalled, "", fmt.Sprintf("inlet flow fell to %d kg/s at iteration %d", i, 3*i))
	}
	add(event.Crashed, "runs/c", "exit status 3; it printed:\nFATAL: choked\n")
	add(event.Crashed, "", "no licence")
	add(event.Lost, "", "the host has ended")
	const want = `no map could be made: no run gave an answer
  8 runs timeout: step solve did not end within 10s
    see runs/0
  8 runs stalled: inlet flow fell to 0 kg/s at iteration 0
  1 run crashed: exit status 3; it printed:
    FATAL: choked
    see runs/c
  and 2 runs of other causes`
	if got := e.Error(); got != want {
		t.Errorf("got\n%s", got)
	}
}
