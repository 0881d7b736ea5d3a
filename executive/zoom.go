package executive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/cfd/blade"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Zoomer runs studies: it knows where solvers are and who watches them.
type Zoomer interface {
	// Study returns the study of a component's solver, ready to evaluate jobs.
	// The judge watches its runs.
	Study(ctx context.Context, z *config.Zoom, judge *Judge) (*run.Study, error)
}

// NoZoomError tells that a zoomed component could not be had within its policy.
type NoZoomError struct {
	Component string
	Err       error
}

func (e *NoZoomError) Error() string {
	return fmt.Sprintf("%s could not be zoomed: %v", e.Component, e.Err)
}
func (e *NoZoomError) Unwrap() error { return e.Err }

// maxZoomRounds bounds how often maps are extended because the engine moved out
// of them. Each round that does not end the zoom adds at least one run.
const maxZoomRounds = 8

// zoomed is a component while it is being zoomed.
type zoomed struct {
	z       *config.Zoom
	part    *model.Part
	builder *zoom.Builder
	built   *zoom.Built
	total   zoom.Built // sums of all rounds
	record  func(event.Event) event.Event
}

// Zoomed is what zooming gave.
type Zoomed struct {
	Cases []*result.Result
	Maps  map[string]result.ScaledMap // of the zoomed components
}

// zoomCases solves the cases with the maps of zoomed components in the place of the
// file's. Plain holds the same cases solved without; the results carry them as
// Unzoomed.
//
// Engine and map are brought together by turns: the engine says where it works,
// the map is extended until that lies inside of it, and the engine is solved
// again on the map. A component of the engine is replaced at equal corrected
// speed; matching its flow is left to the engine's own equations.
//
// Transients come last, on maps that hold their start, and their end as it is without zoom;
// what they do beyond is the zoom's InTime.
func zoomCases(ctx context.Context, session *model.Session, judge *Judge, names []string, plain []*result.Result, workers int, zr Zoomer, record func(event.Event) event.Event) (*Zoomed, error) {
	s := &zooming{session, judge, record}
	all, err := s.prepareZooms(ctx, zr)
	if err != nil {
		return nil, err
	}
	steady, ends, err := s.still(ctx, names, plain, workers)
	if err != nil {
		return nil, err
	}
	model, settled, err := s.settleMaps(ctx, all, steady, ends, workers)
	if err != nil {
		return nil, err
	}
	results, own, err := s.move(ctx, model, names, settled, all, workers)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out := &Zoomed{Maps: map[string]result.ScaledMap{}}
	every := model.Maps()
	for _, z := range all {
		z.replay(s.judge, nil)
		out.Maps[z.z.Component] = every[z.z.Component]
	}
	for i, r := range results {
		if r == nil { // interrupted before its turn
			continue
		}
		out.Cases = append(out.Cases, r)
		r.Zoom = map[string]*result.ZoomResult{}
		for k, z := range all {
			if own[i] != nil {
				base := z
				z = own[i].zooms[k]
				z.replay(s.judge, base)
				r.Maps[z.z.Component] = own[i].maps[z.z.Component]
			}
			r.Zoom[z.z.Component] = z.result(r)
			if own[i] != nil {
				r.Zoom[z.z.Component].InTime = &own[i].growers[k].InTime
			}
		}
		r.Unzoomed = &result.Unzoomed{Stations: plain[i].Stations, Components: plain[i].Components, Shafts: plain[i].Shafts, Performance: plain[i].Performance}
	}
	return out, err
}

// zooming is a session whose components are zoomed, with the judge of their runs.
type zooming struct {
	*model.Session
	judge  *Judge
	record func(event.Event) event.Event
}

// still lists the steady cases by name, with those that transients start from, each with
// its result without zoom; and where transients end without zoom, if they get there.
func (s *zooming) still(ctx context.Context, names []string, plain []*result.Result, workers int) (steady map[string]*result.Result, ends []*result.Result, err error) {
	steady = map[string]*result.Result{}
	var starts []string
	for i, name := range names {
		c := s.Engine.Case(name)
		if c == nil || c.Transient == nil {
			steady[name] = plain[i]
			continue
		}
		if plain[i].Converged {
			ends = append(ends, plain[i])
		}
		starts = append(starts, cmp.Or(c.From, s.Engine.DesignCase))
	}
	slices.Sort(starts)
	starts = slices.DeleteFunc(slices.Compact(starts), func(name string) bool { return steady[name] != nil })
	results, err := s.Solve(ctx, starts, workers)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range starts {
		steady[name] = results[i]
	}
	return steady, ends, nil
}

// settleMaps extends the maps until all steady cases lie inside of them. Ends are other
// places that they are to hold. It returns the engine on these maps and the steady
// cases' results there.
func (s *zooming) settleMaps(ctx context.Context, all []*zoomed, steady map[string]*result.Result, ends []*result.Result, workers int) (*model.Model, map[string]*result.Result, error) {
	names := slices.DeleteFunc(model.CaseNames(s.Engine), func(name string) bool { return steady[name] == nil })
	results := make([]*result.Result, len(names))
	for i, name := range names {
		results[i] = steady[name]
	}
	for round := 0; ; round++ {
		for _, z := range all {
			if err := z.build(ctx, z.targets(slices.Concat(results, ends))); err != nil {
				return nil, nil, err
			}
		}
		model, err := s.withMaps(all)
		if err != nil {
			return nil, nil, err
		}
		if results, err = s.SolveFrom(ctx, model, names, workers, true); err != nil {
			return nil, nil, err
		}
		s.report(all, results)
		again := false
		for _, z := range all {
			again = z.extend(results, ends) || again
		}
		if !again || round == maxZoomRounds {
			out := map[string]*result.Result{}
			for i, name := range names {
				out[name] = results[i]
			}
			return model, out, nil
		}
	}
}

// report records what the engine gave on the maps as they are, and how good these are there.
func (s *zooming) report(all []*zoomed, results []*result.Result) {
	for _, r := range results {
		class := event.NotConverged
		if r.Converged {
			class = event.Converged
		}
		s.record(event.Event{
			Source: event.Executive, Kind: event.Engine, Case: r.Name, Class: class, Text: r.Message,
			Values: map[string]float64{"iterations": float64(r.Solver.Iterations), "residual": r.Solver.Residual},
		})
		for _, z := range all {
			s.record(event.Event{
				Source: event.Executive, Kind: event.Estimate, Case: r.Name, Component: z.z.Component,
				Values: map[string]float64{"error": z.errorAt(r)},
			})
		}
	}
}

// ownMaps is what a transient made of the zoomed components.
type ownMaps struct {
	zooms   []*zoomed // in the order of all
	growers []*model.MapExtender
	maps    map[string]result.ScaledMap
}

// move runs the transients among the cases on the engine with zoomed maps, each from
// the maps as they are and with what it extends for itself; the other cases are settled.
func (s *zooming) move(ctx context.Context, model *model.Model, names []string, settled map[string]*result.Result, all []*zoomed, workers int) ([]*result.Result, []*ownMaps, error) {
	own := make([]*ownMaps, len(names))
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
		at := &ownMaps{}
		for _, z := range all {
			at.zooms = append(at.zooms, z.clone())
		}
		at.growers = growersOf(m, at.zooms, &runs)
		own[i] = at
		r, err := s.RunTransient(ctx, m, s.Engine.Case(name), at.growers)
		at.maps = m.Maps()
		return r, err
	})
	return results, own, err
}

// clone is a zoomed component that goes its own way from here.
func (z *zoomed) clone() *zoomed {
	c := *z
	c.builder = z.builder.Clone()
	return &c
}

// replay judges the runs that came from the cache, without those of a zoom that this one came of.
func (z *zoomed) replay(judge *Judge, base *zoomed) {
	known := map[string]bool{}
	if base != nil {
		for _, o := range base.total.Outcomes {
			known[o.Run] = true
		}
	}
	for _, o := range z.total.Outcomes {
		if o.Cached && !known[o.Run] {
			judge.Replay(o)
		}
	}
}

// prepareZooms makes the zoomed components of the engine ready.
func (s *zooming) prepareZooms(ctx context.Context, zr Zoomer) ([]*zoomed, error) {
	var all []*zoomed
	for i := range s.Engine.Zooms {
		z, err := s.prepareZoom(ctx, &s.Engine.Zooms[i], zr)
		if err != nil {
			return nil, err
		}
		all = append(all, z)
	}
	return all, nil
}

// withMaps is the designed engine with the maps that zooming made.
func (s *zooming) withMaps(all []*zoomed) (*model.Model, error) {
	model, err := s.Model.Clone()
	if err != nil {
		return nil, err
	}
	for _, z := range all {
		if err := model.Index[z.z.Component].Component.(components.MapUser).SetMap(z.built.Map, z.z.Scale == "absolute"); err != nil {
			return nil, err
		}
	}
	return model, nil
}

// prepareZoom gathers what a component's runs need of the engine.
func (s *zooming) prepareZoom(ctx context.Context, z *config.Zoom, zr Zoomer) (*zoomed, error) {
	p := s.Model.Index[z.Component]
	text, g, err := geometryOf(s.Engine, z)
	if err != nil {
		return nil, err
	}
	machine, err := machineOf(z, p, *p.Declaration.Inlets[0].At, text, g)
	if err != nil {
		return nil, err
	}
	study, err := zr.Study(ctx, z, s.judge)
	if err != nil {
		return nil, err
	}
	return &zoomed{z: z, part: p, builder: zoom.NewBuilder(machine, study, z.Runs), record: s.record}, nil
}

// machineOf describes a component at its design point to a solver. The runs' gas
// is perfect, with the engine's gas properties at the standard day.
func machineOf(z *config.Zoom, p *model.Part, in *flow.Station, text string, g *blade.Geometry) (zoom.Machine, error) {
	out := p.Outputs()
	m := zoom.Machine{
		Name: z.Component, Geometry: text, Gamma: math.Round(in.Gamma*1e4) / 1e4, R: math.Round(in.R*1e4) / 1e4,
		Nc: out["Nc"], Wc: out["Wc"], PR: out["PR"], Settings: map[string]float64{}, Texts: map[string]string{},
	}
	if bpr, ok := out["BPR"]; ok {
		m.Split = math.Round(1e4/(1+bpr)) / 1e4
	}
	for name, v := range z.Settings {
		switch {
		case zoom.IsBoundarySetting(name):
			if err := m.Boundary.Set(name, v.Text); err != nil {
				return m, fmt.Errorf("zoom of %s: %w", z.Component, err)
			}
		case isNumber(v):
			m.Settings[name] = v.Num
		default:
			m.Texts[name] = v.Text
		}
	}
	z0, _ := g.Ends()
	m.RHub, m.RTip = g.Hub.At(z0), g.Casing.At(z0)
	return m, nil
}

// targets are where the engine works, case by case.
func (z *zoomed) targets(results []*result.Result) []zoom.Target {
	out := make([]zoom.Target, len(results))
	for i, r := range results {
		c := r.Components[z.z.Component]
		out[i] = zoom.Target{Nc: c.Value("Nc"), Wc: c.Value("Wc"), PR: c.Value("PR")}
	}
	return out
}

// build makes the runs that the map lacks, and the map.
func (z *zoomed) build(ctx context.Context, targets []zoom.Target) error {
	if z.built == nil {
		if z.z.Span == "whole" {
			z.builder.Fixed = true
			z.builder.Lines(z.z.Speeds, targets)
		} else {
			z.builder.Near(targets)
		}
	} else if z.builder.Pending() == 0 {
		return nil
	}
	return z.run(ctx)
}

// run makes the runs that are asked for, and the map.
func (z *zoomed) run(ctx context.Context) error {
	built, err := z.builder.Build(ctx)
	if built != nil {
		z.total.Runs += built.Runs
		z.total.Cached += built.Cached
		z.total.Failed = built.Failed
		z.total.Outcomes = built.Outcomes
		z.total.Dropped = built.Dropped
	}
	if err != nil {
		var none *zoom.NoMapError
		if errors.As(err, &none) {
			return &NoZoomError{z.z.Component, err}
		}
		return err
	}
	z.built = built
	z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Name: built.Map.Name, Component: z.z.Component,
		Values: map[string]float64{"runs": float64(built.Runs), "cached": float64(built.Cached), "failed": float64(built.Failed)},
	})
	return nil
}

// extend asks for what the map lacks where the engine now works.
func (z *zoomed) extend(results, ends []*result.Result) bool {
	edges := make([]perfmap.Edge, len(results)+len(ends))
	for i, r := range results {
		edges[i] = r.Edges[z.z.Component]
	}
	return z.builder.Extend(z.targets(slices.Concat(results, ends)), edges)
}

// errorAt estimates the relative error of the map where the engine works.
func (z *zoomed) errorAt(r *result.Result) float64 {
	at := r.Components[z.z.Component].Map
	return z.builder.ErrorAt(z.built.Map, perfmap.Point{Alpha: z.built.Map.Alpha[0], Nc: at.Nc, X: at.X})
}

func (z *zoomed) result(r *result.Result) *result.ZoomResult {
	out := &result.ZoomResult{
		Method: z.z.Method, Runs: z.total.Runs, Cached: z.total.Cached, Failed: z.total.Failed, Map: z.built.Map.Name,
		Error: z.errorAt(r),
	}
	for _, o := range z.total.Outcomes {
		if o.OK() {
			out.Fidelity = o.Solver + ", " + o.Fidelity
			break
		}
	}
	notes := slices.Clone(z.total.Dropped)
	if z.built.Map.Stall == nil && z.built.Map.StallLine == nil {
		notes = append(notes, "no run on some speed line reached stall, so that the map tells no surge margin")
	}
	out.Message = strings.Join(notes, "; ")
	return out
}

// growersOf are those of a model for the zoomed components, each with a builder of its own:
// what one transient asks for is not to change another. Runs are made for one at a time.
func growersOf(m *model.Model, all []*zoomed, mu *sync.Mutex) []*model.MapExtender {
	var list []*model.MapExtender
	for _, z := range all {
		g := model.NewMapExtender(m.Index[z.z.Component], z.z.InTime, z.z.Scale)
		g.Extend = func(ctx context.Context, t zoom.Target, sides perfmap.Edge, e *result.Extension) (*perfmap.Map, error) {
			mu.Lock()
			defer mu.Unlock()
			if !z.builder.Ahead(t, sides) {
				return nil, model.ErrCannotExtend
			}
			before := z.total
			if err := z.run(ctx); err != nil {
				return nil, err
			}
			e.Runs, e.Cached, e.Failed = z.total.Runs-before.Runs, z.total.Cached-before.Cached, z.total.Failed-before.Failed
			return z.built.Map, nil
		}
		g.Requests = func() zoom.Asked { return z.builder.Asked() }
		g.Rebuild = func(ctx context.Context, a zoom.Asked) (*perfmap.Map, error) {
			mu.Lock()
			defer mu.Unlock()
			z.builder.Ask(a)
			err := z.run(ctx)
			return z.built.Map, err
		}
		list = append(list, g)
	}
	return list
}
