package march

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// known is a series of n values with a limit of 1: x(i) is what it lacks.
func known(n int, x func(i float64) float64) [][3]float64 {
	out := make([][3]float64, n)
	for i := range out {
		for c := range out[i] {
			out[i][c] = 1 + x(float64(i))/float64(1+c)
		}
	}
	return out
}

// Known series: the estimate is no less than the distance from the limit, and not many times it.
func TestDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		name string
		n    int
		x    func(i float64) float64
		most float64 // estimate over distance
	}{
		{"decay", 60, func(i float64) float64 { return math.Exp(-i / 20) }, 2.1},
		{"slow decay", 60, func(i float64) float64 { return 1e-3 * math.Exp(-i/100) }, 6},
		{"growing less", 200, func(i float64) float64 { return -1e-2 * math.Exp(-i/33) }, 2.1},
		{"oscillating decay", 80, func(i float64) float64 { return math.Exp(-i/25) * math.Cos(0.4*i+0.3) }, 14},
		{
			"two modes, the fast one greater", 60,
			func(i float64) float64 { return math.Exp(-i/5) + 1e-3*math.Exp(-i/50) }, 3,
		},
		{
			"decay and oscillation", 120,
			func(i float64) float64 { return 1e-3*math.Exp(-i/40) + 1e-2*math.Exp(-i/15)*math.Sin(0.5*i) }, 3,
		},
		{"decay and noise", 100, func(i float64) float64 { return 1e-2*math.Exp(-i/33) + 1e-8*random.NormFloat64() },
			3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := known(tc.n, tc.x)
			d := distance(x)
			for c := range d {
				left := math.Abs(x[tc.n-1][c] - 1)
				t.Logf("distance %.3g, estimate %.3g", left, d[c])
				if d[c] < left || d[c] > tc.most*left {
					t.Errorf("distance %.3g, estimate %.3g", left, d[c])
				}
			}
		})
	}
}

// A series that does not settle has an error of many times its swing, and a short one that of all it did.
func TestDistanceOfWhatDoesNotSettle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, tc := range []struct {
		name  string
		n     int
		x     func(i float64) float64
		least float64
	}{
		{"cycle of a limiter", 100, func(i float64) float64 { return 1e-4 * math.Sin(0.7*i) }, 1e-3},
		{"cycle of three values", 100, func(i float64) float64 { return 1e-4 * math.Mod(i, 3) }, 1e-3},
		{"decay into a cycle", 100, func(i float64) float64 { return math.Exp(-i/5) + 1e-4*math.Sin(1.3*i) }, 1e-3},
		{"drift", 100, func(i float64) float64 { return 1e-5 * i }, 1e-3},
		{"noise", 100, func(i float64) float64 { return 1e-6 * random.NormFloat64() }, 1e-5},
		{"few samples", 8, func(i float64) float64 { return 1e-3 * math.Exp(-i/3) }, 1e-3},
		{"no number", 50, func(i float64) float64 { return math.Sqrt(20 - i) }, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, d := range distance(known(tc.n, tc.x)) {
				t.Logf("estimate %.3g", d)
				if !(d >= tc.least/3) || math.IsInf(d, 0) {
					t.Errorf("estimate %.3g, want at least %.3g", d, tc.least)
				}
			}
		})
	}
	for n, s := range []Series{nil, {{1, 1, 1}}, {{1, 1, 1}, {1, 1, 1}}} {
		if u := s.Unsettled(); u != (Sample{1, 1, 1}) {
			t.Errorf("%d samples: %v", n, u)
		}
	}
	if u := make(Series, 20).Unsettled(); u != (Sample{}) {
		t.Errorf("of what does not move: %v", u)
	}
}

// Over random series of a fast mode that swings and a slow one 95 in 100 are within the estimate. Where the slow one
// does not swing, the estimate is at most four times the distance on average; else its phase is not known, and it may
// be more.
func TestDistanceIsHonest(t *testing.T) {
	for name, most := range map[string]float64{"decays": 4, "swings": 12} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, 6))
			trials := 100
			if testenv.IsLong(t) {
				trials = 500
			}
			within, estimates, squares := 0, 0.0, 0.0
			for range trials {
				x, left, unit := twoModes(random, name == "swings")
				for c, d := range distance(x) {
					if d >= left[c] {
						within++
					}
					estimates += d / unit[c] / float64(3*trials)
					squares += left[c] / unit[c] * left[c] / unit[c] / float64(3*trials)
				}
			}
			ratio := estimates / math.Sqrt(squares)
			t.Logf("%d of %d within, mean estimate over distance %.2f", within, 3*trials, ratio)
			if within < 3*trials*95/100 || ratio > most {
				t.Errorf("%d of %d within, mean estimate over distance %.2f", within, 3*trials, ratio)
			}
		})
	}
}

// twoModes is a random series with a fast mode that swings and a slow one that may. Left are the distances of its
// last values from their limits, unit what they may be at this time, whatever the phase.
func twoModes(random *rand.Rand, swings bool) (x [][3]float64, left, unit [3]float64) {
	n := 40 + random.IntN(260)
	fast, slow := 2+random.Float64()*float64(n)/15, float64(n)/8*(1+2*random.Float64())
	size, phase := math.Pow(10, -3*random.Float64()), 2*math.Pi*random.Float64()
	swing := 0.0
	if swings {
		swing = 2 * math.Pi / (4 + random.Float64()*float64(n)/6)
	}
	for range n {
		x = append(x, [3]float64{})
	}
	for c := range left {
		slowly := size * random.NormFloat64()
		for i := range x {
			f := float64(i)
			lacks := math.Exp(-f/fast)*math.Cos(phase+f/3+float64(c)) + slowly*math.Exp(-f/slow)*math.Cos(swing*f)
			x[i][c], left[c] = 1+lacks, math.Abs(lacks)
		}
		unit[c] = math.Exp(-float64(n-1)/fast) + math.Abs(slowly)*math.Exp(-float64(n-1)/slow)
	}
	return x, left, unit
}
