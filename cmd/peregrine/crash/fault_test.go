//go:build linux

package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Faults are drawn: whom it hits, and when.

// victim is whom a kill hits.
type victim string

const (
	executiveAlone victim = "the executive"
	executiveGroup victim = "the executive's process group"
	aSolver        victim = "a solver"
	watchdogAlone  victim = "the watchdog"
	everybody      victim = "every process at once"
)

var victims = []victim{executiveAlone, executiveGroup, aSolver, watchdogAlone, everybody}

// survived reports whether a study goes on without a victim.
func (v victim) survived() bool { return v == aSolver || v == watchdogAlone }

// fault is what happens to a study.
type fault struct {
	victim victim
	signal syscall.Signal
	number int           // which solver, in the order of their starts, from 0
	after  time.Duration // since the start of the command or, of a solver or watchdog, of that process
	twice  time.Duration // until the signal comes a second time; negative: it does not
}

func (f fault) String() string {
	whom := string(f.victim)
	if f.victim == aSolver {
		whom = fmt.Sprintf("solver %d", f.number+1)
	}
	text := fmt.Sprintf("%s to %s, %.1f ms after its start", unix.SignalName(f.signal), whom, f.after.Seconds()*1e3)
	if f.twice >= 0 {
		text += fmt.Sprintf(", and once more %.1f ms later", f.twice.Seconds()*1e3)
	}
	return text
}

// solverRuns is how many runs a study of any kind makes at least; in rounds some go on from others.
const solverRuns = 5

// drawKill draws a kill of a study that takes a while.
func drawKill(rng *rand.Rand, v victim, whole time.Duration) fault {
	f := fault{victim: v, signal: syscall.SIGKILL, twice: -1, after: share(rng, whole)}
	if v == aSolver {
		f.number, f.after = rng.IntN(solverRuns), share(rng, whole/3)
	}
	return f
}

// drawSignal draws a signal to the executive. Every other one comes twice.
func drawSignal(rng *rand.Rand, n int, whole time.Duration) fault {
	f := fault{victim: executiveAlone, signal: syscall.SIGINT, twice: -1, after: share(rng, whole)}
	if n%2 == 1 {
		f.signal = syscall.SIGTERM
	}
	if n/2%2 == 1 {
		f.twice = share(rng, 60*time.Millisecond)
	}
	return f
}

// share is a random part of a time.
func share(rng *rand.Rand, whole time.Duration) time.Duration {
	return time.Duration(rng.Float64() * float64(whole))
}

// strike lets a fault happen to a command, and reports whether it came in time.
func (t *trial) strike(c *command, f fault) (hit bool) {
	t.Helper()
	began := time.Now()
	pid := c.pid()
	switch f.victim {
	case aSolver:
		pid = t.await(c, t.kind.solves(f.number), f.number)
		began = time.Now()
	case watchdogAlone:
		pid = t.await(c, watchdog, 0)
		began = time.Now()
	}
	if pid == 0 || !c.sleepUntil(began.Add(f.after)) {
		return false
	}
	switch f.victim {
	case executiveGroup:
		pid = -pid
	case everybody:
		for _, p := range t.processes() {
			_ = syscall.Kill(p.pid, f.signal) // or it has just ended
		}
		return true
	}
	if f.victim == executiveGroup && c.ended() { // others of the group may live on
		return false
	}
	if syscall.Kill(pid, f.signal) != nil {
		return false
	}
	if f.twice >= 0 {
		c.sleepUntil(time.Now().Add(f.twice))
		_ = syscall.Kill(pid, f.signal)
	}
	return true
}

// await returns the n-th process of a role that a command starts, from 0; 0 if the command ends before.
func (t *trial) await(c *command, r role, n int) int {
	t.Helper()
	var seen []int
	for !c.ended() {
		for _, p := range t.processes() {
			if p.role == r && !slices.Contains(seen, p.pid) {
				seen = append(seen, p.pid)
			}
		}
		if len(seen) > n {
			return seen[n]
		}
		time.Sleep(time.Millisecond)
	}
	return 0
}

// sleepUntil waits for a moment; false if the command ends before.
func (c *command) sleepUntil(at time.Time) bool {
	select {
	case <-c.done:
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}
