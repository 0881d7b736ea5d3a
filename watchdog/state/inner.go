package state

// The inner iterations of time steps.

import "fmt"

const (
	innerShare = 0.5 // of the steps whose inner iterations missed their tolerance
	innerLeast = 20  // steps
)

// inner counts the time steps whose inner iterations met their tolerance, and those that missed it.
type inner struct {
	steps  int
	missed [recentLength]bool
}

// note takes the end of a time step's inner iterations.
func (n *inner) note(missed bool) {
	n.missed[n.steps%recentLength] = missed
	n.steps++
}

// stalled returns the reason if most of the latest steps missed their tolerance; empty if they did not.
func (n *inner) stalled() string {
	of := min(n.steps, recentLength)
	missed := 0
	for _, m := range n.missed[:of] {
		if m {
			missed++
		}
	}
	if of < innerLeast || float64(missed) <= innerShare*float64(of) {
		return ""
	}
	return fmt.Sprintf("inner iterations missed their tolerance in %d of the last %d time steps", missed, of)
}
