package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// This file lets a transient use zoomed maps. Where the engine is about to leave what a
// map was made for, an event of the integrator, the step waits for the runs that extend it
// and goes on from there, on the new map, whose equations are others: the integrator
// begins again, and what the map says of the same place differs by what interpolation
// was worth. Or, by the user's choice and where nothing more is to be had, it goes on
// where the map is extrapolated.

// Grower extends the map of one component for one transient.
type Grower struct {
	name   string
	part   *Part
	user   components.MapUser
	out    map[string]*float64 // outputs of the component
	watch  perfmap.Edge        // sides on which the map can still grow
	InTime result.InTime

	// extend makes the runs that a map lacks beyond some sides near a place, counts them
	// and returns the map that came of it.
	Extend func(ctx context.Context, t zoom.Target, sides perfmap.Edge, e *result.Extension) (*perfmap.Map, error)
	scaled string // as config.Zoom has it

	// asked is what the map is made of, and again makes it of that.
	Asked  func() zoom.Asked
	Remake func(ctx context.Context, a zoom.Asked) (*perfmap.Map, error)
}

// grown is a map that a transient extended, for a checkpoint.
type grown struct {
	Watch perfmap.Edge
	Told  result.InTime
	Asked zoom.Asked
}

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

// ErrNoMore tells that there is nothing that a map could be extended by.
var ErrNoMore = errors.New("the solver found no steady flow there, or the map is fixed to its speeds")

// everySide is what a compressor's map can end at.
const everySide = perfmap.NcLow | perfmap.NcHigh | perfmap.XLow | perfmap.XHigh

func NewGrower(p *Part, leaving, scaled string) *Grower {
	g := &Grower{name: p.Name, part: p, user: p.Component.(components.MapUser), out: map[string]*float64{}, InTime: result.InTime{Leaving: leaving}, scaled: scaled}
	for _, o := range p.Declaration.Outputs {
		g.out[o.Name] = o.At
	}
	if leaving == "extend" {
		g.watch = everySide
	}
	return g
}

// room is how far the component is from leaving its map, and on which sides there is
// less room than some.
func (g *Grower) room(some float64) (float64, perfmap.Edge) {
	m, _, _ := g.user.Map()
	return zoom.Room(m, *g.out["NcMap"], *g.out["xMap"], g.watch, some)
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

// grow extends a map and puts the new one into the model. Where that is not to be had it gives
// up, and reports false; the error is that of ctx.
func (g *Grower) grow(ctx context.Context, t float64, sides perfmap.Edge) (bool, error) {
	target := zoom.Target{Nc: *g.out["Nc"], Wc: *g.out["Wc"], PR: *g.out["PR"]}
	e := result.Extension{T: t, Side: sides.String()}
	m, err := g.Extend(ctx, target, sides, &e)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if !errors.Is(err, ErrNoMore) {
		g.InTime.Extended = append(g.InTime.Extended, e)
	}
	if err == nil {
		err = g.user.SetMap(m, g.scaled == "absolute")
	}
	if err != nil {
		g.giveUp(t, sides, err.Error())
	}
	return err == nil, nil
}

func (g *Grower) giveUp(t float64, sides perfmap.Edge, why string) {
	g.watch &^= sides
	g.InTime.GaveUp = append(g.InTime.GaveUp, result.GaveUp{T: t, Side: sides.String(), Why: why})
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
