package perfmap_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// sampleLines draws points from a made map's speed lines, as a solver would give them.
func sampleLines(t *rapid.T, m *perfmap.Map) []perfmap.Line {
	var lines []perfmap.Line
	for _, nc := range rapid.SliceOfNDistinct(rapid.SampledFrom([]float64{0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.05}), 1, 4,
		rapid.ID).Draw(t, "speeds") {
		l := perfmap.Line{Nc: nc}
		n := rapid.IntRange(3, 9).Draw(t, "points")
		for i := range n {
			p := perfmap.LinePoint{Values: map[string]float64{}, Run: string(rune('a' + i)), Error: 1e-3}
			for _, name := range []string{"Wc", "PR", "eff"} {
				v, _ := m.Value(name, perfmap.Point{Nc: nc, X: 1 + 1.5*float64(i)/float64(n-1)})
				p.Values[name] = v.V
			}
			l.Points = append(l.Points, p)
		}
		lines = append(lines, l)
	}
	return lines
}

// Every run is on the map, whatever the order in which runs finished.
func TestFromLinesReproducesEveryRun(t *testing.T) {
	made := compressor(t, perfmap.CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888})
	testenv.Check(t, func(t *rapid.T) {
		lines := sampleLines(t, made)
		options := perfmap.LineOptions{Stall: true, Source: "test", Versions: map[string]string{"solver": "1"}}
		m := must.Value(perfmap.FromLines("zoomed", lines, options))(t)
		for _, l := range lines {
			for _, p := range l.Points {
				x, edge, err := m.Solve("Wc", 0, l.Nc, p.Values["Wc"])
				if err != nil || edge&^(perfmap.XLow|perfmap.XHigh) != 0 {
					t.Fatalf("%v %v", err, edge)
				}
				for name, want := range p.Values {
					if v, _ := m.Value(name, perfmap.Point{Nc: l.Nc, X: x}); math.Abs(v.V-want) > 1e-9*want {
						t.Fatalf("Nc %g, run %s: %s %g, want %g", l.Nc, p.Run, name, v.V, want)
					}
				}
			}
		}

		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		for i := range lines {
			p := lines[i].Points
			r.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
			lines[i].Points = append(p, p[0]) // and a duplicate
		}
		shuffled := must.Value(perfmap.FromLines("zoomed", lines, options))(t)
		must.Equal(t, m, shuffled, cmpopts.IgnoreUnexported(perfmap.Map{}))
	})
}

func TestFromLinesRefuses(t *testing.T) {
	good := [][3]float64{{90, 1.7, 0.85}, {95, 1.65, 0.9}, {96, 1.5, 0.85}}
	nanPoint := perfmaptest.Line(1, good...)
	nanPoint.Points[1].Values["PR"] = math.NaN()
	partly := perfmaptest.Line(1, good...)
	partly.Points[2].Values["PR_core"] = 1.5
	noEff := perfmaptest.Line(1, good...)
	delete(noEff.Points[0].Values, "eff")
	for _, c := range []struct {
		lines []perfmap.Line
		want  string
	}{
		{nil, `map "m": no speed lines`},
		{
			[]perfmap.Line{perfmaptest.Line(1, good[:2]...)},
			`map "m": speed line Nc 1: 2 different points, needs at least 3`,
		},
		{
			[]perfmap.Line{perfmaptest.Line(1, good[0], good[1], good[1])},
			`map "m": speed line Nc 1: 2 different points, needs at least 3`,
		},
		{[]perfmap.Line{nanPoint}, `map "m": speed line Nc 1, run b: PR is NaN`},
		{[]perfmap.Line{partly}, `map "m": speed line Nc 1, run a: has no PR_core, which other runs have`},
		{[]perfmap.Line{noEff}, `map "m": speed line Nc 1, run a: has no eff`},
		{[]perfmap.Line{perfmaptest.Line(-1, good...)}, `map "m": speed line Nc -1: the speed must be above 0`},
		{
			[]perfmap.Line{
				perfmaptest.Line(0.9, good...),
				perfmaptest.Line(1, [3]float64{80, 1.4, 0.8}, [3]float64{95.5, 1.65, 0.8}, [3]float64{99, 1.3, 0.8}),
			},
			`map "m": Wc and PR, row 2 (Nc 1): the speed line crosses that of Nc 0.9 (between Rline 1.543 and 2 there, 1 and 1.38 here, near Wc 80, PR 1.4)`},
	} {
		_, err := perfmap.FromLines("m", c.lines, perfmap.LineOptions{})
		if err == nil {
			t.Errorf("no error, want %s", c.want)
		} else if d := cmp.Diff(c.want, err.Error()); d != "" {
			t.Error(d)
		}
	}
}

// A single line follows the fan laws, and says when it is asked far away.
func TestSingleLineFollowsFanLaws(t *testing.T) {
	line := perfmaptest.Line(0.95, [3]float64{90, 1.7, 0.85}, [3]float64{95, 1.65, 0.9}, [3]float64{96, 1.5, 0.85})
	m := must.Value(perfmap.FromLines("fan", []perfmap.Line{line}, perfmap.LineOptions{}))(t)
	testenv.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1, 2).Draw(t, "x")
		r := rapid.Float64Range(0.5, 1.3).Draw(t, "r")
		out, at := make([]perfmap.Value, 3), make([]perfmap.Value, 3)
		m.At(0, 0.95, x, out)
		edge := m.At(0, 0.95*r, x, at)
		if far := math.Abs(r-1) > perfmap.LineTolerance*(1+1e-12); far != (edge != 0) &&
			math.Abs(math.Abs(r-1)-perfmap.LineTolerance) > 1e-12 {
			t.Fatalf("edge %v at %g of the line's speed", edge, r)
		}
		work := func(pr float64) float64 { return math.Pow(pr, 0.4/1.4) - 1 }
		if math.Abs(at[0].V/out[0].V-r) > 1e-12 || math.Abs(work(at[1].V)/work(out[1].V)-r*r) > 1e-11 ||
			at[2].V != out[2].V {
			t.Fatalf("%v at %g, %v on the line", at, r, out)
		}
		const h = 1e-6
		lo, hi := make([]perfmap.Value, 3), make([]perfmap.Value, 3)
		m.At(0, 0.95*r-h, x, lo)
		m.At(0, 0.95*r+h, x, hi)
		for i := range at {
			if d := (hi[i].V - lo[i].V) / (2 * h); math.Abs(at[i].DNc-d) > 1e-6*(1+math.Abs(d)) {
				t.Fatalf("%s: %g by Nc, difference %g", m.Tables[i].Name, at[i].DNc, d)
			}
		}
		if x < 1+h || x > 2-h || near(m.X, x, h) {
			return
		}
		m.At(0, 0.95*r, x-h, lo)
		m.At(0, 0.95*r, x+h, hi)
		for i := range at {
			if d := (hi[i].V - lo[i].V) / (2 * h); math.Abs(at[i].DX-d) > 1e-5*(10+math.Abs(d)) {
				t.Fatalf("%s: %g by X, difference %g", m.Tables[i].Name, at[i].DX, d)
			}
		}
	})
}

// A line whose pressure ratio falls towards stall, as a fan's does beyond its
// peak, is not folded: its flow rises from stall to choke.
func TestFromLinesBeyondThePeak(t *testing.T) {
	var points []perfmap.LinePoint
	for i, wc := range []float64{505, 527, 547, 567, 585, 605} {
		pr := 1.566 - 0.00003*(wc-567)*(wc-567)
		points = append(points,
			perfmap.LinePoint{Values: map[string]float64{"Wc": wc, "PR": pr, "eff": 0.9 - 1e-5*(wc-590)*(wc-590)},
				Run: fmt.Sprint("run ", i)})
	}
	m := must.Value(perfmap.FromLines("fan", []perfmap.Line{{Nc: 1, Points: points}},
		perfmap.LineOptions{Stall: true}))(t)
	last := 0.0
	for x := 1.0; x <= 2; x += 0.01 {
		v, _ := m.Value("Wc", perfmap.Point{Nc: 1, X: x})
		if v.V < last {
			t.Fatalf("the flow falls from %g to %g at Rline %.2f", last, v.V, x)
		}
		last = v.V
	}
}
