package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A terminal has one line, which is not written more often than people read; elsewhere a long
// transient has a line now and then and a short one none.
func TestTransientProgress(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	step := func(name string, wall float64) event.Event {
		return event.Event{Source: event.Executive, Kind: event.Progress, Name: name, Time: at.Now(), Wall: wall,
			Values: map[string]float64{
				"t": 2.5, "duration": 25, "step": 0.125, "shafts.hp.N": 8000,
			}}
	}
	const want = "slam: t 2.500 of 25 s (2.5 x real time, about 9 s left), step 0.12 s, N hp 8000 rpm"

	var out strings.Builder
	p := &Progress{out: &out, terminal: true, clock: at, board: view.NewBoard()}
	p.observe(step("slam", 1))
	p.observe(step("bodie", 1)) // too soon
	if got := out.String(); got != "\r\x1b[K"+want {
		t.Errorf("a terminal gets %q", got)
	}
	out.Reset()
	at.Advance(time.Second)
	p.observe(step("bodie", 1))
	if got := out.String(); !strings.Contains(got, "bodie: t 2.500") {
		t.Errorf("a second later a terminal gets %q", got)
	}
	out.Reset()
	p.done()
	at.Advance(time.Second)
	p.observe(step("slam", 1)) // nothing comes after the end
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("in the end a terminal gets %q", got)
	}

	out.Reset()
	p = &Progress{out: &out, clock: at, board: view.NewBoard(), lines: map[string]int{}}
	for _, wall := range []float64{1, 9, 11, 12, 19, 21} {
		p.observe(step("slam", wall))
		p.observe(step("bodie", 1))
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || strings.ContainsAny(out.String(), "\r\x1b") ||
		strings.Contains(out.String(), "bodie") {
		t.Errorf("elsewhere it is %q", out.String())
	}
}
