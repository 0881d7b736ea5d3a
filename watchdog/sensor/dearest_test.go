package sensor

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The dearest sensor of the slowest thread is lowered, in all threads, until what is left fits; what is cheap is left
// alone.
func TestDearestIsLowered(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	b := NewBoard(BoardOptions{Clock: at})
	pair := []Field{{Name: "n"}, {Name: "thread"}}
	must.OK(t,
		b.Declare(Spec{Name: "cheap", Kind: Tracing, Fields: pair}, Spec{Name: "dear", Kind: Tracing, Fields: pair}))
	instance := func(name string, th *Thread) *Instance { return must.Value(b.Sensor(name))(t).In(th, "") }
	slow, quick := b.Thread("run", "slow"), b.Thread("run", "quick")
	g := newBudget(b, 0.05)
	spend := func(name string, th *Thread, calls uint64, each time.Duration) {
		m := &instance(name, th).account.traced
		m.calls += calls
		m.took(int64(each))
	}
	spend("cheap", slow, 2, time.Millisecond)
	spend("dear", slow, 300, time.Millisecond)
	spend("dear", quick, 10, time.Millisecond)
	at.Advance(time.Second)
	events := g.review(b.now())
	must.Equal(t, 3, len(events)) // 302 ms of a second, 151, 75.5; 37.8 fit
	for n, factor := range []float64{2, 4, 8} {
		must.Equal(t, "dear", events[n].Name)
		must.Equal(t, factor, events[n].Values["lowered"])
	}
	must.Near(t, "share", events[0].Values["share"], 0.302, 1e-12)
	for _, s := range b.Status() {
		if want := map[string]int{"cheap": 1, "dear": 8}[s.Origin.Spec.Name]; s.Lowered != want || s.Every != want {
			t.Errorf("status %+v", s)
		}
	}
}
