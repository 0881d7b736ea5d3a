package attempt

import (
	"math"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A run is silent while its solver works on it, and neither once it has answered nor while it is being stopped.
func TestSilenceEndsWithTheRun(t *testing.T) {
	t.Parallel()
	at := clock.NewManual(time.Unix(0, 0))
	beats := pulse{clock: clock.NewManual(at.Now()), last: at.Now()} // it is not suspended
	s := &stream{run: "a~2", attempt: 2, clock: at, pulse: beats, last: at.Now()}
	h := &Host{streams: map[string]*stream{s.run: s}}
	at.Advance(time.Minute)
	s.waits(true, false)
	if run, now, known := h.Silence("a", 2); run != s.run || now.First != time.Minute || !known {
		t.Errorf("%s is silent for %v, known %t", run, now, known)
	}
	for _, answered := range []bool{true, false} {
		s.waits(true, false)
		s.waits(false, answered)
		if _, now, known := h.Silence("a", 2); known {
			t.Errorf("over, answered %t: silent for %v", answered, now)
		}
	}
}

// The first event of a run does not turn the time of its start into a silence while that is read.
func TestSilenceWhileTheRunBegins(t *testing.T) {
	t.Parallel()
	at := clock.NewManual(time.Unix(0, 0))
	beats := pulse{clock: clock.NewManual(at.Now()), last: at.Now()} // it is not suspended
	s := &stream{clock: at, pulse: beats, last: at.Now()}
	at.Advance(time.Minute)
	var now Silences
	testenv.Between(&s.mu, func() { now, _ = s.present() }, func() { s.waits(true, true) })
	if now.Later > 0 {
		t.Errorf("silent for %v after the first event, and that came now", now.Later)
	}
}

// An event of a file that waits for the plugin's is heard when it is read, not when it is recorded.
func TestHeldEventIsHeardWhenItIsRead(t *testing.T) {
	t.Parallel()
	iteration := func(source event.Source, n float64) event.Event {
		return event.Event{Source: source, Seq: int64(n), Kind: event.Iteration,
			Values: map[string]float64{"iteration": n}}
	}
	at := clock.NewManual(time.Unix(0, 0))
	recorded := 0
	s := &stream{clock: at, pulse: pulse{clock: clock.NewManual(at.Now())}, most: math.MaxInt64,
		deliver: func(e event.Event) (event.Event, *Halt, []Instruction) {
			recorded++
			return e, nil, nil
		}}
	must.OK(t, s.open(t.TempDir()))
	s.fromPlugin(iteration(event.Plugin, 1))
	at.Advance(300 * time.Millisecond)
	s.fromFile(iteration(event.File, 2))
	at.Advance(900 * time.Millisecond)
	s.beat()
	if recorded != 2 || s.silence() != 900*time.Millisecond || s.latest.Sub(s.first) != 300*time.Millisecond {
		t.Errorf("%d events recorded, silent for %v, iterates for %v", recorded, s.silence(), s.latest.Sub(s.first))
	}
	s.fromPlugin(iteration(event.Plugin, 3))
	if later := s.longest().Later; later != 900*time.Millisecond {
		t.Errorf("it was silent for at most %v", later)
	}
	must.OK(t, s.close(false))
}

// Only while a run is waited for, a long time between two looks at the clock is a suspension: files are fetched after.
func TestSlowFetchIsNoSuspension(t *testing.T) {
	t.Parallel()
	for _, waited := range []bool{true, false} {
		steady := clock.NewManual(time.Unix(0, 0))
		gaps := 0
		s := &stream{clock: steady, pulse: pulse{clock: steady}, most: math.MaxInt64,
			deliver: func(e event.Event) (event.Event, *Halt, []Instruction) {
				if e.Name == event.Gap {
					gaps++
				}
				return e, nil, nil
			}}
		must.OK(t, s.open(t.TempDir()))
		s.waits(true, false)
		if !waited {
			s.waits(false, true)
		}
		for range 2 { // to stop the process, and to fetch its files
			steady.Advance(5 * time.Second)
			s.beat()
		}
		if (gaps > 0) != waited {
			t.Errorf("waited for %t: %d times suspended", waited, gaps)
		}
		must.OK(t, s.close(false))
	}
}
