package run

// How far a study is, for people. A board knows only what events tell, so it
// serves a terminal, a log and a replay of old events alike.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Board follows the events of a study. Its methods may be called from several goroutines.
type Board struct {
	mu      sync.Mutex
	total   int
	done    int
	cached  int
	failed  int
	running map[string]Running
}

// Running is a run that goes on.
type Running struct {
	Run       string
	Iteration float64
	Residual  float64 // 0: none told yet
	Started   time.Time
}

// Progress is how far a study is.
type Progress struct {
	Total, Done    int
	Cached, Failed int       // of those done
	Running        []Running // by name
}

// NewBoard returns the board of a study with that many jobs.
func NewBoard(total int) *Board { return &Board{total: total, running: map[string]Running{}} }

// Observe takes an event; it fits Pool.Observe.
func (b *Board) Observe(e event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e.Run == "":
	case e.Kind == event.Started && e.Source == event.Host:
		b.running[e.Run] = Running{Run: e.Run, Started: e.Time}
	case e.Kind == event.Iteration:
		r := b.running[e.Run]
		r.Run = e.Run
		r.Iteration = max(r.Iteration, e.Values["iteration"])
		if v, ok := e.Values["residual"]; ok {
			r.Residual = v
		}
		b.running[e.Run] = r
	case e.Kind == event.Ended && (e.Source == event.Host || e.Source == event.Executive):
		delete(b.running, e.Run)
		b.ended(e)
	}
}

func (b *Board) ended(e event.Event) {
	if e.Follows {
		return
	}
	b.done++
	if e.Cached {
		b.cached++
	}
	if e.Class != event.Converged {
		b.failed++
	}
}

// Progress returns the present state.
func (b *Board) Progress() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := Progress{Total: b.total, Done: b.done, Cached: b.cached, Failed: b.failed}
	for _, run := range slices.Sorted(maps.Keys(b.running)) {
		p.Running = append(p.Running, b.running[run])
	}
	return p
}

// String is one line: 5/8 done, 1 failed | n100-p3 240 3.2e-04 | n100-p4 180 1.1e-03
func (p Progress) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d/%d done", p.Done, p.Total)
	if p.Cached > 0 {
		fmt.Fprintf(&s, ", %d from the cache", p.Cached)
	}
	if p.Failed > 0 {
		fmt.Fprintf(&s, ", %d failed", p.Failed)
	}
	for _, r := range p.Running {
		fmt.Fprintf(&s, " | %s %.0f %.1e", r.Run, r.Iteration, r.Residual)
	}
	return s.String()
}
