package control

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
)

func from(i int) Source { return Source{Node: i} }

func outside(x *float64) Source { return Source{Read: func() float64 { return *x }} }

// fuelControl is the usual one: a governor and a temperature limiter, the least of
// them and an acceleration schedule, an actuator. Periods are of the digital part.
type fuelControl struct {
	*Network
	n, n3, t4, p3   float64 // measured
	governor, limit *PI
}

func newFuelControl(t testing.TB, period float64) *fuelControl {
	t.Helper()
	c := &fuelControl{n: 8000, n3: 8000, t4: 1400, p3: 10}
	c.governor = &PI{Gain: 1e-3, Integral: 2e-3, Min: 0.1, Max: 2, Tracking: 0.5}
	c.limit = &PI{Gain: 1e-3, Integral: 1e-2, Min: 0.1, Max: 2, Tracking: 0.1}
	demand, most := 8000.0, 1600.0
	ratio := &Table{X: []float64{5000, 9000}, Values: [][]float64{{0.06}, {0.2}}}
	flow, err := newFormula(config.Formula{Text: "a * b", Inputs: []string{"a", "b"}})
	must.OK(t, err)
	nodes := []Node{
		{Name: "fuel", Block: &Actuator{Lag: 0.05, Rate: 1, Min: 0.1, Max: 2}, In: []Source{from(1)}},
		{Name: "selected", Block: &Least{}, In: []Source{from(2), from(3), from(5)}, Period: period},
		{Name: "governor", Block: c.governor, In: []Source{from(6), outside(&demand)}, Period: period},
		{Name: "limit", Block: c.limit, In: []Source{outside(&c.t4), outside(&most)}, Period: period},
		{Name: "ratio", Block: ratio, In: []Source{outside(&c.n3)}, Period: period},
		{Name: "flow", Block: flow, In: []Source{from(4), outside(&c.p3)}, Period: period},
		{Name: "speed", Block: &Lag{Time: 0.1}, In: []Source{outside(&c.n)}},
	}
	if c.Network, err = NewNetwork(nodes); err != nil {
		t.Fatal(err)
	}
	return c
}

// From a steady engine the controls start at rest: the fuel has its previous value, no signal moves, and the limiter
// waits at the value from which it takes over without a bump.
func TestRest(t *testing.T) {
	for _, period := range []float64{0, 0.02} {
		t.Run(fmt.Sprint(period), func(t *testing.T) {
			c := newFuelControl(t, period)
			z := make([]float64, c.States())
			if differ := c.Rest(0, z, map[int]float64{0: 0.7}); len(differ) > 0 {
				t.Fatalf("%v differ", differ)
			}
			within := 0.1
			if period > 0 {
				within = period / (1 - math.Exp(-period/0.1))
			}
			for range 50 {
				for i, name := range []string{"fuel", "selected", "governor"} {
					near(t, name, *c.Signal(i), 0.7, 1e-12)
				}
				near(t, "limit", *c.Signal(3), 0.7+1e-2*200*within, 1e-12)
				near(t, "speed", *c.Signal(6), 8000, 0)
				c.Sample(0, z)
				dz := make([]float64, len(z))
				c.Signals(0, z)
				c.Rates(z, dz)
				for i, r := range dz {
					near(t, fmt.Sprintf("rate %d", i), r, 0, 1e-9)
				}
			}
			// A schedule below the fuel flow leaves no rest.
			c.p3 = 3
			if differ := c.Rest(0, z, map[int]float64{0: 0.7}); !slices.Equal(differ, []int{1}) {
				t.Errorf("with too little by the schedule %v differ", differ)
			}
		})
	}
}

// While another input is selected, or the actuator is at its stop or stuck, an integral waits: it gets the value used
// in its place.
func TestFollowsSelection(t *testing.T) {
	c := newFuelControl(t, 0)
	z := make([]float64, c.States())
	c.Rest(0, z, map[int]float64{0: 0.7})
	c.n = 7000 // the governor wants more
	run := func(seconds float64) {
		dz := make([]float64, len(z))
		const h = 1e-3
		for range int(seconds / h) {
			c.Signals(0, z)
			c.Rates(z, dz)
			for i := range z {
				z[i] += h * dz[i]
			}
		}
	}
	c.p3 = 4
	run(20)
	scheduled := (0.06 + 0.14*3.0/4) * 4
	near(t, "the fuel by the schedule", *c.Signal(0), scheduled, 1e-9)
	w := c.governor.wants(c.of(2, z), []float64{7000, 8000, 0})
	near(t, "the governor that waits", w, scheduled+2e-3*0.5*1000, 1e-6)
	c.nodes[0].Block.(*Actuator).Stuck = 1
	c.p3 = 20
	run(20)
	w = c.governor.wants(c.of(2, z), []float64{7000, 8000, 0})
	near(t, "the governor of a stuck valve", w, scheduled+2e-3*0.5*1000, 1e-6)
}

// A loop without a lag is an error that names the loop; a lag breaks it.
func TestLoop(t *testing.T) {
	nodes := func(b Block) []Node {
		return []Node{
			{Name: "a", Block: &Least{}, In: []Source{from(2)}},
			{Name: "b", Block: &Greatest{}, In: []Source{from(0)}},
			{Name: "c", Block: b, In: []Source{from(1)}},
		}
	}
	_, err := NewNetwork(nodes(&Least{}))
	var loop *LoopError
	if !errors.As(err, &loop) || !slices.Equal(loop.Names, []string{"a", "b", "c", "a"}) {
		t.Errorf("%v", err)
	}
	must.Value(NewNetwork(nodes(&Lag{Time: 1})))(t)
}

// Sampled blocks of two periods act at their times, and hold in between.
func TestSampling(t *testing.T) {
	x := 0.0
	n, err := NewNetwork([]Node{
		{Name: "fast", Block: &Lag{}, In: []Source{outside(&x)}, Period: 0.1},
		{Name: "slow", Block: &Lag{}, In: []Source{outside(&x)}, Period: 0.3},
	})
	must.OK(t, err)
	times := n.Times(1)
	if len(times) != 10 {
		t.Fatalf("%v", times)
	}
	for k, at := range times {
		near(t, "time", at, 0.1*float64(k), 1e-12)
		x = at
		if !n.Sample(at, nil) {
			t.Errorf("nothing at %g s", at)
		}
		near(t, "fast", *n.Signal(0), at, 0)
		near(t, "slow", *n.Signal(1), times[k/3*3], 0)
	}
	if n.Sample(0.95, nil) {
		t.Error("something at 0.95 s")
	}
}

// A sampled PI on a plant that answers at once is a difference equation with a known
// solution, the plant being read before the controller acts.
func TestSampledPI(t *testing.T) {
	const k, h, demand = 2.0, 0.02, 1.0
	plant, want := 0.0, demand
	n, err := NewNetwork([]Node{{Name: "pi", Block: &PI{Integral: 4, Min: -9, Max: 9, Tracking: 1}, Period: h,
		In: []Source{outside(&plant), {Read: func() float64 { return want }}}}})
	must.OK(t, err)
	errs := []float64{}
	for i := range 50 {
		n.Sample(float64(i)*h, nil)
		plant = k * *n.Signal(0)
		errs = append(errs, demand-plant)
	}
	// I(j+1) = I(j) + h Integral e(j-1): with e = 1 - k I that is e(j+1) = e(j) - k h Integral e(j-1).
	for j := 2; j+1 < len(errs); j++ {
		near(t, "e", errs[j+1], errs[j]-k*h*4*errs[j-1], 1e-12)
	}
}

// The memory of sampled blocks can be saved: another network continues identically.
func TestMemory(t *testing.T) {
	a, b := newFuelControl(t, 0.02), newFuelControl(t, 0.02)
	z := make([]float64, a.States())
	a.Rest(0, z, map[int]float64{0: 0.7})
	run := func(c *fuelControl, from int) (out []float64) {
		z := slices.Clone(z)
		for i := from; i < from+20; i++ {
			c.n, c.t4 = 8000-float64(i), 1550+2*float64(i)
			c.Signals(0, z)
			c.Sample(0.02*float64(i), z)
			out = append(out, *c.Signal(1))
		}
		return out
	}
	run(a, 0)
	must.OK(t, b.SetMemory(a.Memory()))
	if x, y := run(a, 20), run(b, 20); !slices.Equal(x, y) || math.Abs(x[0]-x[19]) < 1e-3 {
		t.Errorf("%v\n%v", x, y)
	}
	if b.SetMemory([]float64{1}) == nil {
		t.Error("a memory of another network is taken")
	}
}

// A cascade is also at rest: the demand of the outer controller equals the measurement of the inner one. An integral
// behind a formula has the value at which the formula gives the engine's value.
func TestRestOfCascade(t *testing.T) {
	thrust, want, n, p3 := 50e3, 50e3, 7000.0, 12.0
	ratio := must.Value(newFormula(config.Formula{Text: "a * b", Inputs: []string{"a", "b"}}))(t)
	net, err := NewNetwork([]Node{
		{Name: "outer", Block: &PI{Gain: 1e-3, Integral: 1e-2, Min: 0, Max: 1e4, Tracking: 1},
			In: []Source{outside(&thrust), outside(&want)}},
		{Name: "inner", Block: &PI{Gain: 1e-5, Integral: 1e-4, Min: -9, Max: 9, Tracking: 1},
			In: []Source{outside(&n), from(0)}},
		{Name: "fuel", Block: ratio, In: []Source{from(1), outside(&p3)}},
		{Name: "valve", Block: &Actuator{Lag: 0.1, Rate: 1, Min: 0, Max: 2}, In: []Source{from(2)}},
	})
	must.OK(t, err)
	z, dz := make([]float64, net.States()), make([]float64, net.States())
	if differ := net.Rest(0, z, map[int]float64{3: 0.6}); len(differ) > 0 {
		t.Fatalf("%v differ", differ)
	}
	net.Signals(0, z)
	net.Rates(z, dz)
	near(t, "outer", *net.Signal(0), 7000, 1e-9)
	near(t, "inner", *net.Signal(1), 0.05, 1e-12)
	near(t, "valve", *net.Signal(3), 0.6, 0)
	for i, r := range dz {
		near(t, fmt.Sprintf("rate %d", i), r, 0, 1e-9)
	}
}
