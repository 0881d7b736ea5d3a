package ode_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/peregrine-sim/peregrine/executive/ode"
)

// spool is a shaft whose speed N, rpm, follows its torque with a time constant of 2 s.
var spool = ode.Problem{N: 1, F: func(_ float64, y, f []float64) error {
	f[0] = (8000 - y[0]) / 2
	return nil
}}

// Dense output gives the solution between the steps, here every second, without shortening any.
func ExampleNewDormandPrince() {
	s, err := ode.NewDormandPrince(spool, ode.Settings{RTol: 1e-8}, 0, []float64{6000})
	check(err)
	y, next := make([]float64, 1), 0.0
	for s.T() < 4 {
		check(s.Step(4))
		for _, to := s.Last(); next <= to; next++ {
			s.At(next, y)
			fmt.Printf("%g s %.2f rpm\n", next, y[0])
		}
	}
	// Output:
	// 0 s 6000.00 rpm
	// 1 s 6786.94 rpm
	// 2 s 7264.24 rpm
	// 3 s 7553.74 rpm
	// 4 s 7729.33 rpm
}

// Gear's method on Robertson's reactions, which are stiff.
func ExampleNewGear() {
	reactions := ode.Problem{N: 3, F: func(_ float64, y, f []float64) error {
		f[0] = -0.04*y[0] + 1e4*y[1]*y[2]
		f[2] = 3e7 * y[1] * y[1]
		f[1] = -f[0] - f[2]
		return nil
	}}
	s, err := ode.NewGear(reactions, ode.Settings{RTol: 1e-6, ATol: []float64{1e-10, 1e-14, 1e-10}}, 0,
		[]float64{1, 0, 0})
	check(err)
	for s.T() < 4e4 {
		check(s.Step(4e4))
	}
	fmt.Printf("y = %.4f, %.2e, %.4f\n", s.Y()[0], s.Y()[1], s.Y()[2])
	// Output: y = 0.0390, 1.62e-07, 0.9610
}

// A sampled controller: the integration stops exactly at each of its periods, where the
// input jumps, and the method is told of it.
func Example_controller() {
	fuel, integral := 0.0, 0.0
	engine := ode.Problem{N: 1, F: func(_ float64, y, f []float64) error {
		f[0] = fuel*5000 - y[0]
		return nil
	}}
	s, err := ode.New("dormand-prince", engine, ode.Settings{}, 0, []float64{6000})
	check(err)
	const period = 0.02
	for k := 1; k <= 500; k++ {
		e := (8000 - s.Y()[0]) / 8000
		integral += 4 * e * period
		fuel = 2*e + integral
		check(s.Restart())
		for s.T() < float64(k)*period {
			check(s.Step(float64(k) * period))
		}
	}
	fmt.Printf("N = %.0f rpm at %.0f s\n", s.Y()[0], s.T())
	// Output: N = 8000 rpm at 10 s
}

// An event: the time at which a shaft reaches a speed.
func ExampleDriver() {
	s, err := ode.New("rk4", spool, ode.Settings{RTol: 1e-9}, 0, []float64{6000})
	check(err)
	d := ode.Driver{Stepper: s, Events: []ode.Event{{
		Name: "governor",
		G:    func(_ float64, y []float64) float64 { return 7500 - y[0] },
	}}}
	c, err := d.Advance(context.Background(), 10)
	check(err)
	fmt.Printf("%s at %.5f s; exact: %.5f s\n", c.Name, c.T, 2*math.Log(4))
	// Output: governor at 2.77259 s; exact: 2.77259 s
}

// A run is saved, and continues in another process as if uninterrupted.
func ExampleStepper_checkpoint() {
	a, err := ode.New("adams", spool, ode.Settings{}, 0, []float64{6000})
	check(err)
	for range 10 {
		check(a.Step(100))
	}
	b, err := ode.New("adams", spool, ode.Settings{}, 0, []float64{0})
	check(err)
	check(b.Restore(a.Save()))
	for range 10 {
		check(a.Step(100))
		check(b.Step(100))
	}
	fmt.Println(a.T() == b.T() && a.Y()[0] == b.Y()[0])
	// Output: true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
