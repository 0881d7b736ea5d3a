package model

// A transient extends the maps of its zoomed components where it is about to leave them.
// That is an event of the integrator: the step waits for the runs, the engine is solved
// on the new map, and the integrator begins anew, because the equations have changed.

import (
	"context"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom"
)

// grown is the state of the growers.
func (run *transient) grown() []grown {
	var list []grown
	for _, g := range run.growers {
		list = append(list, grown{g.watch, g.InTime, g.Asked()})
	}
	return list
}

// regrow puts the maps that a checkpoint tells of into the model, before anything else of it
// is taken up. Their runs are in the cache, or made again.
func (run *transient) regrow(ctx context.Context, list []grown) error {
	for i, g := range run.growers {
		m, err := g.Remake(ctx, list[i].Asked)
		if err == nil {
			err = g.user.SetMap(m, g.scaled == "absolute")
		}
		if err != nil {
			return fmt.Errorf("the map of %s cannot be had again: %w", g.name, err)
		}
		g.watch, g.InTime = list[i].Watch, list[i].Told
	}
	run.d.s.prepare()
	return nil
}

// grows tells whether a component's map may grow. It may then come to have a stall line.
func (run *transient) grows(p *Part) bool {
	return slices.ContainsFunc(run.growers, func(g *Grower) bool { return g.part == p })
}

// endOfMap is the event that a component is about to leave its map.
func (run *transient) endOfMap(g *Grower) ode.Event {
	return ode.Event{Name: "map of " + g.name, Direction: ode.Falling, Terminal: true, G: run.event(func() float64 {
		room, _ := g.room(0)
		return room + zoom.Touch
	})}
}

// mostStops bounds how often a map is extended at one time.
const mostStops = 20

// atEnd is how near the end of a map an event is located, and more: rounding errors of
// the equations are not to hide it.
const atEnd = 1e-6

// widen extends the maps on which there is less room than some at t, s, where the
// engine is, until there is as much or no more is to be had, and brings the engine to the
// solution on the new maps. It reports whether a map is new.
func (run *transient) widen(ctx context.Context, t, some float64) (widened bool, ended *result.Ended, err error) {
	for range mostStops {
		again := false
		for _, g := range run.growers {
			_, sides := g.room(some)
			if sides == 0 {
				continue
			}
			grown, err := g.grow(ctx, t, sides)
			if err != nil {
				ended, err := run.interrupted()
				return widened, ended, err
			}
			if grown {
				run.place(g)
				again = true
			}
		}
		if !again {
			return widened, nil, nil
		}
		widened = true
		if err := run.renew(t); err != nil {
			return widened, &result.Ended{T: t, Why: "no solution"}, fmt.Errorf("on the extended map: %w", err)
		}
	}
	for _, g := range run.growers {
		if _, sides := g.room(some); sides != 0 {
			g.giveUp(t, sides, fmt.Sprintf("%d extensions at one time were not enough", mostStops))
		}
	}
	return widened, nil, nil
}

// leaves extends the maps that the engine is about to leave at t, s, where it is. The history
// has that point on the new maps, too.
func (run *transient) leaves(ctx context.Context, t float64) (*result.Ended, error) {
	widened, ended, err := run.widen(ctx, t, atEnd)
	if err != nil || !widened {
		return ended, err
	}
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Why: "no solution"}, err
	}
	return nil, nil
}

// place starts a component near where it was, by its flow, on a map whose third coordinate
// means something else now.
func (run *transient) place(g *Grower) {
	m, s, _ := g.user.Map()
	nc, wc := *g.out["Nc"]/s.Nc, *g.out["Wc"]/s.Wc
	x, _, err := m.Solve("Wc", m.Design.Alpha, nc, wc)
	if err != nil {
		return // the design point is as good a start as any
	}
	for i, u := range run.d.s.unknowns {
		if u.name == g.name+".xMap" {
			run.d.x[i] = x
		}
	}
}

// renew solves the equations at t, s, again, after they have changed.
func (run *transient) renew(t float64) error {
	d := run.d
	d.s.prepare()
	d.nw.Forget()
	d.guess.forget()
	d.known = false
	d.mark() // there is no way back to the solution on another map
	if err := d.to(t, d.values(run.drive.Stepper.Y())); err != nil {
		return err
	}
	d.mark()
	return run.drive.Stepper.Restart()
}
