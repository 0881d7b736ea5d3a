package executive

// A zoom replaces a component's map by one from a flow solver's runs. zoomCases has the order
// of work: prepare (zoomprepare.go), settle the maps on the steady cases (zoomsettle.go), run
// the transients (zoomtransient.go). zoomcomponent.go has the zoom of one component.

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Zoomer makes the studies of zoomed components: it has the solvers, and a host to run them.
type Zoomer interface {
	// Study returns the study of a component's solver, ready to evaluate jobs.
	// The judge watches its runs.
	Study(ctx context.Context, z *config.Zoom, judge *Judge) (*run.Study, error)
}

// NoZoomError reports a component for which no map could be made from runs.
type NoZoomError struct {
	Component string
	Err       error
}

func (e *NoZoomError) Error() string {
	return fmt.Sprintf("%s could not be zoomed: %v", e.Component, e.Err)
}
func (e *NoZoomError) Unwrap() error { return e.Err }

// Zoomed is the results of a zoom.
type Zoomed struct {
	Cases []*result.Result
	Maps  map[string]result.ScaledMap // of the zoomed components
}

// zoomCases solves the cases with zoomed maps in place of the file's. Plain has the results of
// the same cases without zoom; they go into the results as Unzoomed.
//
// Engine and maps are iterated in turn. The engine gives the points at which its components
// work, the maps are extended until these points lie inside, and the engine is solved on the
// new maps. A zoomed component has the corrected speed of the component that it replaces;
// the engine's equations match its flow.
//
// Transients come last. The maps then contain their starting points, and their ends as they
// are without zoom. InTime of the zoom says what happens where a transient leaves a map.
func zoomCases(ctx context.Context, session *model.Session, judge *Judge, names []string, plain []*result.Result, workers int, zr Zoomer, record func(event.Event) event.Event) (*Zoomed, error) {
	s := &zooming{session, judge, record}
	all, err := s.prepareComponents(ctx, zr)
	if err != nil {
		return nil, err
	}
	steady, ends, err := s.steadyCases(ctx, names, plain, workers)
	if err != nil {
		return nil, err
	}
	model, settled, err := s.settleMaps(ctx, all, steady, ends, workers)
	if err != nil {
		for _, z := range all {
			s.judge.Warn(z.cause(), z.gaps().warnings()...)
		}
		return nil, err
	}
	results, zooms, err := s.runTransients(ctx, model, names, settled, all, workers)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out := &Zoomed{Maps: map[string]result.ScaledMap{}}
	every := model.Maps()
	for _, z := range all {
		z.replay(s.judge, nil)
		s.judge.Warn(z.cause(), z.gaps().warnings()...)
		out.Maps[z.cfg.Component] = every[z.cfg.Component]
	}
	for i, r := range results {
		if r == nil { // interrupted before this case was solved
			continue
		}
		out.Cases = append(out.Cases, r)
		r.Zoom = map[string]*result.ZoomResult{}
		for k, z := range all {
			if zooms[i] != nil {
				base := z
				z = zooms[i].zooms[k]
				z.replay(s.judge, base)
				s.judge.Warn(z.cause(), z.gaps().warningsIn(r.Name, base.gaps())...)
				r.Maps[z.cfg.Component] = zooms[i].maps[z.cfg.Component]
			}
			r.Zoom[z.cfg.Component] = z.result(r)
			s.judge.Warn(z.cause(), z.gaps().estimateWarning(r)...)
			if zooms[i] != nil {
				r.Zoom[z.cfg.Component].InTime = &zooms[i].growers[k].InTime
			}
		}
		r.Unzoomed = &result.Unzoomed{Stations: plain[i].Stations, Components: plain[i].Components, Shafts: plain[i].Shafts, Performance: plain[i].Performance}
	}
	return out, err
}

// zooming is a zoom of a session: the judge of its runs, and the log.
type zooming struct {
	*model.Session
	judge  *Judge
	record func(event.Event) event.Event
}
