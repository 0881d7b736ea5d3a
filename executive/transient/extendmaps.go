package transient

// A transient extends the map of a zoomed component when the component is about to leave
// it. That is an event of the integrator: the step waits for the solver's runs, the engine
// is solved on the new map, and the integrator restarts, because the equations changed.

import (
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom"
)

// canExtend reports whether the transient can extend a component's map. The map can then get a stall line that it does
// not have yet.
func (run *integration) canExtend(p *graph.Part) bool {
	return slices.ContainsFunc(run.extenders, func(g *MapExtender) bool { return g.part == p })
}

// mapEdgeEvent is the event of a component that reaches an extendable side of its map.
func (run *integration) mapEdgeEvent(g *MapExtender) ode.Event {
	return ode.Event{Name: "map of " + g.name, G: run.event(func() float64 {
		margin, _ := g.margin(0)
		return margin + zoom.BoundsTolerance
	})}
}

// maxExtensions is the largest number of map extensions at one time of a transient.
const maxExtensions = 20

// edgeTolerance is the margin below which a component counts as at the edge of its map. It is larger than the error of
// an event's location and the rounding errors of the equations.
const edgeTolerance = 1e-6

// extendMaps extends every map with a margin below a limit at the present state, at t, s. It repeats this until all
// margins are above the limit or the maps cannot be extended. It leaves the engine at the solution on the new maps, and
// reports whether a map was extended.
func (run *integration) extendMaps(ctx context.Context, t,
	margin float64) (extended bool, ended *result.Ended, err error) {
	for range maxExtensions {
		changed := false
		for _, g := range run.extenders {
			_, sides := g.margin(margin)
			if sides == 0 {
				continue
			}
			isNew, err := g.extend(ctx, t, sides)
			if err != nil {
				ended, err := run.interrupted()
				return extended, ended, err
			}
			if isNew {
				run.restartOnMap(g)
				changed = true
			}
		}
		if !changed {
			return extended, nil, nil
		}
		extended = true
		if err := run.solveOnNewMaps(t); err != nil {
			return extended, &result.Ended{T: t, Reason: "no solution"}, fmt.Errorf("on the extended map: %w", err)
		}
	}
	for _, g := range run.extenders {
		if _, sides := g.margin(margin); sides != 0 {
			g.giveUp(t, sides, fmt.Sprintf("%d extensions at one time were not enough", maxExtensions))
		}
	}
	return extended, nil, nil
}

// extendAtEdge extends the maps at whose edge the engine is at t, s. The history then has
// this point twice: on the old maps and on the new.
func (run *integration) extendAtEdge(ctx context.Context, t float64) (*result.Ended, error) {
	extended, ended, err := run.extendMaps(ctx, t, edgeTolerance)
	if err != nil || !extended {
		return ended, err
	}
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Reason: "no solution"}, err
	}
	return nil, nil
}

// restartOnMap sets the starting value of a component's map coordinate x on a new map, where
// the same x can be another point: it finds the x of the present flow.
func (run *integration) restartOnMap(g *MapExtender) {
	at := g.working()
	x, other := g.of.Place(at.Nc, at.Wc)
	if !other {
		return
	}
	for i, u := range run.d.s.Unknowns {
		if u.Name == g.name+".xMap" {
			run.d.x[i] = x
		}
	}
}

// solveOnNewMaps solves the equations at t, s, after a map changed, and restarts the
// integrator.
func (run *integration) solveOnNewMaps(t float64) error {
	d := run.d
	d.s.Prepare()
	d.nw.Forget()
	d.guess.forget()
	d.haveRates = false
	d.saveSolution() // a solution on the old map cannot be restored
	if err := d.moveTo(t, d.values(run.drive.Stepper.Y())); err != nil {
		return err
	}
	d.saveSolution() // now that of the new map
	return run.drive.Stepper.Restart()
}
