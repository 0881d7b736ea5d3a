package zoomsolve

// Transients run on the settled maps. Each transient has copies of the zooms, so that its extensions do not change the
// maps of another.

import (
	"context"
	"sync"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// transientZoom holds the zooms of one transient, which extend its maps.
type transientZoom struct {
	zooms   []*componentZoom // in the order of the engine file
	growers []*transient.MapExtender
	maps    map[string]result.ScaledMap
}

// inTime returns the changes of a component's map during a transient; nil if the map is not extended.
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
func (s *zooming) runTransients(ctx context.Context, engine *steady.Solver, names []string,
	settled map[string]*result.Result, all []*componentZoom, workers int) ([]*result.Result, []*transientZoom, error) {
	zooms := make([]*transientZoom, len(names))
	var runs sync.Mutex // only one transient makes runs at a time
	results, err := s.ForEach(ctx, names, workers, func(i int, name string) (*result.Result, error) {
		if r := settled[name]; r != nil {
			return r, nil
		}
		m, err := engine.Clone()
		if err != nil {
			return nil, err
		}
		if err := m.Settle(); err != nil {
			return nil, err
		}
		at := &transientZoom{}
		for _, z := range all {
			z := z.clone()
			z.part, z.runs = m.Index[z.cfg.Component], &runs
			at.zooms = append(at.zooms, z)
			at.growers = append(at.growers, transient.NewMapExtender(z.part, z, z.cfg.InTime))
		}
		zooms[i] = at
		r, err := s.RunTransient(ctx, m, s.Engine.Case(name), at.growers)
		at.maps = m.Maps()
		return r, err
	})
	return results, zooms, err
}

// Extend implements transient.Extendable.
func (z *componentZoom) Extend(ctx context.Context, at transient.Working, sides perfmap.Edge,
	e *result.Extension) error {
	z.runs.Lock()
	defer z.runs.Unlock()
	side, lacking := z.prefetch(at, sides)
	if !lacking {
		return transient.ErrCannotExtend
	}
	e.Side = side
	before := z.total
	if err := z.make(ctx); err != nil {
		return err
	}
	e.Runs, e.Cached, e.Failed = z.total.Runs-before.Runs, z.total.Cached-before.Cached, z.total.Failed-before.Failed
	return z.install(z.part)
}

// Rebuild implements transient.Extendable.
func (z *componentZoom) Rebuild(ctx context.Context, requests zoom.Requests) error {
	z.runs.Lock()
	defer z.runs.Unlock()
	if err := z.redo(ctx, requests); err != nil {
		return err
	}
	return z.install(z.part)
}
