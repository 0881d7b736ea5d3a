package transient

// A transient extends the map of a zoomed component through a MapExtender: it measures how
// far the component is from the edge of its map, and has the map extended.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// Working is where a component works: in the engine's terms, and on its map, as its outputs NcMap and xMap have it,
// or the coordinates of its law.
type Working struct {
	machine.Target
	NcMap, X float64
}

// Extendable is the behaviour of a zoomed component in a transient: a map, or a model of its runs.
type Extendable interface {
	// Margin returns the distance of the component's operating point from the bounds of its behaviour, and the watched
	// sides with a distance at or below a limit.
	Margin(at Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge)
	// Extend makes the missing runs beyond some sides near the component's operating point, and updates the component
	// with their results. It counts the runs in e. Errors: ErrCannotExtend; that of ctx; errors of the runs.
	Extend(ctx context.Context, at Working, sides perfmap.Edge, e *result.Extension) error
	// Place returns the third coordinate, after an extension, of a corrected speed [rpm] and flow [kg/s] of the engine.
	// It reports whether it differs from the one before.
	Place(nc, wc float64) (x float64, other bool)
	// Requests returns the runs from which the behaviour was made; Rebuild remakes it from them.
	Requests() zoom.Requests
	Rebuild(ctx context.Context, a zoom.Requests) error
}

// MapExtender extends the map of one component for one transient.
type MapExtender struct {
	name    string
	part    *graph.Part
	of      Extendable
	outputs map[string]*float64 // outputs of the component
	sides   perfmap.Edge        // sides on which the map can still be extended
	InTime  result.InTime
}

// extendedMap is the state of a MapExtender, for a checkpoint.
type extendedMap struct {
	Sides    perfmap.Edge
	InTime   result.InTime
	Requests zoom.Requests
}

// ErrCannotExtend means that no further run can extend the map.
var ErrCannotExtend = errors.New("the solver found no steady flow there, or the map is fixed to its speeds")

// allSides are the sides of a compressor's map.
const allSides = perfmap.NcLow | perfmap.NcHigh | perfmap.XLow | perfmap.XHigh

// NewMapExtender returns the extender of the zoomed behaviour of a component. Leaving is config.Zoom's InTime.
func NewMapExtender(p *graph.Part, of Extendable, leaving string) *MapExtender {
	g := &MapExtender{name: p.Name, part: p, of: of, outputs: map[string]*float64{},
		InTime: result.InTime{Leaving: leaving}}
	for _, o := range p.Declaration.Outputs {
		g.outputs[o.Name] = o.At
	}
	if leaving == "extend" {
		g.sides = allSides
	}
	return g
}

// Name is the component's name.
func (g *MapExtender) Name() string { return g.name }

// working is where the component works.
func (g *MapExtender) working() Working {
	if use := g.part.Declaration.LawUse; use != nil {
		at := use.At()
		return Working{NcMap: at[0], X: at[1]}
	}
	return Working{
		machine.Target{Nc: *g.outputs["Nc"], Wc: *g.outputs["Wc"], PR: *g.outputs["PR"], Alpha: g.part.Setting()},
		*g.outputs["NcMap"], *g.outputs["xMap"],
	}
}

// margin returns the distance of the component from its map's edges, and the sides with a distance below a limit.
func (g *MapExtender) margin(limit float64) (float64, perfmap.Edge) {
	return g.of.Margin(g.working(), g.sides, limit)
}

// extend extends the map beyond some sides and gives the model the new map. If that fails it gives these sides up and
// reports false. The error is that of ctx.
func (g *MapExtender) extend(ctx context.Context, t float64, sides perfmap.Edge) (bool, error) {
	at := g.working()
	e := result.Extension{T: t, Side: sides.String()}
	err := g.of.Extend(ctx, at, sides, &e)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if !errors.Is(err, ErrCannotExtend) {
		g.InTime.Extended = append(g.InTime.Extended, e)
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
