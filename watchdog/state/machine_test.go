package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// history makes the values of iteration i, from 1.
type history func(rng *rand.Rand, i int) map[string]float64

// decades is a residual whose logarithm is f, with noise.
func decades(rng *rand.Rand, noise, f float64) float64 {
	return math.Pow(10, f+noise*rng.NormFloat64())
}

// feed gives n iterations of a history to a machine.
func feed(m *Machine, rng *rand.Rand, n int, h history) {
	for i := 1; i <= n; i++ {
		feedOne(m, i, h(rng, i))
	}
}

// feedOne gives an iteration to a machine.
func feedOne(m *Machine, i int, values map[string]float64) {
	e := event.Event{Kind: event.Iteration, Values: values}
	e.Values["iteration"] = float64(i)
	e.Finite()
	m.Event(e)
}

// seeds is how many random histories of a kind a test takes.
func seeds(t testing.TB) uint64 {
	switch {
	case testenv.IsSoak():
		return 20
	case testenv.IsLong(t):
		return 10
	}
	return 2
}

func status(m *Machine, name, text string) {
	m.Event(event.Event{Kind: event.Status, Name: name, Text: text})
}

// What becomes of runs whose histories are known by construction, for any noise.
func TestFinal(t *testing.T) {
	falls := func(rate float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual_p": decades(rng, 0.05, -rate*float64(i)),
				"residual_U": decades(rng, 0.05, -1.2*rate*float64(i)-0.5)}
		}
	}
	creeps := func(rng *rand.Rand, i int) map[string]float64 {
		return map[string]float64{"residual_p": decades(rng, 0.02, -0.0006*float64(i))}
	}
	plateau := func(level float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual_p": decades(rng, 0.05, max(level, -0.01*float64(i))),
				"residual_U": decades(rng, 0.05, max(level-1, -0.01*float64(i)))}
		}
	}
	with := func(h history, name string, value func(rng *rand.Rand, i int) float64) history {
		return func(rng *rand.Rand, i int) map[string]float64 {
			v := h(rng, i)
			v[name] = value(rng, i)
			return v
		}
	}
	settled := func(rng *rand.Rand, i int) float64 { return 3 + math.Exp(-float64(i)/50) + 1e-5*rng.NormFloat64() }
	drifts := func(_ *rand.Rand, i int) float64 { return 3 + 2e-3*float64(i) }
	sways := func(_ *rand.Rand, i int) float64 { return 3 + 0.3*math.Sin(2*math.Pi*float64(i)/70) }
	shakes := func(_ *rand.Rand, i int) float64 { return 3 + 0.01*math.Sin(2*math.Pi*float64(i)/70) }
	zero := Ending{Known: true}
	cases := []struct {
		name  string
		n     int
		h     history
		limit float64
		end   Ending
		said  string
		want  State
	}{
		{"falls to its targets", 600, falls(0.01), 1000, zero, "", Converged},
		{"the solver's sentence", 300, falls(0.01), 1000, zero, SaidConverged, Converged},
		{"reaches its limit", 250, falls(0.01), 250, zero, SaidEnded, Limit},
		{"ends before its limit", 250, falls(0.01), 1000, zero, SaidEnded, EndedEarly},
		{"ends at a round number", 250, falls(0.01), 0, Ending{Closes: true}, SaidEnded, Limit},
		{"ends at another", 257, falls(0.01), 0, Ending{Closes: true}, SaidEnded, EndedEarly},
		{"is killed", 257, falls(0.01), 1000, Ending{Known: true, Status: 137}, "", Dead},
		{"breaks off", 257, falls(0.01), 1000, Ending{Closes: true}, "", Dead},
		{"says that it failed", 257, falls(0.01), 1000, Ending{Closes: true}, SaidFailed, Dead},
		{"dies of a floating-point error", 257, falls(0.01), 1000, Ending{Known: true, Status: 136}, "", NonFinite},
		{"creeps", 400, creeps, 0, Ending{}, "", Slow},
		{"creeps to its limit", 400, creeps, 400, zero, "", Limit},
		{"stands", 1000, plateau(-2.5), 1000, zero, SaidEnded, Stalled},
		{"stands with steady values", 1000, with(plateau(-2.5), "Cl", settled), 1000, zero, SaidEnded,
			ConvergedByValue},
		{"stands, value drifts", 1000, with(plateau(-2.5), "Cl", drifts), 1000, zero, SaidEnded, Stalled},
		{"stands, value swings", 1000, with(plateau(-2.5), "Cl", sways), 1000, zero, SaidEnded, Oscillating},
		{"stands, value swings a little", 1000, with(plateau(-2.5), "Cl", shakes), 1000, zero, SaidEnded,
			ConvergedByValue},
		{"swings", 1000, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{
				"residual": decades(rng, 0.03, max(-2, -0.01*float64(i))+0.4*math.Sin(2*math.Pi*float64(i)/35)),
			}
		}, 1000, zero, "", Oscillating},
		{"swings slowly", 2000, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{
				"residual": decades(rng, 0.03, max(-2, -0.01*float64(i))+0.4*math.Sin(2*math.Pi*float64(i)/110)),
			}
		}, 2000, zero, "", Oscillating},
		{"grows", 600, func(rng *rand.Rand, i int) map[string]float64 {
			x := float64(i)
			return map[string]float64{"residual": decades(rng, 0.05, max(-0.01*x, -3+0.02*(x-300)))}
		}, 1000, zero, "", Diverged},
		{"never comes down", 600, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual_p": decades(rng, 0.1, -0.3), "residual_U": decades(rng, 0.1, -0.2)}
		}, 1000, zero, "", Diverged},
		{"NaN", 300, func(rng *rand.Rand, i int) map[string]float64 {
			if i > 280 {
				return map[string]float64{"residual": math.NaN()}
			}
			return map[string]float64{"residual": decades(rng, 0.05, -0.01*float64(i))}
		}, 1000, zero, "", NonFinite},
		{"an equation is frozen", 700, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual_p": decades(rng, 0.05, -0.01*float64(i)), "residual_U": 0.0123}
		}, 1000, zero, "", Stalled},
		{"starts at 12", 700, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{"residual": decades(rng, 0.05, 1.08-0.01*float64(i))}
		}, 1000, zero, "", Converged},
		{"says nothing", 0, falls(0.01), 0, zero, "", Dead},
	}
	for _, c := range cases {
		for seed := range seeds(t) {
			m := New(Options{Limit: c.limit})
			feed(m, rand.New(rand.NewPCG(seed, 1)), c.n, c.h)
			if c.said != "" {
				status(m, c.said, "as it says")
			}
			if j := m.Final(c.end); j.State != c.want || j.Usable != c.want.Usable() || len(j.Reasons) == 0 {
				t.Errorf("%s, seed %d: %+v, not %s", c.name, seed, j, c.want)
				break
			}
		}
	}
}

// OpenFOAM's residual of a correction does not hold a run back, unless it has a target or grows; another solver's does.
func TestCorrections(t *testing.T) {
	t.Parallel()
	const foam = "final_ inner_"
	for _, c := range []struct {
		equation, beside string // and names that are reported beside its residual
		lowest, rate     float64
		targets          map[string]float64
		want             State
	}{
		{"Dcorrx", foam, -0.7, 0, nil, Limit},
		{"pcorr", foam + " residual_", -1.5, 0, nil, Converged},
		{"pcorr", foam + " residual_", -1.5, 0, map[string]float64{"pcorr": 1e-4}, Stalled},
		{"pcorr", foam + " residual_", -1.5, 0.02, nil, Diverged},
		{"pcorr", "residual_", -1.5, 0, nil, Stalled},
		{"p_corr", "", -1.5, 0.02, nil, Diverged},
		{"p_corr", foam + " residual_", -1.5, 0, nil, Stalled},
	} {
		m, rng := New(Options{Limit: 1000, Targets: c.targets}), rand.New(rand.NewPCG(1, 1))
		feed(m, rng, 1000, func(_ *rand.Rand, i int) map[string]float64 {
			x := float64(i)
			values := map[string]float64{"residual_" + c.equation: decades(rng, 0.001,
				max(c.lowest, -0.01*x)+c.rate*max(0, x-500))}
			for _, name := range strings.Fields(c.beside) {
				if name == "residual_" {
					values["residual_p"] = decades(rng, 0.05, max(-6, -0.01*x))
				} else {
					values[name+c.equation] = 1
				}
			}
			return values
		})
		status(m, SaidEnded, "End")
		if j := m.Final(Ending{Known: true}); j.State != c.want {
			t.Errorf("%+v: %+v", c, j)
		}
	}
}

// A run that converges is not warned of on its way, whatever pauses it makes.
func TestNoFalseAlarm(t *testing.T) {
	alarms, iterations := 0, 0
	runs := uint64(50)
	if testenv.IsLong(t) {
		runs = 200
	}
	for seed := range runs {
		rng := rand.New(rand.NewPCG(seed, 2))
		rate, noise := 0.003+0.02*rng.Float64(), 0.15*rng.Float64()
		wave, period := 0.3*rng.Float64(), 20+200*rng.Float64()
		pause, length := 100+200*rng.Float64(), 60*rng.Float64()
		m := New(Options{})
		for i := 1; i <= 2000; i++ {
			x := float64(i)
			x -= min(max(0, x-pause), length) // stands for a while
			f := -rate*x + wave*math.Sin(2*math.Pi*float64(i)/period)
			e := event.Event{Kind: event.Iteration, Values: map[string]float64{
				"iteration": float64(i), "residual_p": decades(rng, noise, f), "residual_U": decades(rng, noise, f-0.5),
			}}
			if was := m.Judgement().State; m.Event(e) {
				switch s := m.Judgement().State; s {
				case Stalled, Oscillating, Slow, Diverging, NonFinite:
					alarms++
					t.Logf("seed %d (rate %.3f, noise %.2f, wave %.2f of %.0f, pause %.0f at %.0f): %s after %s at "+
						"%d: %v", seed, rate, noise, wave, period, length, pause, s, was, i, m.Judgement().Reasons)
				}
			}
			iterations++
			if m.Judgement().State == Converged {
				break
			}
		}
	}
	if rate := 1000 * float64(alarms) / float64(iterations); rate >= 0.1 {
		t.Errorf("%d alarms in %d iterations", alarms, iterations)
	}
}

// Residuals that dip while the flow begins to move have not their best there: a channel's k and epsilon rise from such
// a dip and fall later. One that grows from a level that lasted diverges, and is called so.
func TestDip(t *testing.T) {
	course := func(points ...float64) func(x float64) float64 { // iteration, log10, iteration, log10 ...
		return func(x float64) float64 {
			at := 0
			for at+4 < len(points) && x > points[at+2] {
				at += 2
			}
			part := (x - points[at]) / (points[at+2] - points[at])
			return points[at+1] + part*(points[at+3]-points[at+1])
		}
	}
	velocity := course(1, 0, 60, -0.5, 200, -2.8, 500, -2.8, 900, -3, 1600, -5)
	for _, c := range []struct {
		name     string
		k        func(x float64) float64
		diverges bool
	}{
		{"dips", course(1, 0, 8, -3.2, 60, -1.7, 200, -1.6, 500, -2.4, 900, -2.1, 1600, -5), false},
		{"dips below its target", course(1, 0, 12, -5.5, 40, -2.2, 300, -1.8, 700, -2.6, 1600, -5), false},
		{"grows", course(1, 0, 400, -3, 500, -3, 800, -0.2, 1600, 0), true},
	} {
		m, rng := New(Options{}), rand.New(rand.NewPCG(1, 1))
		diverging := 0
		for i := 1; i <= 1600 && diverging == 0; i++ {
			x := float64(i)
			feedOne(m, i, map[string]float64{"residual_k": decades(rng, 0.02, c.k(x)),
				"residual_Ux": decades(rng, 0.02, velocity(x))})
			if m.Judgement().State == Diverging {
				diverging = i
			}
		}
		if (diverging > 0) != c.diverges || diverging > 800 {
			t.Errorf("%s: diverging at %d: %v", c.name, diverging, m.Judgement().Reasons)
		}
	}
}

// A log that goes on after its end, or begins anew, has not ended by what it said before.
func TestGoesOn(t *testing.T) {
	for _, first := range []int{1, 201} {
		m := New(Options{})
		iterate := func(from, to int) {
			for i := from; i <= to; i++ {
				m.Event(event.Event{
					Kind: event.Iteration, File: "log",
					Values: map[string]float64{"iteration": float64(i), "residual": math.Pow(10, -0.005*float64(i))},
				})
			}
		}
		iterate(1, 200)
		m.Event(event.Event{Kind: event.Status, Name: SaidConverged, File: "log", Text: "converged"})
		iterate(first, first+150)
		if j := m.Final(Ending{Closes: true}); j.State != Dead {
			t.Errorf("goes on at %d: %+v", first, j)
		}
	}
}

func ExampleMachine() {
	m := New(Options{Limit: 300})
	for i := 1; i <= 300; i++ {
		residual := math.Pow(10, -0.01*float64(i))
		m.Event(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(i), "residual": residual},
		})
	}
	j := m.Final(Ending{Known: true})
	fmt.Println(j.State, j.Usable)
	fmt.Println(j.Reasons[0])
	// Output:
	// limit false
	// it reached its limit of 300
}

// A limiter that acts to the end makes a flow at rest no answer; one that acts at the start alone does not.
func TestBounds(t *testing.T) {
	for _, tc := range []struct {
		last int // iteration in which it acts
		want State
	}{{300, Unphysical}, {100, Converged}} {
		m, rng := New(Options{}), rand.New(rand.NewPCG(1, 2))
		for i := 1; i <= 300; i++ {
			if i <= tc.last {
				m.Event(event.Event{Kind: event.Warning, Values: map[string]float64{"min_p": 5000}})
			}
			m.Event(event.Event{
				Kind: event.Iteration,
				Values: map[string]float64{
					"iteration": float64(i), "residual_p": decades(rng, 0.02, max(-6, -0.03*float64(i))),
				},
			})
		}
		if got := m.Final(Ending{Known: true}); got.State != tc.want {
			t.Errorf("a bound to iteration %d: %+v", tc.last, got)
		}
	}
}

// Residuals on a finer mesh begin anew: their jumps are no swing.
func TestMeshes(t *testing.T) {
	m := New(Options{})
	for i := 1; i <= 640; i++ {
		m.Event(event.Event{
			Kind: event.Iteration, Values: map[string]float64{"iteration": float64(i), "mesh": float64((i - 1) / 128),
				"residual": math.Pow(10, -0.5-0.01*float64((i-1)%128))}})
	}
	if got := m.Final(Ending{Known: true}); got.State != EndedEarly {
		t.Errorf("%+v", got)
	}
	if got := m.named("residual").series.count; got != 128 { // in whatever order an iteration's values are taken
		t.Errorf("%d residuals on the last mesh; want 128", got)
	}
}

// A flow that begins to shed vortices leaves its best residual, and is not lost; one that leaves it for its start is.
func TestGrowth(t *testing.T) {
	for _, tc := range []struct {
		to   float64 // log10
		want State
	}{{-2.2, Stalled}, {-0.2, Diverged}} {
		m, rng := New(Options{}), rand.New(rand.NewPCG(1, 2))
		feed(m, rng, 400, func(rng *rand.Rand, i int) map[string]float64 {
			return map[string]float64{
				"residual_U": decades(rng, 0.03, min(max(-4, -0.04*float64(i)), 0)) * math.Pow(10,
					min(max(0, 0.03*float64(i-200)), tc.to+4)),
			}
		})
		if got := m.Final(Ending{Known: true}); got.State != tc.want {
			t.Errorf("to %g: %+v", tc.to, got)
		}
	}
}

// What wanders has a slow period by chance, and is no swing; what repeats itself is.
func TestWanders(t *testing.T) {
	wanders := 0
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w, at := window{step: 1}, 0.0
		for range 120 {
			at = 0.95*at + rng.NormFloat64()
			w.y = append(w.y, at)
		}
		if _, regular := swinging(w, trend(w)); regular {
			wanders++
		}
		w.y = w.y[:0]
		for i := range 120 {
			w.y = append(w.y, math.Sin(2*math.Pi*float64(i)/26)+0.2*rng.NormFloat64())
		}
		if _, regular := swinging(w, trend(w)); !regular {
			t.Errorf("seed %d: a swing of 26 samples is not seen", seed)
		}
	}
	if wanders > 2 {
		t.Errorf("%d of 50 walks swing", wanders)
	}
}

// An iteration that falls is a restart: it is said at once, and what was judged before says nothing any more. Where
// iterations fall again and again they are those within time steps, and it is said no longer.
func TestRestartIsSaid(t *testing.T) {
	m := New(Options{})
	said := 0
	for step := range 6 {
		for i := 1; i <= 40; i++ {
			changed := m.Event(event.Event{
				Kind:   event.Iteration,
				Values: map[string]float64{"iteration": float64(i), "residual_p": math.Pow(10, -float64(i)/5)},
			})
			j := m.Judgement()
			if i > 1 || step == 0 {
				continue
			}
			if changed && j.State == Starting && len(j.Reasons) == 1 &&
				j.Reasons[0] == "restart: iteration 1 follows 40, and judging begins anew" {
				said++
			}
		}
		if j := m.Judgement(); j.State != Converged {
			t.Errorf("step %d ends %s: %v", step, j.State, j.Reasons)
		}
	}
	must.Equal(t, saidFalls, said)
}

func TestParseStatus(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "1": 1, "137": 137, "-9": -9, "SIGKILL": 137, "KILL": 137,
		"sigterm": 143, "FPE": 136} {
		if got, err := ParseStatus(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "SIG", "killed", "1.5"} {
		if got, err := ParseStatus(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

// A signal that ended a run is said by its name, however its status is written.
func TestSignal(t *testing.T) {
	for _, text := range []string{"-9", "137", "SIGKILL"} {
		m := New(Options{})
		n := must.Value(ParseStatus(text))(t)
		if got := m.Final(Ending{Known: true, Status: n}); got.State != Dead ||
			!strings.Contains(got.Reasons[0], "SIGKILL") {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
