package executive

// Transients run on the settled maps. Each has copies of the zooms, so that the extensions of
// one do not change another.

import (
	"context"
	"sync"

	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// transientZoom is the zooms of one transient, which extend its maps.
type transientZoom struct {
	zooms   []componentZoom // in the order of the engine file
	growers []*model.MapExtender
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
func (s *zooming) runTransients(ctx context.Context, model *model.Model, names []string, settled map[string]*result.Result, all []componentZoom, workers int) ([]*result.Result, []*transientZoom, error) {
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
func mapExtenders(m *model.Model, all []componentZoom, mu *sync.Mutex) []*model.MapExtender {
	var list []*model.MapExtender
	for _, z := range all {
		if g := z.extender(m, mu); g != nil {
			list = append(list, g)
		}
	}
	return list
}

// extender implements componentZoom.
func (z *gridZoom) extender(m *model.Model, mu *sync.Mutex) *model.MapExtender {
	g := model.NewMapExtender(m.Index[z.cfg.Component], z.cfg.InTime, z.cfg.Scale)
	g.Extend = func(ctx context.Context, t zoom.Target, sides perfmap.Edge, e *result.Extension) (*perfmap.Map, error) {
		mu.Lock()
		defer mu.Unlock()
		if !z.builder.PlanAhead(t, sides) {
			return nil, model.ErrCannotExtend
		}
		before := z.total
		if err := z.run(ctx); err != nil {
			return nil, err
		}
		e.Runs, e.Cached, e.Failed = z.total.Runs-before.Runs, z.total.Cached-before.Cached, z.total.Failed-before.Failed
		return z.built.Map, nil
	}
	g.Requests = func() zoom.Plan { return z.builder.Plan() }
	g.Rebuild = func(ctx context.Context, a zoom.Plan) (*perfmap.Map, error) {
		mu.Lock()
		defer mu.Unlock()
		z.builder.SetPlan(a)
		err := z.run(ctx)
		return z.built.Map, err
	}
	return g
}
