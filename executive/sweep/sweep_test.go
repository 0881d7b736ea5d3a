package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

func sessionOf(t testing.TB, cfg *config.Engine) *session.Session {
	t.Helper()
	return must.Value(session.Open(context.Background(), cfg))(t)
}

func solve(t testing.TB, s *session.Session, name string, workers int) *Result {
	t.Helper()
	return must.Value(Solve(context.Background(), s, s.Engine.Sweep(name), Options{Workers: workers}))(t)
}

// column returns one column of a sweep.
func column(t testing.TB, r *Result, path string) []float64 {
	t.Helper()
	i := slices.IndexFunc(r.Sweep.Columns(), func(q config.Quantity) bool { return q.Path == path })
	if i < 0 {
		t.Fatalf("no column %s", path)
	}
	var v []float64
	for _, row := range r.Rows {
		v = append(v, row.Values[i])
	}
	return v
}

// A point of a sweep is the case that it would be by itself.
func TestSweepIsItsCases(t *testing.T) {
	// binds at the highest thrusts
	cfg := enginetest.Parse(t, enginetest.Turbojet+strings.Replace(enginetest.Sweeps, "1350 K", "1200 K", 1))
	s := sessionOf(t, cfg)
	r := solve(t, s, "throttle", 2)
	tsfc, t4 := column(t, r, "performance.TSFC"), column(t, r, "burner.out.Tt")
	for i, row := range r.Rows {
		if !row.Converged {
			t.Fatalf("row %d: %s", i, row.Message)
		}
		c := config.Case{Name: "alone", From: "cruise",
			Set: []config.Setting{{Path: "ambient.mach", Value: config.Value{Num: row.Values[0]}}},
			Solve: []config.Balance{
				{Vary: "burner.FAR", Until: "performance.Fn", Target: cfg.Sweep("throttle").Over[1].Values[i%8]},
			}}
		alone, err := s.SolveCase(context.Background(), s.Model, &c)
		if err != nil || !alone.Converged {
			t.Fatal(err, alone.Message)
		}
		if d := cmp.Diff([]float64{alone.Performance.TSFC, alone.Stations["burner.out"].Tt}, []float64{tsfc[i], t4[i]},
			cmpopts.EquateApprox(1e-9, 0)); d != "" {
			t.Errorf("row %d, mach %g, %g N (-alone +swept):\n%s", i, row.Values[0], row.Values[1], d)
		}
		if d := math.Abs(row.Values[1] - alone.Performance.Fn); d > 1e-9*row.Values[1] {
			t.Errorf("row %d: Fn is %g, not %g", i, alone.Performance.Fn, row.Values[1])
		}
		if d := cmp.Diff(alone.Limited, row.Limited); d != "" {
			t.Errorf("row %d: limits (-alone +swept):\n%s", i, d)
		}
	}
	limited := 0
	for _, row := range r.Rows {
		limited += len(row.Limited)
	}
	if limited == 0 || limited == len(r.Rows) {
		t.Errorf("%d of %d rows at the limit", limited, len(r.Rows))
	}
	if got := r.Rows[9].Values[:2]; got[0] != 0.5 || math.Abs(got[1]-18e3) > 1e-9 {
		t.Errorf("the tenth row is at %v", got)
	}
}

// The number of workers does not change a result, to the last bit.
func TestSweepDoesNotDependOnWorkers(t *testing.T) {
	s := sessionOf(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps))
	for _, name := range []string{"throttle", "trade", "both", "gaps"} {
		if d := cmp.Diff(solve(t, s, name, 1).Rows, solve(t, s, name, 3).Rows, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s (-one worker +three):\n%s", name, d)
		}
	}
}

// In a trade study each design is that of an engine with these values in its file,
// and an operating point that of this engine.
func TestTradeStudyDesignsAgain(t *testing.T) {
	cfg := enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps)
	s := sessionOf(t, cfg)
	one := func(pr, t4 float64, extra string) *result.Results {
		text := strings.NewReplacer("PR: 13.5", fmt.Sprintf("PR: %g", pr), "2370 degR",
			fmt.Sprintf("%.17g K", t4)).Replace(enginetest.Turbojet)
		cfg := enginetest.Parse(t, text+extra)
		cases := must.Value(sessionOf(t, cfg).Solve(t.Context(), session.CaseNames(cfg), 1))(t)
		return &result.Results{Cases: cases}
	}
	trade := solve(t, s, "trade", 2)
	for _, row := range trade.Rows {
		p := one(row.Values[0], row.Values[1], "").Cases[0]
		want := []float64{row.Values[0], row.Values[1], p.Performance.TSFC, p.Performance.Fn,
			p.Stations["ambient.out"].W}
		if d := cmp.Diff(want, row.Values, cmpopts.EquateApprox(1e-9, 0)); d != "" || !row.Converged {
			t.Errorf("%v %s", d, row.Message)
		}
	}
	both := solve(t, s, "both", 2)
	for _, row := range both.Rows {
		p := one(row.Values[1], 2370*5/9.,
			fmt.Sprintf("cases: {x: {set: {ambient.mach: %g}, solve: [{vary: burner.FAR, until: performance.Fn = 40 "+
				"kN}]}}", row.Values[0])).Cases[1]
		if d := cmp.Diff(p.Performance.TSFC, row.Values[2], cmpopts.EquateApprox(1e-9, 0)); d != "" || !row.Converged {
			t.Errorf("%v %s", d, row.Message)
		}
		if row.Values[3] >= row.Values[1] {
			t.Errorf("at part thrust the pressure ratio is %g, at design %g", row.Values[3], row.Values[1])
		}
	}
	if both.Maps != nil {
		t.Error("maps of a trade study, where each design scales its own")
	}
}

// Components are zoomed at one design: a trade study cannot have them, other sweeps can.
func TestZoomedSweep(t *testing.T) {
	s := sessionOf(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps))
	must.Value(Solve(t.Context(), s, s.Engine.Sweep("throttle"), Options{Zoomed: true}))(t)
	must.Refuse(Solve(t.Context(), s, s.Engine.Sweep("trade"), Options{Zoomed: true}))(t,
		"sweep trade changes the design, and components are zoomed at one design point")
	vanes := *s.Engine.Sweep("throttle")
	vanes.Over = []config.Axis{
		{Quantity: config.Quantity{Path: "compressor.alpha"}, Values: []float64{0, 1},
			Pos: document.Pos{Line: 7, Column: 3}},
	}
	must.Value(Solve(t.Context(), s, &vanes, Options{Zoomed: true}))(t)
	s.Engine.Zooms = []config.Zoom{{Component: "compressor"}}
	must.Refuse(Solve(t.Context(), s, &vanes, Options{Zoomed: true}))(t,
		":7:3: sweep throttle: compressor.alpha is the setting of a zoomed component")
}

// A point that does not converge is a row with a reason, and is not the start of the next.
func TestSweepGoesOnAfterAFailure(t *testing.T) {
	cfg := enginetest.Parse(t,
		strings.Replace(enginetest.Turbojet+enginetest.Sweeps, "  - {path: burner.out.Tt, max: 1350 K}",
			"  - {path: burner.out.Tt, max: 9000 K}", 1))
	r := solve(t, sessionOf(t, cfg), "gaps", 1)
	var got []bool
	for _, row := range r.Rows {
		got = append(got, row.Converged)
		if row.Converged != (row.Message == "") {
			t.Errorf("converged %v, message %q", row.Converged, row.Message)
		}
	}
	if d := cmp.Diff([]bool{true, false, false, true, true}, got); d != "" || r.Failed() != 2 {
		t.Errorf("converged: %s", d)
	}
	if m := r.Rows[1].Message; !strings.Contains(m,
		"performance.Fn = 500 kN is out of reach: it has its greatest value, ") {
		t.Errorf("message %q", m)
	}
	for i, fn := range column(t, r, "performance.Fn") {
		if want := cfg.Sweep("gaps").Over[0].Values[i]; fn != want {
			t.Errorf("row %d is at %g, want %g", i, fn, want)
		}
	}
}

// A sweep that needs its case's solution does not start elsewhere; a sweep that does not need it does.
func TestSweepFromACaseOutOfReach(t *testing.T) {
	s := sessionOf(t, enginetest.Parse(t, enginetest.Turbojet+`
cases:
  dream: {solve: [{vary: burner.FAR, until: performance.Fn = 500 kN}]}
sweeps:
  leaning:
    from: dream
    over: {spool.offtake: [90 kW, 100 kW]}
    solve: [{vary: nozzle.Cv, until: performance.Fn = 40 kN}]
    collect: [performance.Fn]
  own: {from: dream, over: {performance.Fn: [40 kN]}, collect: [burner.FAR]}
`))
	for _, row := range solve(t, s, "leaning", 1).Rows {
		if row.Converged ||
			!strings.HasPrefix(row.Message, "case dream, from which the sweep starts, was not reached: ") {
			t.Errorf("converged %v: %s", row.Converged, row.Message)
		}
	}
	if row := solve(t, s, "own", 1).Rows[0]; !row.Converged {
		t.Error(row.Message)
	}
}

func TestSweepEndsWithItsContext(t *testing.T) {
	s := sessionOf(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Solve(ctx, s, s.Engine.Sweep("throttle"), Options{Workers: 2})
	if !errors.Is(err, context.Canceled) || r == nil || r.Failed() != 24 || r.Rows[0].Message != "not solved" {
		t.Errorf("%v %+v", err, r)
	}
}

// In the order of solving, each point is one step from the previous; the axes of the design change slowest; no point is
// left out.
func TestNeighbours(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		g := Lattice(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "grid"))
		first := rapid.SliceOfN(rapid.Bool(), len(g), len(g)).Draw(t, "first")
		order := g.neighbours(first)
		if sorted := slices.Sorted(slices.Values(order)); len(sorted) != g.Size() ||
			len(slices.Compact(sorted)) != g.Size() {
			t.Fatalf("%d of %d points", len(order), g.Size())
		}
		a, b := make([]int, len(g)), make([]int, len(g))
		designs := 1
		for i, row := range order {
			g.At(row, b)
			if g.Index(b) != row {
				t.Fatalf("%d is at %v, which is %d", row, b, g.Index(b))
			}
			steps, moved := 0, false
			for j := range g {
				steps += max(a[j]-b[j], b[j]-a[j])
				moved = moved || first[j] && a[j] != b[j]
			}
			if i > 0 && steps != 1 {
				t.Fatalf("from %v to %v", a, b)
			}
			if moved && i > 0 {
				designs++
			}
			copy(a, b)
		}
		want := 1
		for j, k := range g {
			if first[j] {
				want *= k
			}
		}
		must.Equal(t, want, designs)
		n := 0
		for _, c := range g.chunks(first) {
			must.Equal(t, order[n:n+len(c)], c)
			n += len(c)
		}
		must.Equal(t, len(order), n)
	})
}

// Errors of a sweep's equations are reported before any solve.
func TestCheckOfSweeps(t *testing.T) {
	for text, want := range map[string]string{
		"{over: {ambient.mach: [0]}, solve: [{vary: compressor.PR, until: performance.Fn = 3 kN}], collect: " +
			"[performance.Fn]}": "compressor.PR fixes the design",
		"{over: {ambient.mach: [0]}, solve: [{vary: spool.N, until: performance.Fn = 3 kN}], collect: " +
			"[performance.Fn]}": "spool.N is found by the engine itself",
		"{over: {ambient.mach: [0]}, collect: [performance.Fn]}": "",
	} {
		m, err := graph.New(enginetest.Parse(t, enginetest.Turbojet+"sweeps: {x: "+text+"}\n"))
		if err == nil {
			err = Check(m)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Progress counts every row once, in order.
func TestSweepTellsHowFarItIs(t *testing.T) {
	s := sessionOf(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps))
	last, calls := 0.0, 0
	_, err := Solve(context.Background(), s, s.Engine.Sweep("throttle"),
		Options{Workers: 3, Observe: func(e event.Event) {
			done, total := e.Values["points"], e.Values["planned"]
			if done <= last || total != 24 {
				t.Errorf("%g of %g after %g", done, total, last)
			}
			last, calls = done, calls+1
		}})
	if err != nil || last != 24 || calls < 2 {
		t.Errorf("%v: %g rows in %d calls", err, last, calls)
	}
}
