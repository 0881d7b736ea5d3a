package sensor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// through records values and returns what came through a filter, the window that was left included.
func through(t failing, f sensor.Filter, values [][]float64) []sensor.Record {
	t.Helper()
	b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "s", Kind: sensor.Extended, Fields: pair, Filter: f,
		Full: sensor.Wait})
	var k kept
	l := watch(t, b, &k, sensor.LocalOptions{})
	th := b.Thread("run", "t")
	i := instance(t, th, b, "s", "")
	for _, v := range values {
		i.Record(v...)
	}
	th.Close()
	end(t, l)
	return k.records
}

func TestFilters(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	values := [][]float64{{1, 5}, {2, 3}, {2.05, 9}, {4, 1}, {3, 8}, {nan, 2}, {nan, 7}, {inf, 4}, {6, 6}}
	for _, c := range []struct {
		filter sensor.Filter
		want   string
	}{
		{sensor.Filter{Op: sensor.EveryNth, N: 4}, "[4 1] [+Inf 4]"},
		{sensor.Filter{Op: sensor.OnChange, Absolute: 0.1}, "[1 5] [2 3] [4 1] [3 8] [NaN 2] [+Inf 4] [6 6]"},
		{sensor.Filter{Op: sensor.OnChange, Relative: 0.6}, "[1 5] [2 3] [4 1] [NaN 2] [+Inf 4] [6 6]"},
		{sensor.Filter{Op: sensor.OnChange, Field: "thread", Absolute: 6}, "[1 5]"},
		{sensor.Filter{Op: sensor.Minimum, N: 3}, "[1 5] [NaN 2] [NaN 7]"},
		{sensor.Filter{Op: sensor.Minimum, N: 4, Field: "thread"}, "[4 1] [NaN 2] [6 6]"},
		{sensor.Filter{Op: sensor.Maximum, N: 4, Field: "thread"}, "[2.05 9] [3 8] [6 6]"},
		{sensor.Filter{Op: sensor.Mean, N: 2}, "[1.5 4] [3.025 5] [NaN 5] [NaN 5.5] [6 6]"},
	} {
		got := ""
		for _, r := range through(t, c.filter, values) {
			got += fmt.Sprint(r.Values, " ")
		}
		if got != c.want+" " {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.filter, got, c.want)
		}
	}
}

// No value that was let go differs by more than the tolerance from the last that passed.
func TestOnChangeKeepsItsTolerance(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		f := sensor.Filter{Op: sensor.OnChange, Absolute: rapid.Float64Range(0, 10).Draw(t, "absolute"),
			Relative: rapid.Float64Range(0, 1).Draw(t, "relative")}
		var values [][]float64
		for n, x := range rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 200).Draw(t, "x") {
			values = append(values, []float64{x, float64(n)})
		}
		got := through(t, f, values)
		last, next := 0.0, 0
		for n, v := range values {
			limit := f.Absolute + f.Relative*math.Abs(last)
			if next < len(got) && got[next].Values[1] == float64(n) {
				if n > 0 && !(math.Abs(v[0]-last) > limit) {
					t.Fatalf("value %d, %v, is within %v of %v", n, v[0], limit, last)
				}
				last = v[0]
				next++
			} else if n == 0 || math.Abs(v[0]-last) > limit {
				t.Fatalf("value %d, %v, was let go; the last that passed was %v, the tolerance is %v", n, v[0], last,
					limit)
			}
		}
	})
}

// A histogram's windows have every number once, and its quantiles are as exact as its digits say.
func TestHistogram(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "window")
		f := sensor.Filter{Op: sensor.Histogram, N: n, Resolution: 0.01, Greatest: 1e4, Digits: 3}
		xs := rapid.SliceOfN(rapid.Float64Range(0, 1.2e4), 1, 1000).Draw(t, "x")
		var values [][]float64
		var inside []float64
		for _, x := range xs {
			values = append(values, []float64{x, 0})
			if x <= f.Greatest {
				inside = append(inside, x)
			}
		}
		got := through(t, f, values)
		count, outside := 0.0, 0.0
		for k, r := range got {
			count, outside = count+r.Values[0], outside+r.Values[1]
			if r.Sequence != uint64(k+1) || k+1 < len(got) && r.Values[0] < float64(n) {
				t.Fatalf("window %d of %v", r.Sequence, r.Values)
			}
		}
		if count != float64(len(xs)) || outside != float64(len(xs)-len(inside)) {
			t.Fatalf("%v numbers and %v outside; want %d and %d", count, outside, len(xs), len(xs)-len(inside))
		}
		if len(got) == 1 && len(inside) > 0 {
			exact(t, got[0], inside)
		}
	})
}

// exact compares the summary of one window with what it counted.
func exact(t *rapid.T, r sensor.Record, xs []float64) {
	slices.Sort(xs)
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	// the nearest, as HDR has it
	rank := func(percent float64) float64 { return xs[max(1, int(percent/100*float64(len(xs))+0.5))-1] }
	want := []float64{sum / float64(len(xs)), xs[0], rank(50), rank(90), rank(99), rank(99.9), xs[len(xs)-1]}
	for k, f := range r.From.Spec.Output()[2:] {
		if x := r.Values[2+k]; math.Abs(x-want[k]) > 0.01+2e-3*want[k] {
			t.Fatalf("%s is %v, want %v", f.Name, x, want[k])
		}
	}
}

// A histogram without a number inside its range says so.
func TestHistogramOfNothing(t *testing.T) {
	got := through(t, sensor.Filter{Op: sensor.Histogram, N: 10, Resolution: 1, Greatest: 10},
		[][]float64{{math.NaN(), 0}, {-1, 0}, {11, 0}})
	if len(got) != 1 || got[0].Values[0] != 3 || got[0].Values[1] != 3 || !math.IsNaN(got[0].Values[2]) {
		t.Errorf("%+v", got)
	}
	if e := got[0].Event(); len(e.NonFinite) != 7 {
		t.Errorf("not finite: %v", e.NonFinite)
	}
}
