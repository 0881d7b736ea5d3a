package control

import (
	"slices"

	"github.com/peregrine-sim/peregrine/config"
)

// choices is their only key.
var choices = []config.ControlInput{{Name: "of", Required: true, Many: true, Doc: "signals to select from"}}

// Least and Greatest select one of their inputs. A chain of them decides which controller is in charge: the least of a
// governor and the acceleration limit, the greatest of that and the deceleration limit (Jaw and Mattingly, chapter 6).
// At a change of the selected input the signal has a kink, no jump.
type (
	Least    struct{ selection }
	Greatest struct{ selection }
)

// selection holds the common methods of selectors.
type selection struct{ stateless }

// Selects implements Selector.
func (selection) Selects() bool { return true }

// Declare implements Block.
func (Least) Declare(d *Declaration) {
	d.Describe("min", "The least of some signals.")
	d.Type.Inputs, d.Type.Same = choices, true
}

// Output implements Block.
func (Least) Output(_, u []float64) float64 {
	return slices.Min(u)
}

// Declare implements Block.
func (Greatest) Declare(d *Declaration) {
	d.Describe("max", "The greatest of some signals.")
	d.Type.Inputs, d.Type.Same = choices, true
}

// Output implements Block.
func (Greatest) Output(_, u []float64) float64 {
	return slices.Max(u)
}
