package rule_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

func TestClass(t *testing.T) {
	converges := recorded(t, "throughflow-converges.dat")
	limit := recorded(t, "throughflow-limit.dat")
	unstable := advection(t, 3200)
	neutral := acoustics(t, 400)
	good := result(map[string]float64{"PR": 1.65, "eff": 0.88})
	join := func(first []event.Event, more ...event.Event) []event.Event {
		return append(append([]event.Event(nil), first...), more...)
	}
	for _, c := range []struct {
		name   string
		events []event.Event
		want   event.Class
	}{
		{"goes on", limit, ""},
		{"the solver's word", join(converges, good, ended(event.Plugin, event.Stalled)), event.Stalled},
		{"the solver says nothing, but it converged", join(converges, good, ended(event.Host, "")), event.Converged},
		{"crashed after its result", join(converges, good, ended(event.Host, event.Crashed)), event.Converged},
		{"a result without convergence", join(limit, good), event.NotConverged},
		{"limit reached", join(join([]event.Event{started(700)}, limit...), ended(event.Host, "")), event.NotConverged},
		{"oscillates at the limit", join(join([]event.Event{started(400)}, neutral...), ended(event.Host, "")),
			event.Stalled},
		{"NaN, then stopped", join(unstable, ended(event.Host, event.Killed)), event.Diverged},
		{"grows, then crashes", join(unstable[:200], ended(event.Host, event.Crashed)), event.Diverged},
		{"no result", join(limit, ended(event.Host, event.Crashed)), event.Crashed},
		{"nothing at all", []event.Event{ended(event.Host, "")}, event.Crashed},
		{"timeout", join(limit, ended(event.Host, event.Timeout)), event.Timeout},
		{"NaN in the result", join(converges, result(nil, "PR"), ended(event.Plugin, event.Converged)), event.Diverged},
		{
			"an answer that cannot be", join(converges, result(map[string]float64{"PR": 1.2, "eff": 1.3}),
				ended(event.Plugin, event.Converged)), event.Unphysical,
		},
	} {
		m, _ := feed(t, compile(t), c.events...)
		if class := m.Class("r"); class != c.want {
			t.Errorf("%s: %q; want %q", c.name, class, c.want)
		}
	}
	if class := rule.NewMonitor(compile(t)).Class("unknown"); class != "" {
		t.Error(class)
	}
}

// advection solves u_t + u_x = 0 on a periodic line and returns the history
// that the solver writes. Central differences with an explicit Euler step are
// unstable at any Courant number: the solution grows until it overflows.
func advection(t testing.TB, steps int) []event.Event {
	const n, c = 32, 0.8
	u, next := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = math.Sin(2 * math.Pi * float64(i) / n)
	}
	var b strings.Builder
	b.WriteString("# iteration residual W_in W_out\n")
	for it := 1; it <= steps; it++ {
		change := 0.0
		for i := range u {
			next[i] = u[i] - c*(u[(i+1)%n]-u[(i+n-1)%n])/2
			change = math.Max(change, math.Abs(next[i]-u[i])) // NaN if either is
		}
		u, next = next, u
		fmt.Fprintf(&b, "%d %.4e %.6e %.6e\n", it, change, 10+u[0], 10+u[n/2])
	}
	return events(t, b.String())
}

// acoustics solves p_t + v_x = 0, v_t + p_x = 0 between two walls by staggered
// leapfrog steps, which damp nothing: the wave goes to and fro for ever, as the flow
// of a steady solver does whose boundaries reflect.
func acoustics(t testing.TB, steps int) []event.Event {
	const n, c = 32, 0.9
	p, v := make([]float64, n), make([]float64, n+1) // v is 0 at the walls
	for i := range p {
		p[i] = math.Cos(math.Pi * (float64(i) + 0.5) / n)
	}
	var b strings.Builder
	b.WriteString("# iteration residual W_in W_out\n")
	for it := 1; it <= steps; it++ {
		for i := 1; i < n; i++ {
			v[i] -= c * (p[i] - p[i-1])
		}
		change := 0.0
		for i := range p {
			dp := c * (v[i+1] - v[i])
			p[i] -= dp
			change = math.Max(change, math.Abs(dp))
		}
		fmt.Fprintf(&b, "%d %.4e %.6e %.6e\n", it, change, 10+v[1], 10+v[n-1])
	}
	return events(t, b.String())
}
