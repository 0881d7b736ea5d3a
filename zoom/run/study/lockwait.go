package study

// Points that another process runs. That process may take hours, or be stopped, so a waiting study reports it.

import (
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// quietWait is how long a study waits for another process without a word.
const quietWait = 4 * time.Second

// waiting are the points of a study that wait for other processes.
type waiting struct {
	study *Study

	mu     sync.Mutex
	timers map[cache.Key]*clock.Timer
	began  map[cache.Key]time.Time
	ended  bool
}

// begin notes that a job waits. If it still waits after a while, begin reports the process it waits for.
func (w *waiting) begin(key cache.Key, j run.Job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timers[key] == nil {
		w.began[key] = w.study.Pool.Clock.Now()
		w.timers[key] = w.study.Pool.Clock.AfterFunc(quietWait, func() { w.say(key, j) })
	}
}

// had records how long a job has waited, as it waits no more. It reports whether it waited.
func (w *waiting) had(key cache.Key, j run.Job) bool {
	w.mu.Lock()
	began, waited := w.began[key]
	delete(w.began, key)
	w.mu.Unlock()
	if waited {
		w.study.Pool.Span(j, began, event.Event{Name: attempt.SpanQueued, WaitsFor: "lock"})
	}
	return waited
}

func (w *waiting) say(key cache.Key, j run.Job) {
	w.mu.Lock() // end waits
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	if h, held := w.study.Cache.Holder(key); held && h.ID != process.Self() { // a study may have a point twice
		w.study.warn(j, fmt.Errorf("waits for %v, which runs this point, key %.12s; other points continue", h, key))
	}
}

// end ends the waiting.
func (w *waiting) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	for _, t := range w.timers {
		t.Stop()
	}
}
