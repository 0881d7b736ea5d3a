package state

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// marched gives n time steps to a machine: the values of each, besides its time, a Courant number of 0.5 where it has
// none, and a residual that does not fall.
func marched(m *Machine, n int, h history) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := 1; i <= n; i++ {
		v := map[string]float64{"courant_max": 0.5 + 0.01*rng.NormFloat64(), "residual_p": decades(rng, 0.1, -1),
			"time": 0.01 * float64(i)}
		for name, x := range h(rng, i) {
			v[name] = x
		}
		marchedOne(m, v)
	}
}

// marchedOne gives a time step to a machine.
func marchedOne(m *Machine, values map[string]float64) {
	e := event.Event{Kind: event.Iteration, Values: values}
	e.Finite()
	m.Event(e)
}

// A solver that iterates in time steps says of each that it converged: the run has not, and is complete only with the
// closing sentence.
func TestConvergenceOfTimeSteps(t *testing.T) {
	for closed, want := range map[bool]State{false: Limit, true: Complete} {
		m, at := New(Options{}), 0.0
		for step := 1; step <= 20; step++ {
			for inner := range 8 {
				at++
				m.Event(event.Event{Kind: event.Iteration, File: "log",
					Values: map[string]float64{"iteration": at, "residual_u": math.Pow(10, -0.4*float64(inner))}})
			}
			m.Event(event.Event{Kind: event.Status, Name: SaidConverged, File: "log"})
			m.Event(event.Event{Kind: event.Message, File: "log", Values: map[string]float64{"time": float64(step)}})
			if m.Said() {
				t.Fatalf("it has ended with step %d", step)
			}
		}
		if closed {
			m.Event(event.Event{Kind: event.Status, Name: SaidEnded, File: "log"})
		}
		if j := m.Final(Ending{}); j.State != want {
			t.Errorf("closed %v: %+v", closed, j)
		}
	}
}

// What becomes of runs in time whose histories are known by construction.
func TestFinalInTime(t *testing.T) {
	wanders := func() history {
		at := 0.0
		return func(rng *rand.Rand, i int) map[string]float64 {
			at += 0.1 * rng.NormFloat64()
			return map[string]float64{"force": at}
		}
	}
	with := func(name string, f func(i float64) float64) history {
		return func(_ *rand.Rand, i int) map[string]float64 { return map[string]float64{name: f(float64(i))} }
	}
	for _, tc := range []struct {
		name    string
		history history
		options Options
		end     Ending
		said    string
		want    State
		reason  string
	}{
		{name: "to its end time", history: wanders(), said: SaidEnded, want: Complete, reason: "end time, 6"},
		{name: "to its end time, by its status", history: wanders(), end: Ending{Known: true}, want: Complete},
		{name: "to the end time that is given", history: wanders(), options: Options{Limit: 6}, want: Complete},
		{name: "short of the end time that is given", history: wanders(), options: Options{Limit: 60.5e3},
			said: SaidEnded, want: Limit, reason: "before its end time of 60500"},
		{name: "short of it, with more steps than its seconds", history: wanders(), options: Options{Limit: 60.5},
			said: SaidEnded, want: Limit, reason: "before its end time of 60.5"},
		{name: "to the number of steps that is given", history: wanders(), options: Options{Limit: 600},
			want: Complete},
		{name: "nothing shows its end time", history: wanders(), want: Limit},
		{name: "its solver stopped it", history: wanders(), said: SaidLimit, want: Limit},
		{name: "killed", history: wanders(), end: Ending{Known: true, Status: 137}, want: Dead},
		{name: "breaks off", history: wanders(), end: Ending{Closes: true}, want: Dead},
		{name: "became steady", history: with("force", func(i float64) float64 { return 3 + math.Exp(-i/40) }),
			said: SaidEnded, want: Settled},
		{name: "sheds vortices",
			history: with("force", func(i float64) float64 { return 2 + 0.3*math.Sin(2*math.Pi*i/25) }),
			said:    SaidEnded, want: Periodic, reason: "period of 0.25 "},
		{name: "sheds vortices, about a mean of 0",
			history: with("lift", func(i float64) float64 { return 0.3 * math.Sin(2*math.Pi*i/25) }),
			said:    SaidEnded, want: Periodic},
		{name: "sheds vortices, and its mean drifts",
			history: with("force", func(i float64) float64 { return 2 + 0.01*i + 0.3*math.Sin(2*math.Pi*i/25) }),
			said:    SaidEnded, want: Complete},
		{name: "swings ever more",
			history: with("force",
				func(i float64) float64 { return 2 + 0.3*math.Exp(i/150)*math.Sin(2*math.Pi*i/25) }),
			said: SaidEnded, want: Complete},
		{name: "a wave passes", history: with("courant_max",
			func(i float64) float64 { return 0.1 + 6*math.Exp(-(i-400)*(i-400)/200) }), said: SaidEnded,
			want: Complete},
		{name: "starts from rest", history: with("courant_max",
			func(i float64) float64 { return 30 * (1 - math.Exp(-i/40)) }), said: SaidEnded, want: Complete},
		{name: "blows up", history: with("courant_max",
			func(i float64) float64 { return 0.5 * math.Exp(max(0, i-585)) }), end: Ending{Known: true, Status: 143},
			want: BlowingUp, reason: "courant_max"},
		{name: "its energy blows up", history: with("kinetic_energy",
			func(i float64) float64 { return 2 * math.Exp(max(0, i-585)) }), end: Ending{Known: true, Status: 143},
			want: BlowingUp, reason: "kinetic_energy"},
		{name: "its steps collapse", history: with("dt",
			func(i float64) float64 { return 1e-3 * math.Pow(10, -max(0, i-300)/90) }),
			end: Ending{Known: true, Status: 143}, want: StepCollapse},
		{name: "its steps become shorter, and stay so", history: with("dt",
			func(i float64) float64 { return 1e-3 * math.Pow(10, -min(1.5, max(0, i-300)/90)) }),
			said: SaidEnded, want: Complete},
		{name: "its solver gives up", history: wanders(), said: SaidDiverged, want: BlowingUp},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := New(tc.options)
			marched(m, 600, tc.history)
			if tc.said != "" {
				status(m, tc.said, "so it says")
			}
			j := m.Final(tc.end)
			if j.State != tc.want || !strings.Contains(strings.Join(j.Reasons, "; "), tc.reason) {
				t.Errorf("%s, %q; want %s with %q", j.State, j.Reasons, tc.want, tc.reason)
			}
		})
	}
}

// A run whose inner iterations miss their tolerance in most steps is no answer; one that misses it at its start is.
func TestInnerIterations(t *testing.T) {
	for _, tc := range []struct {
		missed func(i int) bool
		want   State
	}{
		{func(i int) bool { return i%3 > 0 }, InnerStalled},
		{func(i int) bool { return i < 200 }, Complete},
	} {
		m := New(Options{})
		for i := 1; i <= 400; i++ {
			kind := event.Message
			if tc.missed(i) {
				kind = event.Warning
			}
			m.Event(event.Event{Kind: kind, Values: map[string]float64{"corrections": 50}})
			m.Event(event.Event{Kind: event.Iteration, Values: map[string]float64{"time": 0.01 * float64(i),
				"courant_max": 0.5, "residual_p": 0.1}})
		}
		status(m, SaidEnded, "End")
		if j := m.Final(Ending{}); j.State != tc.want {
			t.Errorf("%s, %q; want %s", j.State, j.Reasons, tc.want)
		}
	}
}

// A solver that numbers its iterations in one file and adds up local time steps in another is steady.
func TestLocalTimeIsNoTime(t *testing.T) {
	m := New(Options{})
	for i := 1; i <= 300; i++ {
		for file, v := range map[string]map[string]float64{
			"residuals": {"iteration": float64(i), "residual_p": math.Pow(10, -float64(i)/50)},
			"probes":    {"time": 0.02 * float64(i), "probe": 1 + math.Exp(-float64(i)/20)},
		} {
			m.Event(event.Event{Kind: event.Iteration, File: file, Values: v})
		}
	}
	if j := m.Final(Ending{Known: true}); j.State != Converged {
		t.Errorf("%s, %q; want converged", j.State, j.Reasons)
	}
}

// The time beside an iteration is the flow's if it grows by the time step, reported at each step or not, or named so;
// the processor's is not.
func TestTimeBesideIterations(t *testing.T) {
	for _, tc := range []struct {
		name   string
		apart  float64
		values map[string]float64 // an iteration's share
		want   State
	}{
		{"each step", 1, map[string]float64{"time": 0.01, "dt": 0}, Periodic},
		{"each fifth step", 5, map[string]float64{"time": 0.01, "dt": 0}, Periodic},
		{"by its name", 1, map[string]float64{"time_flow": 0.01}, Periodic},
		{"the processor's", 1, map[string]float64{"time": 0.2, "dt": 0}, Oscillating},
		{"without a step", 1, map[string]float64{"time": 0.2}, Oscillating},
	} {
		m := New(Options{})
		for i := 1; i <= 600; i++ {
			at := tc.apart * float64(i)
			v := map[string]float64{"iteration": at, "force": 2 + 0.3*math.Sin(2*math.Pi*float64(i)/25)}
			for name, share := range tc.values {
				if v[name] = share * at; share == 0 {
					v[name] = 0.01
				}
			}
			marchedOne(m, v)
		}
		if j := m.Final(Ending{Known: true}); j.State != tc.want {
			t.Errorf("%s: %s, %q; want %s", tc.name, j.State, j.Reasons, tc.want)
		}
	}
}

// A solver of particles reports times and its processor's alone, and is complete; a utility that goes through times is
// idle.
func TestParticles(t *testing.T) {
	for _, cpu := range []bool{false, true} {
		m := New(Options{})
		for i := 1; i <= 30; i++ {
			v := map[string]float64{"time": 1e-6 * float64(i)}
			if cpu {
				v["cpu"] = float64(i)
			}
			marchedOne(m, v)
		}
		status(m, SaidEnded, "End")
		if j := m.Final(Ending{Closes: true, Tools: true}); m.Idle() == cpu || j.State != Complete {
			t.Errorf("processor's time %v: idle %v, %s, %q", cpu, m.Idle(), j.State, j.Reasons)
		}
	}
}
