package session

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// jet is the turbojet of the tests of controls, and of watches in time.
const jet = `
gas: {model: frozen}
components:
  ambient:    {type: ambient}
  inlet:      {type: inlet}
  compressor: {type: compressor, PR: 12, eff: 85 %}
  burner:     {type: burner, dPqP: 4 %}
  turbine:    {type: turbine, eff: 88 %}
  nozzle:     {type: nozzle}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> nozzle
shafts:
  spool: {N: 8000 rpm, inertia: 30 kg m2, drives: [compressor], driven_by: [turbine]}
design:
  - {vary: ambient.W,  until: performance.Fn = 50 kN}
  - {vary: burner.FAR, until: burner.out.Tt = 1300 K}
`

// governed is the jet with a speed governor, a temperature limiter, an acceleration schedule of fuel over burner
// pressure and a valve; period is that of digital blocks.
func governed(period, limit, method string) string {
	return "\nengine: Governed jet" + jet + fmt.Sprintf(`controls:
  lever:    {type: input, value: 30 %%}
  asked:    {type: table, of: lever, points: [[0, 6000 rpm], [100 %%, 8000 rpm]]}
  governor: {type: pi, of: spool.N, demand: asked, gain: 1e-3, integral: 2e-3%[1]s}
  hot:      {type: pi, of: burner.out.Tt, demand: %[2]s, gain: 5e-4, integral: 0.2%[1]s}
  ratio:    {type: table, of: compressor.Nc, points: [[6000 rpm, 6e-7], [8000 rpm, 12e-7]]%[1]s}
  speeding: {type: formula, is: ratio * compressor.out.Pt%[1]s}
  asks:     {type: min, of: [governor, hot, speeding]%[1]s}
  valve:    {type: actuator, of: asks, lag: 30 ms, rate: 3 kg/s, min: 0.05 kg/s, max: 3 kg/s, moves: burner.Wf}
cases:
  low:   {solve: [{vary: burner.FAR, until: spool.N = 6600 rpm}]}
  high:  {solve: [{vary: burner.FAR, until: spool.N = 7800 rpm}]}
  rest:  {kind: transient, from: low, duration: 5 s, save: [asks.out]}
  slam:
    kind: transient
    from: low
    duration: 40 s
    integrator: %[3]s
    rtol: 1e-7
    schedule: {lever.value: [[0 s, 30 %%], [1 s, 30 %%], [1 s, 90 %%]]}
    save: [governor.out, hot.out, speeding.out, asks.out]
`, period, limit, method)
}

func governedSession(t testing.TB, every, limit, method string) *Session {
	t.Helper()
	if every != "" {
		every = ", period: " + every
	}
	return parsedSession(t, governed(every, limit, method))
}

func parsedSession(t testing.TB, text string) *Session {
	t.Helper()
	cfg := must.Value(config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil))(t)
	return must.Value(Open(context.Background(), cfg))(t)
}

// An engine that starts at a steady case whose demand is met stays there, with continuous
// and with sampled controls.
func TestControlsRest(t *testing.T) {
	for _, every := range []string{"", "20 ms"} {
		h := solveOne(t, governedSession(t, every, "1290 K", "rosenbrock"), "rest").History
		for k, q := range h.Columns {
			for i, v := range h.Values[k] {
				if math.Abs(v-h.Values[k][0]) > 1e-7*max(math.Abs(v), 1) {
					t.Errorf("period %q: %s goes from %.10g to %.10g at %g s", every, q.Path, h.Values[k][0], v, h.T[i])
					break
				}
			}
		}
		if n := h.T[len(h.T)-1]; n != 5 {
			t.Errorf("it ends at %g s", n)
		}
	}
}

// A governor ends at the operating point of the demanded speed. On the way its limiters keep
// their limits. All integrators give the same history.
func TestGovernor(t *testing.T) {
	var first []float64
	for _, method := range []string{"rosenbrock", "dormand-prince", "gear"}[:enginetest.Trials(t, 1, 3, 3)] {
		t.Run(method, func(t *testing.T) {
			s := governedSession(t, "", "1290 K", method)
			want, got := solveOne(t, s, "high"), solveOne(t, s, "slam")
			for name, pair := range map[string][2]float64{
				"N":  {got.Shafts["spool"]["N"], want.Shafts["spool"]["N"]},
				"Fn": {got.Performance.Fn, want.Performance.Fn}, "Wf": {got.Performance.Wf, want.Performance.Wf},
			} {
				near(t, name+" at the end", pair[0], pair[1], 1e-6)
			}
			h := got.History
			asks, hot, speeding := h.Column("asks.out"), h.Column("hot.out"), h.Column("speeding.out")
			wf, t4 := h.Column("performance.Wf"), h.Column("burner.out.Tt")
			near(t, "the hottest", slices.Max(t4), 1290, 1e-3)
			byHot, bySchedule := 0, 0
			for i := range asks {
				switch asks[i] {
				case hot[i]:
					byHot++
				case speeding[i]:
					bySchedule++
				}
				if wf[i] > speeding[i]*(1+1e-3) {
					t.Errorf("at %g s the fuel is %.5g, the schedule allows %.5g", h.T[i], wf[i], speeding[i])
				}
			}
			if byHot < 3 || bySchedule < 3 {
				t.Errorf("of %d points the temperature limits %d, the schedule %d", len(asks), byHot, bySchedule)
			}
			n := h.Column("shafts.spool.N")
			end := []float64{n[len(n)-1], slices.Max(n)}
			if first == nil {
				first = end
			}
			for k, what := range []string{"ends", "is at most"} {
				near(t, "N "+what, end[k], first[k], 1e-5)
			}
		})
	}
}

// A digital control converges to the continuous one; the difference is proportional to the
// period.
func TestSampledControl(t *testing.T) {
	at := func(every string) float64 {
		s := governedSession(t, every, "2000 K", "dormand-prince")
		c := *s.Engine.Case("slam")
		tr := *c.Transient
		tr.Every, tr.Duration = 0.25, 1.5
		c.Transient = &tr
		r := must.Value(s.SolveCase(context.Background(), s.Model, &c))(t)
		converged(t, r)
		// an input steps at 1 s
		if want := []float64{0, 0.25, 0.5, 0.75, 1, 1, 1.25, 1.5}; !slices.Equal(r.History.T, want) {
			t.Errorf("period %q: points at %v s, want %v", every, r.History.T, want)
		}
		return r.Shafts["spool"]["N"]
	}
	exact, coarse, fine := at(""), at("40 ms"), at("10 ms")
	t.Logf("%.4f, by 40 ms %.4f, by 10 ms %.4f", exact, coarse, fine)
	if ratio := (coarse - exact) / (fine - exact); !(ratio > 3 && ratio < 5) || coarse == exact {
		t.Errorf("the differences are %.3g and %.3g rpm", coarse-exact, fine-exact)
	}
}

// A history at given times has no additional points at the samples of a digital control, however few steps lie between:
// its signals are held, without a jump.
func TestSamplesMakeNoPoints(t *testing.T) {
	s := governedSession(t, "40 ms", "2000 K", "rosenbrock")
	c := *s.Engine.Case("slam")
	tr := *c.Transient
	tr.Every, tr.Duration, tr.RTol = 0.039, 1.5, 1e-4
	c.Transient = &tr
	r := must.Value(s.SolveCase(context.Background(), s.Model, &c))(t)
	converged(t, r)
	if want := 39 + 2; len(r.History.T) != want { // multiples, the lever's step and the end
		t.Errorf("%d points, want %d, at %v s", len(r.History.T), want, r.History.T)
	}
}

// With a schedule that allows less fuel than the steady engine burns the controls are not at
// rest at the start. A warning names the control.
func TestNoRest(t *testing.T) {
	text := strings.Replace(governed("", "1290 K", "rosenbrock"), "[6000 rpm, 6e-7]", "[6000 rpm, 1e-7]", 1)
	cfg := must.Value(config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil))(t)
	told := 0
	for _, w := range solveAll(t, cfg).Warnings {
		if w.Rule == "control_start" && w.Component == "asks" && w.Time == "0 s" {
			told++
		}
	}
	if told != 2 { // rest and slam
		t.Errorf("%d warnings", told)
	}
}

// Controls in a loop are an error with its place.
func TestControlLoop(t *testing.T) {
	text := strings.Replace(governed("", "1290 K", "rk4"), "  lever:    {type: input, value: 30 %}\n",
		"  first:    {type: max, of: [other, 0]}\n  other:    {type: lead_lag, of: first, lead: 1 s, lag: 1 s}\n"+
			"  lever:    {type: input, value: 30 %}\n", 1)
	cfg := must.Value(config.Parse("jet.yaml", []byte(text), components.Catalogue(), nil))(t)
	const want = "jet.yaml:19:3: controls follow each other in a loop, first -> other -> first; a lag or an actuator " +
		"between them would break it"
	must.Equal(t, want, fmt.Sprint(check(cfg)))
}

// So is a control that depends on itself, which has no value at the start.
func TestControlOfItself(t *testing.T) {
	s := parsedSession(t, strings.Replace(governed("", "1290 K", "rk4"), "  lever:    {type: input, value: 30 %}\n",
		"  slow:     {type: lag, of: slow, lag: 1 s}\n  fast:     {type: max, of: [slow, spool.N]}\n"+
			"  lever:    {type: input, value: 30 %}\n", 1))
	const want = "jet.yaml:19:3: control slow has no value where the engine starts: "
	if _, err := s.Solve(context.Background(), []string{"rest"}, 1); err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// Faults at given times: a governor keeps the speed that its biased sensor shows, against a
// step of shaft power and a bleed that opens. With a stuck valve it has no effect.
func TestFaults(t *testing.T) {
	run := func(t *testing.T, schedule string) *result.Result {
		text := strings.Replace(governed("", "1400 K", "rosenbrock"),
			"    schedule: {lever.value: [[0 s, 30 %], [1 s, 30 %], [1 s, 90 %]]}", "    schedule: {"+schedule+"}", 1)
		text = strings.Replace(text, "of: spool.N,", "of: speed,", 1)
		text = strings.Replace(text, "  lever:    {type: input, value: 30 %}\n",
			"  speed:    {type: sensor, of: spool.N, lag: 50 ms}\n  lever:    {type: input, value: 30 %}\n", 1)
		text = strings.Replace(text, "\nshafts:", "\nbleeds:\n  - {name: handling, from: compressor, W: 0 %}\nshafts:",
			1)
		return solveOne(t, parsedSession(t, text), "slam")
	}
	healthy := run(t, "lever.value: 30 %")
	n := healthy.Shafts["spool"]["N"]
	must.Within(t, "the speed that the governor holds", n, 6600, 1e-3)
	for schedule, want := range map[string]float64{
		"speed.bias: [[1 s, 0 rpm], [1 s, 50 rpm]]":                 6550,
		"spool.offtake: [[1 s, 0 kW], [1 s, 300 kW]]":               6600,
		"handling.W: [[1 s, 0], [1.2 s, 8 %]]":                      6600,
		"speed.bias: 50 rpm, spool.offtake: [[1 s, 0], [3 s, 1e5]]": 6550,
	} {
		r := run(t, schedule)
		must.Within(t, schedule+": the speed that it holds", r.Shafts["spool"]["N"], want, 0.01)
		if least := slices.Min(r.History.Column("shafts.spool.N")); schedule[:5] != "speed" && least > 6599 {
			t.Errorf("%s: the speed does not fall below %g rpm", schedule, least)
		}
	}
	stuck := run(t, "valve.stuck: [[0.5 s, 0], [0.5 s, 1]], lever.value: [[1 s, 30 %], [1 s, 90 %]]")
	near(t, "fuel through a stuck valve", stuck.Performance.Wf, healthy.Performance.Wf, 1e-7)
}

// A formula of time moves the engine as points in time do.
func TestFormulaOfTime(t *testing.T) {
	const control = "controls:\n  climb: {type: formula, is: 0.5 + 0.05 * t, moves: burner.Wf}\n"
	text := strings.Replace(watchedJet, "limits:", control+"limits:", 1)
	points := "[[0 s, 0.65 kg/s], [1 s, 0.65 kg/s], [1 s, 1.1 kg/s], [2 s, 1.1 kg/s], [2 s, 0.65 kg/s]]"
	by := map[string]*result.Result{}
	for name, change := range map[string][2]string{
		"formula": {"schedule: {burner.Wf: " + points + "}", "rtol: 1e-8"},
		"points": {
			"schedule: {burner.Wf: " + points + "}",
			"rtol: 1e-8\n    controls: off\n    schedule: {burner.Wf: [[0 s, 0.5 kg/s], [10 s, 1 kg/s]]}",
		},
	} {
		s := parsedSession(t, strings.Replace(text, change[0], change[1], 1))
		by[name] = solveOne(t, s, "dash")
	}
	a, b := by["formula"].Shafts["spool"]["N"], by["points"].Shafts["spool"]["N"]
	if math.Abs(a/b-1) > 1e-7 || math.Abs(a-by["points"].History.Column("shafts.spool.N")[0]) < 50 {
		t.Errorf("N ends at %.9g by the formula, at %.9g by points", a, b)
	}
}
