package throughflow_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/throughflow"
)

// The fan rotor of the Energy Efficient Engine at its design flow.
func Example() {
	text, err := os.ReadFile("../../../config/examples/geometry/e3-fan.yaml")
	if err != nil {
		log.Fatal(err)
	}
	geometry, err := blade.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	solver, err := throughflow.New(throughflow.Case{
		Geometry: geometry,
		Gas:      march.Gas{Gamma: 1.4, R: 287.05},
		Inlet:    march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		Exit:     march.Exit{W: 643.7},
		N:        3727.7,
		Settings: throughflow.Settings{NZ: 40, NR: 12, Levels: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := solver.Run(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: W %.1f kg/s, PR %.2f, eff %.2f\n", result.Status, result.W, result.PR, result.Eff)
	// Output: converged: W 643.7 kg/s, PR 1.65, eff 0.88
}
