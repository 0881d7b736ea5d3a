package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// window is a part of a map: speed lines nc0 to nc1, columns x0 to x1.
type window struct {
	whole      *perfmap.Map
	nc0, nc1   int
	x0, x1     int
	extensions int
}

// about is the smallest window that contains a point.
func about(m *perfmap.Map, nc, x float64) *window {
	i, _ := slices.BinarySearch(m.Nc, nc)
	k, _ := slices.BinarySearch(m.X, x)
	return &window{whole: m, nc0: i - 1, nc1: i, x0: k - 1, x1: k}
}

func (w *window) cut(t testing.TB) *perfmap.Map {
	t.Helper()
	m := *w.whole
	m.Nc, m.X = m.Nc[w.nc0:w.nc1+1], m.X[w.x0:w.x1+1]
	m.Tables = slices.Clone(m.Tables)
	for i := range m.Tables {
		var v []float64
		for row := w.nc0; row <= w.nc1; row++ {
			v = append(v, w.whole.Tables[i].V[row*len(w.whole.X)+w.x0:row*len(w.whole.X)+w.x1+1]...)
		}
		m.Tables[i].V = v
	}
	m.Stall, m.StallLine = nil, nil
	return must.Value(perfmap.New(m))(t)
}

// widen moves the window's ends on some sides by one line, and reports whether any moved.
func (w *window) widen(sides perfmap.Edge) bool {
	before := *w
	if sides&perfmap.NcLow != 0 {
		w.nc0 = max(w.nc0-1, 0)
	}
	if sides&perfmap.NcHigh != 0 {
		w.nc1 = min(w.nc1+1, len(w.whole.Nc)-1)
	}
	if sides&perfmap.XLow != 0 {
		w.x0 = max(w.x0-1, 0)
	}
	if sides&perfmap.XHigh != 0 {
		w.x1 = min(w.x1+1, len(w.whole.X)-1)
	}
	return *w != before
}

// grower extends a map by a function.
type grower struct {
	t      *testing.T
	user   components.MapUser
	w      *window
	extend func(w *window, sides perfmap.Edge) error
}

func (g grower) Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge) {
	m, _, _ := g.user.Map()
	return zoom.Margin(m, at.NcMap, at.X, watched, limit)
}

func (g grower) Extend(_ context.Context, _ transient.Working, sides perfmap.Edge, e *result.Extension) error {
	if err := g.extend(g.w, sides); err != nil {
		return err
	}
	g.w.extensions++
	e.Runs = 1
	return g.user.SetMap(g.w.cut(g.t), false)
}

func (g grower) Place(nc, wc float64) (float64, bool) {
	m, s, _ := g.user.Map()
	x, _, err := m.Solve("Wc", m.Design.Alpha, nc/s.Nc, wc/s.Wc)
	return x, err == nil
}

func (grower) Requests() zoom.Requests                      { return zoom.Requests{} }
func (grower) Rebuild(context.Context, zoom.Requests) error { return nil }

// growing runs a slam of a turbojet. Its compressor's map is at first a window about the
// start and the design point; the test's function extends it.
func growing(t *testing.T, ctx context.Context, leaving string, extend func(w *window, sides perfmap.Edge) error,
	duration float64) (plain, r *result.Result, g *transient.MapExtender, w *window) {
	t.Helper()
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	c := config.Case{
		Name: "dips", Kind: "transient", Transient: &config.Transient{Duration: duration, RTol: 1e-7, ATol: 1e-4,
			Integrator: "dormand-prince",
			Schedules:  []config.Schedule{enginetest.Fuel(0, 1.2, 1, 0.6, 5, 0.6, 6, 1.1)}}}
	cfg.Cases = append(cfg.Cases, c)
	plain, _ = whole(t, cfg, "dips")
	m := settled(t, cfg)
	p := m.Index["compressor"]
	full, _, _ := p.Component.(components.MapUser).Map()
	w = about(full, full.Design.Nc, full.Design.X)
	w.nc1++
	must.OK(t, p.Component.(components.MapUser).SetMap(w.cut(t), false))
	g = transient.NewMapExtender(p, grower{t, p.Component.(components.MapUser), w, extend}, leaving)
	r = must.Value(transient.Solve(ctx, m.Model, &c, transient.Options{}, []*transient.MapExtender{g}))(t)
	return plain, r, g, w
}

// A map that is extended ahead of the engine gives the results of the whole map, and the
// engine is never outside of it.
func TestMapGrowsAhead(t *testing.T) {
	plain, r, g, w := growing(t, t.Context(), "extend", func(w *window, sides perfmap.Edge) error {
		if !w.widen(sides) {
			return transient.ErrCannotExtend
		}
		return nil
	}, 10)
	converged(t, r, plain)
	if len(r.Outside) > 0 || len(g.InTime.GaveUp) > 0 {
		t.Errorf("outside %v, gave up %v", r.Outside["compressor"], g.InTime.GaveUp)
	}
	if n := len(g.InTime.Extended); n < 3 || n != w.extensions {
		t.Errorf("%d extensions reported, %d made", n, w.extensions)
	}
	last := 0.0
	for _, e := range g.InTime.Extended {
		if e.T < last || e.T >= 10 || e.Side == "inside" || e.Runs != 1 {
			t.Errorf("%+v", e)
		}
		last = e.T
		if !slices.Contains(r.History.T, e.T) {
			t.Errorf("the history has no point at %g s, where the map was extended", e.T)
		}
	}
	for _, path := range []string{"shafts.spool.N", "performance.Fn", "burner.out.Tt"} {
		got, want := r.History.Column(path), plain.History.Column(path)
		near(t, path+" at the end", got[len(got)-1], want[len(want)-1], 1e-5)
		near(t, "the least "+path, slices.Min(got), slices.Min(want), 2e-3)
	}
}

// Where a map cannot be extended, or by the user's choice, it is extrapolated. The result
// reports since when and why. On its other sides the map is still extended.
func TestMapIsExtrapolated(t *testing.T) {
	broken := errors.New("all runs crashed")
	for _, c := range []struct {
		leaving string
		extend  error
	}{{"extrapolate", nil}, {"extend", broken}, {"extend", transient.ErrCannotExtend}} {
		_, r, g, w := growing(t, t.Context(), c.leaving, func(*window, perfmap.Edge) error { return c.extend }, 3)
		converged(t, r)
		o := r.Outside["compressor"]
		if o == nil || o.Bounds == "" || o.From >= o.To {
			t.Fatalf("outside: %+v", o)
		}
		if w.extensions > 0 || g.InTime.Leaving != c.leaving {
			t.Errorf("%d extensions, %+v", w.extensions, g.InTime)
		}
		if c.leaving == "extrapolate" {
			if g.InTime.Extended != nil || g.InTime.GaveUp != nil {
				t.Errorf("%+v", g.InTime)
			}
			continue
		}
		first := g.InTime.GaveUp[0]
		if first.Reason != c.extend.Error() || first.T > o.From || first.Side == "" {
			t.Errorf("gave up: %+v; outside from %g s", g.InTime.GaveUp, o.From)
		}
		seen := map[string]bool{}
		for _, up := range g.InTime.GaveUp {
			for _, side := range strings.Split(up.Side, ", ") {
				if seen[side] {
					t.Errorf("gave up twice: %v", g.InTime.GaveUp)
				}
				seen[side] = true
			}
		}
	}
}

// A map that never gets wide enough does not stop the transient for ever.
func TestMapThatDoesNotGrow(t *testing.T) {
	_, r, g, w := growing(t, t.Context(), "extend", func(*window, perfmap.Edge) error { return nil }, 3)
	if !r.Converged || w.extensions < 20 {
		t.Fatalf("%s after %d extensions", r.Message, w.extensions)
	}
	if len(g.InTime.GaveUp) == 0 || !strings.Contains(g.InTime.GaveUp[0].Reason, "were not enough") {
		t.Errorf("%+v", g.InTime.GaveUp)
	}
}

// A transient that is interrupted while it waits for a map has its history up to that time.
func TestInterruptedWhileMapGrows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, r, g, _ := growing(t, ctx, "extend", func(w *window, sides perfmap.Edge) error {
		if w.extensions == 2 {
			cancel()
			return ctx.Err()
		}
		w.widen(sides)
		return nil
	}, 10)
	if r.Ended == nil || r.Ended.Reason != "interrupted" || r.Ended.T <= 0 || r.Ended.T >= 10 ||
		len(g.InTime.GaveUp) > 0 {
		t.Fatalf("%+v %v", r.Ended, g.InTime.GaveUp)
	}
	if n := len(r.History.T); r.History.T[n-1] != r.Ended.T {
		t.Errorf("the history ends at %g s, the transient at %g s", r.History.T[n-1], r.Ended.T)
	}
}
