package picture

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/contour"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A scale's levels are round, cover the values, and leave a calm value midway.
func TestScale(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e3, 1e3).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 1e3).Draw(t, "range")
		calm := math.NaN()
		if rapid.Bool().Draw(t, "calm") {
			calm = rapid.Float64Range(lo, hi).Draw(t, "at")
		}
		count := rapid.IntRange(4, 40).Draw(t, "count")
		s := newScale([]float64{lo, (lo + hi) / 2, hi}, 0, count, calm)
		if s.level(0) > lo+1e-6*s.step || s.level(s.n) < hi-1e-6*s.step {
			t.Fatalf("%g to %g does not cover %g to %g", s.level(0), s.level(s.n), lo, hi)
		}
		if float64(s.n) < 0.6*float64(count)-1 || float64(s.n) > 1.6*float64(count)+2 {
			t.Fatalf("%d steps for about %d", s.n, count)
		}
		digit := s.step / math.Pow(10, math.Floor(math.Log10(s.step)*(1+1e-12)+1e-9))
		if d := math.Round(digit); math.Abs(digit-d) > 1e-6 || d != 1 && d != 2 && d != 5 {
			t.Fatalf("step %g", s.step)
		}
		off := 0.0
		if !math.IsNaN(calm) {
			off = calm/s.step - 0.5
		}
		if x := s.lo/s.step - off; math.Abs(x-math.Round(x)) > 1e-4 {
			t.Fatalf("level %g with steps of %g, calm %g", s.lo, s.step, calm)
		}
	})
	even := newScale([]float64{1, 1, 1}, 0.01, 10, math.NaN())
	if even.n < 1 || even.n > 30 || !(even.level(0) <= 1 && even.level(even.n) >= 1) {
		t.Errorf("of a uniform field: %+v", even)
	}
}

// A figure of several panels keeps its paper, and refuses formats that are none.
func TestFigure(t *testing.T) {
	fig := &Figure{title: "two panels", note: "one\nunder the other", width: 400, rows: [][]*panel{
		{
			{Plot: paper.Panel("a", "x", "y"), extent: [2]float64{2, 1}},
			{Plot: paper.Panel("b", "x", ""), extent: [2]float64{1, 3}},
		},
		{{Plot: paper.Panel("c", "x", "y"), height: 80, bar: &scale{step: 0.05, n: 31}}}, // numbers at round values
	}}
	for _, row := range fig.rows {
		boxes, high := lay(row, fig.width-2*margin)
		wide := gap * 0
		for n, b := range boxes {
			wide += b.w
			if n > 0 {
				wide += gap
			}
			if b.h > high {
				t.Errorf("panel of %g in a row of %g", b.h, high)
			}
		}
		if wide > fig.width-2*margin+1e-6 {
			t.Errorf("a row of %g on paper of %g", wide, fig.width)
		}
	}
	across, up := fig.rows[0][0].rest()
	boxes, _ := lay(fig.rows[0], fig.width-2*margin)
	if r := float64((boxes[0].w - across) / (boxes[0].h - up)); math.Abs(r-2) > 1e-6 {
		t.Errorf("a panel of 2 by 1 is %g wide for its height", r)
	}
	var b bytes.Buffer
	if err := fig.Write(&b, "svg"); err != nil || !bytes.Contains(b.Bytes(), []byte("under the other")) ||
		!bytes.Contains(b.Bytes(), []byte(">0.5<")) || bytes.Contains(b.Bytes(), []byte(">0.05<")) {
		t.Error(err)
	}
	if err := fig.Write(&b, "gif"); err == nil {
		t.Error("gif was written")
	}
}

// A thinned line stays within the tolerance, and keeps its ends.
func TestThinned(t *testing.T) {
	var circle []contour.Point
	for k := range 721 {
		a := float64(k) * math.Pi / 360
		circle = append(circle, contour.Point{X: math.Cos(a), Y: math.Sin(a)})
	}
	thin := thinned(circle, 0.01)
	if len(thin) > 60 || thin[0] != circle[0] || thin[len(thin)-1] != circle[720] {
		t.Errorf("%d points", len(thin))
	}
	for _, p := range circle {
		least := 1.0
		for k := 1; k < len(thin); k++ {
			least = min(least, off(p, thin[k-1], thin[k]))
		}
		if least > 0.01+1e-12 {
			t.Fatalf("%g off", least)
		}
	}
}
