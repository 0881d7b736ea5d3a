package report

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/internal/paper/papertest"
)

// shape writes the curves of a picture, for comparison.
func shape(p picture) string {
	var b strings.Builder
	for _, f := range p.families {
		fmt.Fprintf(&b, "%s:", f.name)
		for _, c := range f.curves {
			fmt.Fprintf(&b, " %s", c.value)
			for _, run := range c.runs {
				b.WriteString("(")
				for i, s := range run {
					if i > 0 {
						b.WriteString(" ")
					}
					fmt.Fprintf(&b, "%.4g,%.4g", s.x, s.y)
					if s.beyond {
						b.WriteString("!")
					}
				}
				b.WriteString(")")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The contents of plots: over an axis, one result over another, and a carpet. Curves run in rising order, with gaps at
// points that did not converge.
func TestPictures(t *testing.T) {
	for _, c := range []struct {
		name string
		plot config.Plot
		want string
	}{
		{"over an axis", config.Plot{X: "performance.Fn", Y: "performance.TSFC"},
			"ambient.mach: 0(20,20.4! 30,20.2 40,20) 0.8(40,21)\n"},
		{"over the other", config.Plot{X: "ambient.mach", Y: "burner.out.Tt"},
			"performance.Fn: 40 kN(0,1200 0.8,1240) 30 kN(0,1100) 20 kN(0,1000!)\n"},
		{
			"result over result, one family",
			config.Plot{X: "burner.out.Tt", Y: "performance.TSFC", Lines: "ambient.mach"},
			"ambient.mach: 0(1000,20.4! 1100,20.2 1200,20) 0.8(1240,21)\n"},
		{"result over result, both", config.Plot{X: "burner.out.Tt", Y: "performance.TSFC"},
			"ambient.mach: 0(1000,20.4! 1100,20.2 1200,20) 0.8(1240,21)\nperformance.Fn: 40 kN(1200,20 1240,21) 30 " +
				"kN(1100,20.2) 20 kN(1000,20.4!)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := sweepReport{example()}.pictures(c.plot, unit.SI)
			must.Equal(t, 1, len(list))
			must.Equal(t, c.want, shape(list[0]))
			if want :=
				"2 of 6 points did not converge and are left out; hollow marks: a map was extrapolated"; list[0].
				note != want {
				t.Errorf("note %q, want %q", list[0].note, want)
			}
			for _, format := range []string{"svg", "png"} {
				var first, second bytes.Buffer
				must.OK(t, list[0].draw(&first, format))
				if err := list[0].draw(&second, format); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Errorf("%s: the same picture comes out in two ways (%v)", format, err)
				}
				if format == "svg" {
					papertest.SVG(t, c.name, first.Bytes())
				}
			}
		})
	}
}

// The axes that a plot does not show make a picture of each of their values.
func TestPicturesOfThreeAxes(t *testing.T) {
	r := example()
	r.Sweep.Over = append([]config.Axis{
		{Quantity: config.Quantity{Path: "ambient.altitude", Dim: unit.Length}, Values: []float64{0, 9000}},
	}, r.Sweep.Over...)
	rows := r.Rows
	r.Rows = nil
	for i, h := range r.Sweep.Over[0].Values {
		for _, row := range rows {
			row.Values = append([]float64{h}, row.Values...)
			row.Values[3] += float64(i)
			r.Rows = append(r.Rows, row)
		}
	}
	var titles []string
	list := sweepReport{r}.pictures(config.Plot{X: "performance.Fn", Y: "performance.TSFC"}, unit.SI)
	for _, p := range list {
		titles = append(titles, p.title)
	}
	want := []string{
		`Engine, "two" words: example, ambient.altitude 0 m`, `Engine, "two" words: example, ambient.altitude 9000 m`,
	}
	must.Equal(t, want, titles)
	low, high := list[0].families[0].curves[0].runs[0][0], list[1].families[0].curves[0].runs[0][0]
	if math.Abs(high.y-low.y-1e6) > 1e-3 { // 1 kg/(N s) is 1e6 g/(kN s)
		t.Errorf("%v and %v", low, high)
	}
}

// A carpet lies open, whichever way the values run: no offset that folds it is chosen.
func TestCarpetIsOpen(t *testing.T) {
	for _, slope := range [][2]float64{{1, 1}, {1, 0.5}, {1, -0.5}, {1, -1}, {1, 2}, {0, 1}, {-1, 0.75}} {
		r := example()
		for i := range r.Rows {
			row := &r.Rows[i]
			row.Converged = true
			// The first axis runs from 0 to 1 with i, the second from 1 to 0 (as the file has it).
			row.Values[3] = 1000 + slope[0]*float64(i/3) + slope[1]*(1-float64(i%3)/2)
		}
		p := sweepReport{r}.pictures(config.Plot{Y: "burner.out.Tt"}, unit.SI)[0]
		if p.x != "" || len(p.families) != 2 {
			t.Fatalf("abscissa %q, %d families", p.x, len(p.families))
		}
		// Corners of the carpet, in the order of going round.
		a, b := p.families[0].curves[0].runs[0], p.families[0].curves[1].runs[0]
		q := []spot{a[0], a[len(a)-1], b[len(b)-1], b[0]}
		area, xs, ys := 0.0, []float64{}, []float64{}
		for i, s := range q {
			n := q[(i+1)%4]
			area += (s.x*n.y - n.x*s.y) / 2
			xs, ys = append(xs, s.x), append(ys, s.y)
		}
		box := spread(xs) * spread(ys)
		if math.Abs(area) < 0.1*box {
			t.Errorf("slopes %v: the carpet covers %.3f of its box", slope, math.Abs(area)/box)
		}
	}
}

func spread(v []float64) float64 {
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	return hi - lo
}

// Ticks are round numbers within the range, some with labels.
func TestTicks(t *testing.T) {
	for _, r := range [][2]float64{{0, 1}, {22.3, 33.9}, {6300, 8100}, {-1e-5, 3e-5}, {1e9, 1.1e9}} {
		labels := 0
		for _, k := range (paper.Ticks{}).Ticks(r[0], r[1]) {
			if k.Value < r[0]-1e-9*math.Abs(r[1]-r[0]) || k.Value > r[1]+1e-9*math.Abs(r[1]-r[0]) {
				t.Errorf("%v: tick at %g", r, k.Value)
			}
			if k.Label != "" {
				labels++
			}
		}
		if labels < 3 || labels > 8 {
			t.Errorf("%v: %d labels", r, labels)
		}
	}
}

// An axis has the name of its quantity, not its path alone.
func TestAxisTitle(t *testing.T) {
	for path, want := range map[string]string{
		"performance.Fn":  "net thrust Fn",
		"performance.OPR": "overall pressure ratio OPR",
		"burner.out.Tt":   "burner.out total temperature Tt",
		"fan.SMN":         "fan.SMN",
		"shafts.lp.N":     "shafts.lp.N",
	} {
		if got := axisTitle(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
