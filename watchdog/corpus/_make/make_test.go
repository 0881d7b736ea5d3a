package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
)

// known is a run whose residual and value follow formulas, of n iterations.
func known(n int, residual, value func(i float64, d *rand.Rand) float64) *trace {
	d := rand.New(rand.NewPCG(1, 2))
	t := &trace{residual: map[string][]float64{}, end: true, bounding: make([]bool, n)}
	v := series{name: "force:0", scale: 1}
	for i := range n {
		t.time = append(t.time, float64(i+1))
		t.residual["U"] = append(t.residual["U"], residual(float64(i), d))
		v.time, v.value = append(v.time, float64(i+1)), append(v.value, value(float64(i), d))
	}
	t.watched = []series{v}
	return t
}

// Each rule decides the run that is made for it, and the gap between two rules is left out.
func TestRules(t *testing.T) {
	falls := func(rate float64) func(float64, *rand.Rand) float64 {
		return func(i float64, _ *rand.Rand) float64 { return math.Pow(10, -rate*i) }
	}
	stands := func(level float64) func(float64, *rand.Rand) float64 {
		return func(i float64, d *rand.Rand) float64 {
			return math.Max(level, math.Pow(10, -0.05*i)) * (1 + 0.02*d.NormFloat64())
		}
	}
	steady := func(i float64, _ *rand.Rand) float64 { return 1 + math.Exp(-i/10) }
	moves := func(i float64, _ *rand.Rand) float64 { return 1 + math.Exp(-i/200) }
	swings := func(by float64) func(float64, *rand.Rand) float64 {
		return func(i float64, _ *rand.Rand) float64 { return 1 + by*math.Sin(i/4) }
	}
	wild := func(_ float64, d *rand.Rand) float64 { return 1 + d.NormFloat64() }
	at := func(n int) func(*trace) { return func(x *trace) { x.criterion = n } }
	all, log := shown{log: true, tables: true}, shown{log: true}
	for _, tc := range []struct {
		name string
		run  *trace
		also func(*trace)
		made made
		want corpus.Label
	}{
		{"reaches its criterion", known(300, falls(0.02), steady), at(300), made{n: 300, shown: all}, corpus.Converged},
		{"cut at the limit", known(300, falls(0.02), moves), at(300), made{n: 150, shown: all}, corpus.Limit},
		{"ends early", known(300, falls(0.02), moves), at(300), made{n: 150, early: true, shown: log},
			corpus.EndedEarly},
		{"killed", known(300, falls(0.02), moves), at(300), made{n: 150, killed: true, shown: log}, corpus.Dead},
		{"values stand", known(1200, stands(1e-3), steady), nil, made{n: 350, shown: all}, corpus.ConvergedByValue},
		{"values stand, not shown", known(1200, stands(1e-3), steady), nil, made{n: 350, shown: log}, corpus.Stalled},
		{"values stand, the longer run is short", known(700, stands(1e-3), steady), nil, made{n: 350, shown: all}, ""},
		{"values nearly stand", known(1200, stands(1e-3), swings(0.0015)), nil, made{n: 350, shown: all}, ""},
		{"values swing", known(1200, stands(1e-2), swings(0.03)), nil, made{n: 350, shown: all}, corpus.Oscillating},
		{"values swing, not shown", known(1200, stands(1e-2), swings(0.03)), nil, made{n: 350, shown: log},
			corpus.Stalled},
		{"values run wild", known(1200, stands(0.5), wild), nil, made{n: 350, shown: all}, corpus.Diverged},
		{"a bound acts to the end", known(300, falls(0.02), steady), func(x *trace) {
			x.criterion = 300
			for i := range x.bounding {
				x.bounding[i] = true
			}
		}, made{n: 300, shown: all}, corpus.Unphysical},
		{"floating point error", known(40, falls(-0.1), steady), func(x *trace) { x.end, x.fpe = false, true },
			made{n: 40, shown: all}, corpus.NonFinite},
		{"gives up", known(40, falls(-0.1), steady), func(x *trace) { x.end, x.fatal = false, true },
			made{n: 40, shown: log}, corpus.Diverged},
		{
			"dies without a word", known(40, falls(-0.1), steady),
			func(x *trace) { x.end, x.fpe, x.silent = false, true, true }, made{n: 40, shown: log}, "",
		},
	} {
		if tc.also != nil {
			tc.also(tc.run)
		}
		v := judge(&setup{}, func(string) float64 { return 1e-6 }, tc.run, tc.made)
		if v.label != tc.want {
			t.Errorf("%s: %q (%s), want %q", tc.name, v.label, v.why, tc.want)
		}
	}
}

// A sine is regular, also on a slope and under noise; a random walk and noise are not.
func TestRegular(t *testing.T) {
	d := rand.New(rand.NewPCG(3, 4))
	var sine, noise, walk []float64
	x := 0.
	for i := range 300 {
		sine = append(sine, 0.01*float64(i)+math.Sin(2*math.Pi*float64(i)/25)+0.2*d.NormFloat64())
		noise = append(noise, d.NormFloat64())
		x += d.NormFloat64()
		walk = append(walk, x)
	}
	if r := regular(sine); r < isRegular {
		t.Errorf("a sine is regular by %.2f", r)
	}
	if r := regular(noise); r > isIrregular {
		t.Errorf("noise is regular by %.2f", r)
	}
	if r := regular(walk); r > isRegular {
		t.Errorf("a random walk is regular by %.2f", r)
	}
}

// Edits of a tutorial's text change what they name and nothing else.
func TestEdits(t *testing.T) {
	mesh := "hex (0 1 2 3 4 5 6 7) inlet ( 20 30 1) simpleGrading (1 1 1)\nhex (0 3 4 1 11 14 15 12)\n    (18 3 1)\n"
	if got, want := scaled(mesh,
		0.4),
		"hex (0 1 2 3 4 5 6 7) inlet (8 12 1) simpleGrading (1 1 1)\nhex (0 3 4 1 11 14 15 12)\n    (7 2 1)\n"; got !=
		want {
		t.Errorf("%q, not %q", got, want)
	}
	text := "SIMPLE\n{\n    consistent yes;\n    residualControl\n    {\n        p 1e-2;\n" +
		"        \"(U|k)\" 1e-3; // strict\n    }\n}\n"
	s := &setup{files: map[string]string{"system/fvSolution": text}}
	for equation, want := range map[string]float64{"p": 1e-2, "Ux": 1e-3, "k": 1e-3, "epsilon": 0, "": 1e-2} {
		if got := criterion(s.criteria(), equation); got != want {
			t.Errorf("criterion of %q: %g, not %g", equation, got, want)
		}
	}
	strictly := must.Value(strict(1e-7).do(text))(t)
	s.files["system/fvSolution"] = strictly
	if got := criterion(s.criteria(), "epsilon"); got != 1e-7 {
		t.Errorf("%g in %s", got, strictly)
	}
	if _, err := exchange("f", "no such text", "").do(text); err == nil {
		t.Error("what is not there is swapped")
	}
}
