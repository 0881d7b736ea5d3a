package perfmap_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// Lines that cross end before that, where the fewest runs are lost by it.
func TestFromCrossedLines(t *testing.T) {
	slow := [][3]float64{{80, 1.5, 0.8}, {85, 1.45, 0.9}, {88, 1.3, 0.85}, {89, 1.2, 0.8}}
	fast := [][3]float64{{90, 1.7, 0.8}, {95, 1.65, 0.9}, {98, 1.5, 0.85}, {99, 1.4, 0.8}}
	long := append(append([][3]float64{{80, 1.715, 0.7}, {85, 1.71, 0.7}}, fast...),
		[][3]float64{{99.2, 1.3, 0.7}, {99.5, 1.1, 0.7}}...)
	with := func(line [][3]float64, at int, p [3]float64) [][3]float64 {
		out := append([][3]float64{}, line...)
		out[at] = p
		return out
	}
	for _, c := range []struct {
		name       string
		slow, fast [][3]float64
		cut        []perfmap.CutPoint
		lines      int
		stall      bool
	}{
		{"none", slow, fast, nil, 2, true},
		{
			"stall end of the faster", slow, with(fast, 0, [3]float64{78, 1.46, 0.7}),
			[]perfmap.CutPoint{{Run: "a", Nc: 1, Other: 0.9}}, 2, false,
		},
		{
			"stall end of the slower", with(slow, 0, [3]float64{93, 1.9, 0.7}), long,
			[]perfmap.CutPoint{{Run: "a", Nc: 0.9, Other: 1}}, 2, false,
		},
		{"choke end of the slower", with(slow, 3, [3]float64{100, 1.39, 0.7}), long,
			[]perfmap.CutPoint{{Run: "d", Nc: 0.9, Other: 1}}, 2, true},
		{"a line of three", slow, [][3]float64{{78, 1.46, 0.7}, {95, 1.65, 0.9}, {98, 1.5, 0.85}},
			[]perfmap.CutPoint{{Run: "a", Nc: 1, Other: 0.9}, {Run: "b", Nc: 1, Other: 0.9},
				{Run: "c", Nc: 1, Other: 0.9}}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := []perfmap.Line{perfmaptest.Line(0.9, c.slow...), perfmaptest.Line(1, c.fast...)}
			_, strict := perfmap.FromLines("m", lines, perfmap.LineOptions{})
			m, cut, err := perfmap.FromCrossedLines(t.Context(), "m", lines, perfmap.LineOptions{Stall: true})
			if err != nil || (strict == nil) != (c.cut == nil) {
				t.Fatal(strict, err)
			}
			must.Equal(t, c.cut, cut)
			if len(m.Nc) != c.lines || (m.Stall != nil) != c.stall {
				t.Errorf("%d lines, stall line %v", len(m.Nc), m.Stall)
			}
		})
	}
}

// Whatever runs of dense lines scatter by, there is a map, through every run that it does not leave out. What cannot
// be a line is refused all the same.
func TestScatteredLines(t *testing.T) {
	made := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888})
	testenv.Check(t, func(t *rapid.T) {
		lines := sampleLines(t, made)
		all := 0
		for i := range lines {
			for k := range lines[i].Points {
				v := lines[i].Points[k].Values
				by := rapid.Float64Range(0.8, 1.2).Draw(t, "scatter")
				v["Wc"], v["PR"] = v["Wc"]*by, v["PR"]*by*by // at one throttle
				all++
			}
		}
		m, cut, err := perfmap.FromCrossedLines(t.Context(), "m", lines, perfmap.LineOptions{Stall: true})
		must.OK(t, err)
		if n := len(m.Origin.Points); n+len(cut) != all {
			t.Fatalf("%d runs, %d on the map and %d left out", all, n, len(cut))
		}
		for _, o := range m.Origin.Points {
			for _, l := range lines {
				for _, p := range l.Points {
					v, _ := m.Value("Wc", perfmap.Point{Nc: o.Nc, X: o.X})
					if l.Nc == o.Nc && p.Run == o.Run && math.Abs(v.V/p.Values["Wc"]-1) > 1e-9 {
						t.Fatalf("Nc %g, run %s: Wc %g, on the map %g", o.Nc, p.Run, p.Values["Wc"], v.V)
					}
				}
			}
		}
	})
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := perfmap.FromCrossedLines(ended, "m", manyLines(3, 0),
		perfmap.LineOptions{}); err != context.Canceled {
		t.Errorf("a map that was cancelled: %v", err)
	}
	short := []perfmap.Line{perfmaptest.Line(1, [3]float64{90, 1.7, 0.85})}
	_, _, err := perfmap.FromCrossedLines(t.Context(), "m", short, perfmap.LineOptions{})
	var fault *perfmap.Error
	if err == nil || errors.As(err, &fault) {
		t.Errorf("a line of one run: %v", err)
	}
}

// ending is a context that ends once it was asked so often whether it has.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a map is in the making, it ends soon after its context, and no map is made.
func TestMakingEnds(t *testing.T) {
	for _, scatter := range []float64{0, 0.005} {
		lines := manyLines(10, scatter)
		const all = 1 << 40
		ctx := &ending{Context: t.Context()}
		ctx.left.Store(all)
		must.Value(making(ctx, lines))(t)
		asked := all - ctx.left.Load()
		if asked < 20 { // by each line and each pass over a table
			t.Errorf("scatter %g: asked %d times only", scatter, asked)
		}
		for _, n := range []int64{0, 1, asked / 4, asked / 2, asked - 1} {
			ctx.left.Store(n)
			if m, err := making(ctx, lines); m != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("scatter %g, ended after %d of %d: %v", scatter, n, asked, err)
			}
			if after := -ctx.left.Load(); after > 20 {
				t.Errorf("scatter %g: asked %d times after the end", scatter, after)
			}
		}
	}
}

func making(ctx context.Context, lines []perfmap.Line) (*perfmap.Map, error) {
	m, _, err := perfmap.FromCrossedLines(ctx, "m", lines, perfmap.LineOptions{Stall: true})
	return m, err
}
