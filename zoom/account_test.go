package zoom

import (
	"errors"
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Every plan counts its runs alike: one without an answer that counts is missing and has failed, unless its failure is
// what was sought, or another run continues it.
func TestAccountOfRuns(t *testing.T) {
	answer := func(name string) run.Outcome {
		o := run.NewOutcome(run.Job{Name: name}, event.Converged, nil)
		o.Steered = []event.Receipt{{}}
		return o
	}
	stalled := run.NewOutcome(run.Job{Name: "stalled"}, event.Stalled, errors.New("no flow"))
	crashed := run.NewOutcome(run.Job{Name: "crashed"}, event.Crashed, errors.New("no licence"))
	wrong := errors.New("its efficiency is above 1")
	l := ledger{Runs: 5, Cached: 2, entries: []*entry{
		{outcome: answer("counts")},
		{outcome: answer("excluded"), excluded: "ex*"},
		{outcome: answer("wrong"), err: wrong},
		{outcome: stalled, err: stalled.Err},
		{outcome: crashed, err: crashed.Err},
		{outcome: answer("continued"), replaced: true},
		{outcome: crashed, err: crashed.Err, Wanted: machine.Wanted{Further: machine.Further{After: "continued"}}},
		{outcome: answer("earlier"), past: &Recalled{Counts: true}},
		{outcome: answer("start"), past: &Recalled{}},
	}}
	a := l.account(l.entries, func(e *entry) bool { return noFlow(&e.outcome) })
	must.Equal(t, []string{
		"run excluded: bad_output: said to be unusable by command, as ex*",
		"run wrong: converged: its efficiency is above 1",
		"run crashed: crashed: no licence",
	}, convert.All(a.Missing, Missing.String))
	must.Equal(t, [6]int{7, 7, 3, 1, 5, 2},
		[6]int{a.Planned, len(a.Outcomes), a.Failed, len(a.Earlier), a.Runs, a.Cached})
	if len(a.Outcomes[0].Steered) != 1 || a.Outcomes[1].Steered != nil {
		t.Error("an excluded answer counts as steered, or another does not")
	}
	lacks := failures(wrong, l.entries)
	must.Equal(t, 5, len(lacks.Failed))
	if err := lacks.Failed[1].Err; err != wrong {
		t.Errorf("the answer that contradicts itself has the reason %v", err)
	}
}

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
