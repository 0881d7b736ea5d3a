package run_test

// What runs may use: each that uses more is ended with a class and a reason that say so, and the others go on.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

func TestProcessesAreLimited(t *testing.T) {
	if _, err := process.Table(); err != nil {
		testenv.NotHere(t, "processes cannot be counted")
	}
	p := newPool(t)
	p.Policy = run.DefaultPolicy()
	p.Limits.Allowance.Processes = 8
	out := testFaults(t, p, []failing{
		{"iterate 3; fork 12; hang", event.OverLimit, "more than the 8 that its zoom allows"},
		{"fork 4; sleep 300ms; iterate 3", event.Converged, ""},
	})
	if out[0].Attempts != 1 {
		t.Errorf("%d attempts", out[0].Attempts)
	}
}

func TestDiskOfARunIsLimited(t *testing.T) {
	p, faults := without(t), []failing{
		{"iterate 3; fill 300; hang", event.OverLimit, "more than the 0.021 GB that its zoom allows (limits.disk)"},
		{"fill 10; iterate 3", event.Converged, ""},
	}
	if testenv.IsLong(t) {
		p, faults = newPool(t), append(faults, failing{"deaf; fill 60; hang", event.OverLimit, "did not stop"})
	}
	p.Limits.Disk = 20 << 20
	testFaults(t, p, faults)
}

// The study's folder is bounded by what all runs have left: the first that comes beyond is stopped, and no later one
// starts.
func TestDiskOfAStudyIsLimited(t *testing.T) {
	p := without(t)
	p.Workers, p.Limits.StudyDisk = 1, 30<<20
	out := runAll(t, p,
		job("a", 1, "fill 15"), job("b", 1, "fill 300; hang"), job("c", 1, ""),
	)
	for i, want := range []event.Class{event.Converged, event.OverLimit, event.OverLimit} {
		if out[i].Class != want || want != event.Converged && !strings.Contains(out[i].Err.Error(),
			"limits.study_disk") {
			t.Errorf("%s: %s: %v", out[i].Job.Name, out[i].Class, out[i].Err)
		}
	}
	if _, err := record.Read(out[2].Folder); err == nil {
		t.Error("a solver was started in a full study")
	}
}

func TestLogAndReplyAreLimited(t *testing.T) {
	p := newPool(t)
	p.Limits.Log, p.Limits.Reply = 100_000, 1<<20
	out := testFaults(t, p, []failing{
		{"flood 3; crash", event.Crashed, "exit status 7"},
		{"huge 200000", event.BadOutput, "larger than max"},
		{"huge 20000", event.Converged, ""},
	})
	if info, err := os.Stat(filepath.Join(out[0].Folder, plugin.LogFile)); err != nil || info.Size() > 110_000 {
		t.Errorf("a log of %d bytes, %v", info.Size(), err)
	}
}

// A solver that takes too long to come up has hung, by the limit of its zoom.
func TestStartIsLimited(t *testing.T) {
	p := newPool(t)
	p.Limits.Start = 100 * time.Millisecond
	p.Program.Command = []string{"/bin/sleep", "1000"}
	out, err := p.Run(t.Context(), []run.Job{job("a", 1, "")})
	if err != nil || out[0].Class != event.Hung || !strings.Contains(out[0].Err.Error(), "deadline exceeded") {
		t.Errorf("%s: %v, %v", out[0].Class, out[0].Err, err)
	}
}
