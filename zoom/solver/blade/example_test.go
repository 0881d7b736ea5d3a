package blade_test

import (
	"fmt"
	"log"
	"math"
	"os"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// The E3 fan blade between the tabulated sections, half way up.
func ExampleParse() {
	text, err := os.ReadFile("../../../config/examples/geometry/e3-fan.yaml")
	if err != nil {
		log.Fatal(err)
	}
	g, err := blade.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	rotor := g.Rows[0]
	s := rotor.Section(0.72)
	fmt.Printf("%s, %d blades: chord %.3f m, stagger %.1f deg\n", g.Name, rotor.Blades, s.Chord, s.Stagger*180/math.Pi)
	p := rotor.At(rotor.StackZ, 0.72)
	fmt.Printf("at the stacking axis: %.0f %% of chord, metal angle %.1f deg\n", 100*p.X, p.Angle*180/math.Pi)
	// Output:
	// E3 fan rotor, 32 blades: chord 0.238 m, stagger 36.9 deg
	// at the stacking axis: 52 % of chord, metal angle 36.7 deg
}
