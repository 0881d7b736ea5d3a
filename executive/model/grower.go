package model

// How far a zoomed component is from the end of its map, and what extends the map.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

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
