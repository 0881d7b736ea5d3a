package attempt

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
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
