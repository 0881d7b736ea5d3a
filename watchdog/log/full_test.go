//go:build linux

package log_test

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
)

const full = "PEREGRINE_TEST_FULL"

// On a full disk the study goes on: the fault is reported once, no half line stays, and
// when there is room the log goes on. A limit of file sizes stands for the disk.
func TestFullDisk(t *testing.T) {
	folder := os.Getenv(full)
	if folder == "" { // the limit is a process's own
		cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), full+"="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestFullDisk") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var faults, passed int
	l := open(t, nil, folder, func(e event.Event) {
		if e.Kind == event.Warning {
			faults++
		} else {
			passed++
		}
	})
	limit := func(size uint64) {
		t.Helper()
		var r syscall.Rlimit
		must.OK(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &r))
		r.Cur = min(size, r.Max)
		must.OK(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r))
	}
	line := event.Event{Kind: event.Planned, Name: strings.Repeat("x", 300)}
	limit(1000)
	for range 10 {
		l.Record(line)
	}
	limit(1 << 40)
	l.Record(event.Event{Kind: event.StudyEnded})
	if faults != 1 || passed != 11 {
		t.Errorf("%d faults were reported, %d events passed on", faults, passed)
	}
	must.OK(t, l.Close())
	events, err := log.Read(folder)
	if err != nil {
		t.Errorf("half a line stayed: %v", err)
	}
	if n := len(events); n != 3 || events[n-1].Kind != event.StudyEnded {
		t.Errorf("%d events are left", n)
	}
}
