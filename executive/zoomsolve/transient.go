package zoomsolve

// Transients run on the settled maps. Each has copies of the zooms, so that the extensions of
// one do not change another.

import (
	"context"
	"math"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// transientZoom is the zooms of one transient, which extend its maps.
type transientZoom struct {
	zooms   []componentZoom // in the order of the engine file
	growers []*transient.MapExtender
	maps    map[string]result.ScaledMap
}

// inTime is what a transient did with a component's map; nil if nothing extends that.
func (t *transientZoom) inTime(component string) *result.InTime {
	for _, g := range t.growers {
		if g.Name() == component {
			return &g.InTime
		}
	}
	return nil
}

// runTransients runs the transients among the cases on the engine with settled maps. For the
// other cases it returns the settled results. The second result has the zooms of each
// transient, nil for other cases.
func (s *zooming) runTransients(ctx context.Context, model *steady.Solver, names []string,
	settled map[string]*result.Result, all []componentZoom, workers int) ([]*result.Result, []*transientZoom, error) {
	zooms := make([]*transientZoom, len(names))
	var runs sync.Mutex
	results, err := s.ForEach(ctx, names, workers, func(i int, name string) (*result.Result, error) {
		if r := settled[name]; r != nil {
			return r, nil
		}
		m, err := model.Clone()
		if err != nil {
			return nil, err
		}
		if err := m.Settle(); err != nil {
			return nil, err
		}
		at := &transientZoom{}
		for _, z := range all {
			at.zooms = append(at.zooms, z.clone())
		}
		at.growers = mapExtenders(m, at.zooms, &runs)
		zooms[i] = at
		r, err := s.RunTransient(ctx, m, s.Engine.Case(name), at.growers)
		at.maps = m.Maps()
		return r, err
	})
	return results, zooms, err
}

// mapExtenders returns the extenders of the zoomed components in a model. Each has its copy of
// the zoom. The mutex lets only one transient make runs at a time.
func mapExtenders(m *steady.Solver, all []componentZoom, mu *sync.Mutex) []*transient.MapExtender {
	var list []*transient.MapExtender
	for _, z := range all {
		if g := z.extender(m, mu); g != nil {
			list = append(list, g)
		}
	}
	return list
}

// gridInTime is the map of a zoom in one transient.
type gridInTime struct {
	*gridZoom
	part *graph.Part
	mu   *sync.Mutex
}

// extender implements componentZoom.
func (z *gridZoom) extender(m *steady.Solver, mu *sync.Mutex) *transient.MapExtender {
	p := m.Index[z.cfg.Component]
	return transient.NewMapExtender(p, gridInTime{z, p, mu}, z.cfg.InTime)
}

// Margin implements transient.Extendable: how far from the map's bounds.
func (g gridInTime) Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge) {
	m, _, _ := g.part.Component.(components.MapUser).Map()
	return zoom.Margin(m, at.NcMap, at.X, watched, limit)
}

// Extend implements transient.Extendable.
func (g gridInTime) Extend(ctx context.Context, w transient.Working, sides perfmap.Edge, e *result.Extension) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.builder.PlanAhead(w.Target, sides) {
		return transient.ErrCannotExtend
	}
	before := g.total
	if err := g.run(ctx); err != nil {
		return err
	}
	e.Runs, e.Cached, e.Failed = g.total.Runs-before.Runs, g.total.Cached-before.Cached, g.total.Failed-before.Failed
	return g.install(g.part)
}

// Place implements transient.Extendable.
func (g gridInTime) Place(nc, wc float64) (float64, bool) {
	m, s, _ := g.part.Component.(components.MapUser).Map()
	x, _, err := m.Solve("Wc", m.Design.Alpha, nc/s.Nc, wc/s.Wc)
	return x, err == nil
}

// Requests implements transient.Extendable.
func (g gridInTime) Requests() zoom.Plan { return g.builder.Plan() }

// Rebuild implements transient.Extendable.
func (g gridInTime) Rebuild(ctx context.Context, a zoom.Plan) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.builder.SetPlan(a)
	if err := g.run(ctx); err != nil {
		return err
	}
	return g.install(g.part)
}

// roundsInTime is the response of a zoom in one transient. It is extended where its error, by the engine's gains at
// the steady cases, is about to be larger than wanted.
type roundsInTime struct {
	*roundsZoom
	part *graph.Part
	mu   *sync.Mutex
}

// extender implements componentZoom.
func (z *roundsZoom) extender(m *steady.Solver, mu *sync.Mutex) *transient.MapExtender {
	p := m.Index[z.cfg.Component]
	return transient.NewMapExtender(p, roundsInTime{z, p, mu}, z.cfg.InTime)
}

// Margin implements transient.Extendable: 1 where nothing is unknown, 0 where the error between runs is what is wanted.
// Runs that had not settled are no nearer to it by another.
func (g roundsInTime) Margin(at transient.Working, watched perfmap.Edge, limit float64) (float64, perfmap.Edge) {
	if watched == 0 || g.gainsMost == nil {
		return math.Inf(1), 0
	}
	margin := 1 - g.excessAt(g.working(at))
	if margin > limit {
		return margin, 0
	}
	return margin, watched
}

// working is the point where the component works.
func (g roundsInTime) working(w transient.Working) zoom.Point { return g.placed(w.Alpha, w.NcMap, w.X) }

// Extend implements transient.Extendable by a run where the component works.
func (g roundsInTime) Extend(ctx context.Context, w transient.Working, _ perfmap.Edge, e *result.Extension) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	here := g.working(w)
	at, ok := g.rounds.Free(here)
	if !ok {
		return transient.ErrCannotExtend
	}
	if edge := g.response.Passed(here); edge == 0 {
		e.Side = "between runs"
	} else {
		e.Side = edge.String()
	}
	before := g.total
	g.planned = []planned{{name: inTransient, Order: zoom.Order{At: at}}}
	if err := g.build(ctx, nil); err != nil {
		return err
	}
	e.Runs, e.Cached, e.Failed = g.total.Runs-before.Runs, g.total.Cached-before.Cached, g.total.Failed-before.Failed
	return g.install(g.part)
}

// Place implements transient.Extendable: the coordinates are the machine's, whatever the runs.
func (g roundsInTime) Place(float64, float64) (float64, bool) { return 0, false }

// Requests implements transient.Extendable.
func (g roundsInTime) Requests() zoom.Plan { return g.rounds.Plan() }

// Rebuild implements transient.Extendable.
func (g roundsInTime) Rebuild(ctx context.Context, a zoom.Plan) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.redo(ctx, a); err != nil {
		return err
	}
	return g.install(g.part)
}
