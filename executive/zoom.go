package executive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/blade"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/zoom"
)

// Zoomer runs studies: it knows where solvers are and who watches them.
type Zoomer interface {
	// Study returns the study of a component's solver, ready to evaluate jobs.
	// The judge watches its runs.
	Study(ctx context.Context, z *config.Zoom, judge *Judge) (*zoom.Study, error)
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
	part    *part
	builder *zoom.Builder
	built   *zoom.Built
	total   zoom.Built // sums of all rounds
}

// Zoomed is what zooming gave.
type Zoomed struct {
	Cases []*Result
	Maps  map[string]ScaledMap // of the zoomed components
}

// Zoom solves the cases with the maps of zoomed components in the place of the
// file's. Plain holds the same cases solved without; the results carry them as
// Unzoomed.
//
// Engine and map are brought together by turns: the engine says where it works,
// the map is extended until that lies inside of it, and the engine is solved
// again on the map. A component of the engine is replaced at equal corrected
// speed; matching its flow is left to the engine's own equations.
func (s *Session) Zoom(ctx context.Context, names []string, plain []*Result, workers int, zr Zoomer) (*Zoomed, error) {
	all, err := s.prepareZooms(ctx, zr)
	if err != nil {
		return nil, err
	}
	results := plain
	var model *Model
	for round := 0; ; round++ {
		for _, z := range all {
			if err := z.build(ctx, z.targets(results)); err != nil {
				return nil, err
			}
		}
		if model, err = s.withMaps(all); err != nil {
			return nil, err
		}
		if results, err = s.solve(ctx, model, names, workers, true); err != nil {
			return nil, err
		}
		again := false
		for _, z := range all {
			again = z.extend(results) || again
		}
		if !again || round == maxZoomRounds {
			break
		}
	}
	out := &Zoomed{Cases: results, Maps: map[string]ScaledMap{}}
	every := model.maps()
	for _, z := range all {
		for _, o := range z.total.Outcomes {
			if o.Cached {
				s.judge.Replay(o)
			}
		}
	}
	for i, r := range results {
		r.Zoom = map[string]*ZoomResult{}
		for _, z := range all {
			r.Zoom[z.z.Component] = z.result(r)
			out.Maps[z.z.Component] = every[z.z.Component]
		}
		r.Unzoomed = &Unzoomed{plain[i].Stations, plain[i].Components, plain[i].Shafts, plain[i].Performance}
	}
	return out, nil
}

// prepareZooms makes the zoomed components of the engine ready.
func (s *Session) prepareZooms(ctx context.Context, zr Zoomer) ([]*zoomed, error) {
	var all []*zoomed
	for i := range s.cfg.Zooms {
		z, err := s.prepareZoom(ctx, &s.cfg.Zooms[i], zr)
		if err != nil {
			return nil, err
		}
		all = append(all, z)
	}
	return all, nil
}

// withMaps is the designed engine with the maps that zooming made.
func (s *Session) withMaps(all []*zoomed) (*Model, error) {
	model, err := s.model.Clone()
	if err != nil {
		return nil, err
	}
	for _, z := range all {
		if err := model.index[z.z.Component].comp.(components.MapUser).SetMap(z.built.Map, z.z.Scale == "absolute"); err != nil {
			return nil, err
		}
	}
	return model, nil
}

// prepareZoom gathers what a component's runs need of the engine.
func (s *Session) prepareZoom(ctx context.Context, z *config.Zoom, zr Zoomer) (*zoomed, error) {
	p := s.model.index[z.Component]
	text, g, err := geometryOf(s.cfg, z)
	if err != nil {
		return nil, err
	}
	machine := machineOf(z, p, *p.decl.Inlets[0].At, text, g)
	study, err := zr.Study(ctx, z, s.judge)
	if err != nil {
		return nil, err
	}
	return &zoomed{z: z, part: p, builder: zoom.NewBuilder(machine, study, z.Runs)}, nil
}

// machineOf describes a component at its design point to a solver. The runs' gas
// is perfect, with the engine's gas properties at the standard day.
func machineOf(z *config.Zoom, p *part, in *flow.Station, text string, g *blade.Geometry) zoom.Machine {
	out := outputs(p)
	m := zoom.Machine{
		Name: z.Component, Geometry: text, Gamma: math.Round(in.Gamma*1e4) / 1e4, R: math.Round(in.R*1e4) / 1e4,
		Nc: out["Nc"], Wc: out["Wc"], PR: out["PR"], Settings: map[string]float64{}, Texts: map[string]string{},
	}
	if bpr, ok := out["BPR"]; ok {
		m.Split = math.Round(1e4/(1+bpr)) / 1e4
	}
	for name, v := range z.Settings {
		if isNumber(v) {
			m.Settings[name] = v.Num
		} else {
			m.Texts[name] = v.Text
		}
	}
	m.HubLayer, m.Layer = m.Settings[zoom.HubLayer], m.Settings[zoom.CasingLayer]
	delete(m.Settings, zoom.HubLayer)
	delete(m.Settings, zoom.CasingLayer)
	z0, _ := g.Ends()
	m.RHub, m.RTip = g.Hub.At(z0), g.Casing.At(z0)
	return m
}

// targets are where the engine works, case by case.
func (z *zoomed) targets(results []*Result) []zoom.Target {
	out := make([]zoom.Target, len(results))
	for i, r := range results {
		c := r.Components[z.z.Component]
		num := func(key string) float64 { v, _ := c[key].(float64); return v }
		out[i] = zoom.Target{Nc: num("Nc"), Wc: num("Wc"), PR: num("PR")}
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
	return nil
}

// extend asks for what the map lacks where the engine now works.
func (z *zoomed) extend(results []*Result) bool {
	var edges []perfmap.Edge
	for _, r := range results {
		edges = append(edges, r.edges[z.z.Component])
	}
	return z.builder.Extend(z.targets(results), edges)
}

func (z *zoomed) result(r *Result) *ZoomResult {
	c := r.Components[z.z.Component]
	at, _ := c["map"].(map[string]any)
	num := func(key string) float64 { v, _ := at[key].(float64); return v }
	out := &ZoomResult{
		Method: z.z.Method, Runs: z.total.Runs, Cached: z.total.Cached, Failed: z.total.Failed, Map: z.built.Map.Name,
		Error: z.builder.ErrorAt(z.built.Map, perfmap.Point{Alpha: z.built.Map.Alpha[0], Nc: num("Nc"), X: num(z.built.Map.XName)}),
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
