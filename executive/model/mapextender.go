package model

// A transient extends the map of a zoomed component through a MapExtender: it measures how
// far the component is from the edge of its map, and has the map extended.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// MapExtender extends the map of one component for one transient.
type MapExtender struct {
	name    string
	part    *Part
	user    components.MapUser
	outputs map[string]*float64 // outputs of the component
	sides   perfmap.Edge        // sides on which the map can still be extended
	InTime  result.InTime

	// Extend makes the runs that the map lacks beyond some sides near a target. It counts the
	// runs in e and returns the new map.
	Extend func(ctx context.Context, t zoom.Target, sides perfmap.Edge, e *result.Extension) (*perfmap.Map, error)
	scale  string // as config.Zoom has it

	// Requests returns the runs that the map was made from; Rebuild makes the map from them.
	Requests func() zoom.Plan
	Rebuild  func(ctx context.Context, a zoom.Plan) (*perfmap.Map, error)
}

// extendedMap is the state of a MapExtender, for a checkpoint.
type extendedMap struct {
	Sides    perfmap.Edge
	InTime   result.InTime
	Requests zoom.Plan
}

// ErrCannotExtend means that no further run can extend the map.
var ErrCannotExtend = errors.New("the solver found no steady flow there, or the map is fixed to its speeds")

// allSides are the sides of a compressor's map.
const allSides = perfmap.NcLow | perfmap.NcHigh | perfmap.XLow | perfmap.XHigh

// NewMapExtender returns the extender of a zoomed component's map. Leaving and scale are
// config.Zoom's InTime and Scale. The caller sets the functions.
func NewMapExtender(p *Part, leaving, scale string) *MapExtender {
	g := &MapExtender{name: p.Name, part: p, user: p.Component.(components.MapUser), outputs: map[string]*float64{}, InTime: result.InTime{Leaving: leaving}, scale: scale}
	for _, o := range p.Declaration.Outputs {
		g.outputs[o.Name] = o.At
	}
	if leaving == "extend" {
		g.sides = allSides
	}
	return g
}

// Name is that of the component.
func (g *MapExtender) Name() string { return g.name }

// margin returns how far the component is inside its map, and the sides on which the margin is
// below a limit.
func (g *MapExtender) margin(limit float64) (float64, perfmap.Edge) {
	m, _, _ := g.user.Map()
	return zoom.Margin(m, *g.outputs["NcMap"], *g.outputs["xMap"], g.sides, limit)
}

// extend extends the map beyond some sides and puts the new map into the model. If that fails
// it gives these sides up and reports false. The error is that of ctx.
func (g *MapExtender) extend(ctx context.Context, t float64, sides perfmap.Edge) (bool, error) {
	target := zoom.Target{Nc: *g.outputs["Nc"], Wc: *g.outputs["Wc"], PR: *g.outputs["PR"]}
	e := result.Extension{T: t, Side: sides.String()}
	m, err := g.Extend(ctx, target, sides, &e)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if !errors.Is(err, ErrCannotExtend) {
		g.InTime.Extended = append(g.InTime.Extended, e)
	}
	if err == nil {
		err = g.user.SetMap(m, g.scale == "absolute")
	}
	if err != nil {
		g.giveUp(t, sides, err.Error())
	}
	return err == nil, nil
}

// giveUp records that the map is not extended beyond some sides any more.
func (g *MapExtender) giveUp(t float64, sides perfmap.Edge, why string) {
	g.sides &^= sides
	g.InTime.GaveUp = append(g.InTime.GaveUp, result.GaveUp{T: t, Side: sides.String(), Reason: why})
}
