package bladerow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// When a run ends without an order from outside.
const (
	coarseLimit  = 100  // iterations that a coarser mesh gets at most: it may stall where a finer holds
	coarseOrders = 2    // and the orders of magnitude that its residual need fall
	hanging      = 200  // iterations without a lower residual after which it hangs
	within       = 10   // times the residual that is wanted, at which hanging is converged, too
	hopeless     = 1000 // and after which a flow that is not steady will not become so
)

// enough reports whether a coarser mesh is done: a rough answer will do.
func (s *Solver) enough() bool {
	return s.here >= coarseLimit || s.fallen() < math.Pow(10, -coarseOrders) && s.window.Drift() < 1e-2
}

// ended returns how the run on the finest mesh has ended, and why; no status if it goes
// on. Limiters may hold the residual up while the flow has long been steady: then it is
// converged too, if the residual is within an order of Settings.Tolerance.
func (s *Solver) ended() (march.Status, string) {
	set, l, now := &s.c.Settings, s.last(), s.fallen()
	// At first a flow that begins with its neighbour's has the low residual of that.
	if s.here <= march.WindowLength || now < 0.9*s.best {
		s.best, s.since = now, s.here
	}
	tol := math.Pow(10, -set.Tolerance)
	in, out := s.levels[s.at].massFlow(0), l.massFlow(l.n[0])
	met := s.c.Exit.Met(l.ps*l.ref.p, out)
	settled := math.Abs(in-out) <= set.MassError*in && s.window.Drift() <= set.Steady && met
	hangs := s.here - s.since
	switch {
	case settled && now <= tol:
		return march.Converged, fmt.Sprintf("residual below %.2g of its greatest value, flow steady", tol)
	case settled && hangs >= hanging && now <= within*tol:
		return march.Converged, fmt.Sprintf(
			"flow steady; the residual hangs at %.2g of its greatest value, where %.2g is asked for", now, tol)
	case met && hangs >= hopeless:
		return march.NotConverged, fmt.Sprintf(
			"the residual hangs at %.2g of its greatest value for %d iterations, and the flow moves by %.2g of "+
				"itself in %d iterations, want %.2g: it is unsteady, or the mesh too rough for it",
			now, hangs, s.window.Drift(), march.WindowLength, set.Steady)
	}
	return "", ""
}
