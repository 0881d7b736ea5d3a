package history_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// However long a run is, its curve stays small and keeps both ends and its extremes.
func TestCurveKeepsExtremes(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "samples")
		seed := rapid.Float64Range(0.01, 3).Draw(t, "shape")
		at := rapid.IntRange(0, n-1).Draw(t, "peak")
		sum := history.NewSummary()
		low, high, last := math.Inf(1), math.Inf(-1), 0.0
		for i := range n {
			y := math.Sin(seed*float64(i)) * float64(i%7)
			if i == at {
				y = 1000
			}
			low, high, last = min(low, y), max(high, y), y
			sum.Value("p", float64(i), y)
		}
		c := sum.Curves()[0]
		if len(c.Points) > 600 || c.Count != n {
			t.Fatalf("%d points of %d samples, counted %d", len(c.Points), n, c.Count)
		}
		gotLow, gotHigh := math.Inf(1), math.Inf(-1)
		for i, p := range c.Points {
			gotLow, gotHigh = min(gotLow, p.Y), max(gotHigh, p.Y)
			if i > 0 && p.X < c.Points[i-1].X {
				t.Fatalf("point %d goes back: %v after %v", i, p, c.Points[i-1])
			}
		}
		if gotLow != low || gotHigh != high || c.Points[0].X != 0 ||
			c.Last() != last || c.Points[len(c.Points)-1].X != float64(n-1) {
			t.Fatalf("from %g to %g, ends %v and %v; want %g to %g, last %g", gotLow, gotHigh, c.Points[0],
				c.Points[len(c.Points)-1], low, high, last)
		}
	})
}

// A run that goes back repeats what it had: the repetition stands in its place.
func TestCurveOfARestart(t *testing.T) {
	sum := history.NewSummary()
	for i := range 100 {
		sum.Value("p", float64(i), 1)
	}
	for i := 50; i < 80; i++ {
		sum.Value("p", float64(i), 2)
	}
	for _, p := range sum.Curves()[0].Points {
		if want := map[bool]float64{true: 2, false: 1}[p.X >= 50]; p.Y != want || p.X >= 80 {
			t.Fatalf("%v, want %g", p, want)
		}
	}
}

func TestValuesThatAreNotFinite(t *testing.T) {
	sum := history.NewSummary()
	sum.Value("p", 1, 0.5)
	sum.NotFinite("p", 2)
	sum.NotFinite("p", 3)
	sum.Value("q", 1, math.Inf(1))
	c := sum.Curves()
	if *c[0].Odd != 2 || len(c[0].Points) != 1 ||
		*c[1].Odd != 1 || len(c[1].Points) != 0 || !math.IsNaN(c[1].Last()) {
		t.Errorf("%+v", c)
	}
}

// Messages that differ by their numbers alone are one, with the first line and the last. There are not more than so
// many.
func TestNotes(t *testing.T) {
	sum := history.NewSummary()
	for i := range 1000 {
		text := "bounding k, min: -" + string(rune('0'+i%10))
		sum.Note(history.Note{Kind: event.Warning, Text: text, File: "log", Line: i + 1})
	}
	for i := range 200 {
		text := string(rune('a'+i/26)) + string(rune('a'+i%26))
		sum.Note(history.Note{Kind: event.Message, Text: text, File: "log", Line: 2000 + i})
	}
	notes, more := sum.Notes()
	if n := notes[0]; n.Count != 1000 || n.Line != 1 || n.Last != 1000 {
		t.Errorf("%+v", n)
	}
	if len(notes) != 60 || more != 200-59 {
		t.Errorf("%d notes and %d more", len(notes), more)
	}
}

func TestSummaryIsBounded(t *testing.T) {
	sum := history.NewSummary()
	for i := range 500 {
		name := "v" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		sum.Value(name, 1, 1)
		sum.Array(name, 1, make([]float64, 10))
	}
	sum.Array("huge", 1, make([]float64, 1e5))
	if len(sum.Curves()) > 64 || len(sum.Profiles()) > 16 {
		t.Errorf("%d curves, %d profiles", len(sum.Curves()), len(sum.Profiles()))
	}
}

func TestEvents(t *testing.T) {
	sum := history.NewSummary()
	for i := range 3 {
		sum.Event(&event.Event{Kind: event.Iteration, Source: event.Plugin, Values: map[string]float64{
			"iteration": float64(10 * i), "residual": 1 / float64(i+1), "target_p": 1,
		}})
	}
	sum.Event(&event.Event{Kind: event.Profile, Source: event.Plugin, Arrays: map[string][]float64{"Ps": {1, 2}}})
	sum.Event(&event.Event{Kind: event.Warning, Text: "negative volume", File: "log", Line: "cell 7"})
	c, notes := sum.Curves(), 0
	if n, _ := sum.Notes(); len(n) == 1 && n[0].Quote == "cell 7" {
		notes = 1
	}
	if len(c) != 1 || c[0].Name != "residual" || len(c[0].Points) != 3 || c[0].Points[2].X != 20 ||
		len(sum.Profiles()) != 1 || notes != 1 {
		t.Errorf("%+v, %+v", c, sum.Profiles())
	}
}
