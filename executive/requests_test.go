package executive_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// requestZoomer is a knownZoomer whose studies follow live settings.
type requestZoomer struct {
	knownZoomer
	live *live.Settings
}

func (z requestZoomer) Study(ctx context.Context, c *config.Zoom, judge *executive.Judge) (*study.Study, error) {
	s, err := z.knownZoomer.Study(ctx, c, judge)
	s.Pool.Live = z.live
	return s, err
}

// requesting zooms the known fan, and makes a user's request when its first map exists.
func requesting(t *testing.T, engine *config.Engine, request func(c *live.Settings)) *result.Results {
	t.Helper()
	z := requestZoomer{knownZoomer{t: t, solver: smooth, workers: 2}, live.New()}
	var once sync.Once
	r, err := executive.Run(t.Context(), engine, []string{"1400K"},
		executive.Options{Zoomer: z, Record: func(e event.Event) event.Event {
			if e.Kind == event.Map && request != nil {
				once.Do(func() { request(z.live) })
			}
			return e
		}})
	must.OK(t, err)
	must.Fail(t, z.live.Add(live.Added{Component: "fan", Speed: 1, Throttle: 1}),
		"is made, and is changed no more")
	return r
}

// points are the runs of the zoomed map, by name.
func points(r *result.Results) (names []string) {
	for _, p := range r.ZoomedMaps["fan"].Map.Origin.Points {
		names = append(names, p.Run)
	}
	return names
}

// An answer marked unusable is in no map, and the map reports it; an added run is in the map. A grid takes runs on its
// lines alone.
func TestRequestsOnAGrid(t *testing.T) {
	testenv.Long(t, "four grids")
	engine := func() *config.Engine {
		e := knownEngine(t, 0, "absolute", 1400)
		e.Zooms[0].Runs = 5
		return e
	}
	plain := requesting(t, engine(), nil)
	names := points(plain)
	out := names[1]
	r := requesting(t, engine(), func(c *live.Settings) { must.OK(t, c.SetUsable(out, false)) })
	if got := points(r); slices.Contains(got, out) || len(got) != len(names)-1 || r.Cases[0].Zoom["fan"].Failed != 1 {
		t.Errorf("%s is out, of %q: %q", out, names, got)
	}
	told(t, r, out)
	restored := requesting(t, engine(), func(c *live.Settings) {
		must.OK(t, c.SetUsable(out, false))
		if c.SetUsable("another", true) == nil {
			t.Error("what was not said is taken back")
		}
		must.OK(t, c.SetUsable(out, true))
	})
	if got := points(restored); !slices.Equal(got, names) {
		t.Errorf("%q, want %q", got, names)
	}
	added := requesting(t, engine(), func(c *live.Settings) {
		for text, want := range map[string]string{
			"fan n=97.3 % throttle=1":  "takes runs on its lines, at",
			"fan n=100 % throttle=1.1": "such as 1.07 and 1.145", "fun n=100 % throttle=1": "did you mean fan?",
			"fan n=5 % throttle=1": "want 10 to 150 %",
		} {
			a := must.Value(live.ParseAdded(text))(t)
			must.Fail(t, c.Add(a), want)
		}
		for k := range 12 {
			must.OK(t, c.Add(live.Added{Component: "fan", Speed: 1, Throttle: math.Pow(1.07, float64(k))}))
		}
	})
	if got := points(added); len(got) <= len(names) ||
		slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(got, n) }) {
		t.Errorf("%q, and with runs that were added %q", names, got)
	}
}

// told checks that a warning names a run whose answer is left out.
func told(t *testing.T, r *result.Results, name string) {
	t.Helper()
	for _, w := range r.Warnings {
		if w.Rule == "zoom_runs_failed" && strings.Contains(strings.Join(w.Evidence, "\n"),
			"said to be unusable by command, as "+name) {
			return
		}
	}
	t.Errorf("nothing says that %s is left out: %+v", name, r.Warnings)
}

// The model of runs that refines takes any further run, leaves out answers that are not to count, and stops at the
// user's error.
func TestRequestsInRounds(t *testing.T) {
	engine := func() *config.Engine { return knownEngine(t, 1e-4, "absolute", 1400) }
	plain := requesting(t, engine(), nil)
	names := points(plain)
	added := requesting(t, engine(), func(c *live.Settings) {
		a := must.Value(live.ParseAdded("fan n=93 % throttle=1.6"))(t)
		must.OK(t, c.Add(a))
		a.Alpha = 5
		must.Fail(t, c.Add(a), "alpha = 5: no vane or blade of fan turns")
	})
	if got := points(added); !slices.ContainsFunc(got,
		func(n string) bool { return strings.HasPrefix(n, "fan-n093.000-k+00.4700") }) {
		t.Errorf("%q has no run that was added", got)
	}
	out := names[0]
	r := requesting(t, engine(), func(c *live.Settings) { must.OK(t, c.SetUsable(out, false)) })
	if got := points(r); slices.Contains(got, out) || !r.Cases[0].Converged || r.Cases[0].Zoom["fan"].Failed != 1 {
		t.Errorf("%s is out: %q, %+v", out, got, r.Cases[0].Zoom["fan"])
	}
	told(t, r, out)
	rough := requesting(t, engine(), func(c *live.Settings) { must.OK(t, c.Want("fan", 0.2)) })
	if a, b := rough.Cases[0].Zoom["fan"], plain.Cases[0].Zoom["fan"]; a.Runs >= b.Runs || a.Error > 0.2 {
		t.Errorf("%d runs to 0.2, error %g, and %d to 1e-4", a.Runs, a.Error, b.Runs)
	}
}
