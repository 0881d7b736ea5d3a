package zoomsolve

// Engine data for a solver are gathered before the first run: blades, the design point and the gas at the component's
// inlet.

import (
	"context"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Zoomer makes the studies of zoomed components: it has the solvers, and a host to run them.
type Zoomer interface {
	// Study returns the study of a component's solver, ready to evaluate jobs.
	// The judge watches its runs.
	Study(ctx context.Context, z *config.Zoom, judge *rules.Judge) (*study.Study, error)
}

// prepare makes the zooms of a session, without runs.
type prepare struct {
	*session.Session
	judge  *rules.Judge
	record func(event.Event) event.Event
	Zoomer
}

// components prepares the zooms of all components that the engine file zooms.
func (s prepare) components(ctx context.Context) ([]*componentZoom, error) {
	var all []*componentZoom
	for i := range s.Engine.Zooms {
		z, err := s.component(ctx, &s.Engine.Zooms[i])
		if err != nil {
			return nil, err
		}
		all = append(all, z)
	}
	return all, nil
}

// component prepares the zoom of one component.
func (s prepare) component(ctx context.Context, z *config.Zoom) (*componentZoom, error) {
	p := s.Model.Index[z.Component]
	text, g, err := geometryOf(s.Engine, z)
	if err != nil {
		return nil, err
	}
	if err := checkMethod(s.Engine, z); err != nil {
		return nil, err
	}
	machine, err := machineOf(s.Engine, z, p, text, g)
	if err != nil {
		return nil, err
	}
	of, err := s.Study(ctx, z, s.judge)
	if err != nil {
		return nil, err
	}
	if err := needsGeometry(s.Engine, z, &of.Description); err != nil {
		return nil, err
	}
	machine.Settable = fixed(z, g, &of.Description) == ""
	c := &componentZoom{cfg: z, part: p, record: s.record, studies: []*study.Study{of}, charts: &charts{}}
	if z.To == nil {
		c.plan = &gridPlan{componentZoom: c, Grid: zoom.NewGrid(machine, of, z.Runs)}
		return c, nil
	}
	rounds := zoom.NewRounds(machine, of, zoom.Method(z.Method))
	rounds.Most = z.Most
	priors, err := s.addPriors(ctx, z, g, rounds)
	if err != nil {
		return nil, err
	}
	c.studies = append(c.studies, priors...)
	if charted, ok := p.Component.(components.Charted); ok {
		rounds.EngineMap = charted.KappaMap()
	}
	if err := CheckGoals(s.Model.Model, z); err != nil {
		return nil, err
	}
	if err := rounds.Begin(); err != nil {
		return nil, err
	}
	c.plan = newRounds(c, rounds, s.Design().Performance.Power != 0)
	return c, nil
}

// addPriors gives rounds the priors of their zoom, and returns the studies of these.
func (s prepare) addPriors(ctx context.Context, z *config.Zoom, g *blade.Geometry,
	rounds *zoom.Rounds) (studies []*study.Study, err error) {
	for _, name := range z.Priors {
		p, err := priorOf(s.Engine, z, name, &rounds.Study.Description)
		if err != nil {
			return nil, err
		}
		study, err := s.Study(ctx, &p, s.judge)
		if err != nil {
			return nil, err
		}
		rounds.Machine.Settable = rounds.Machine.Settable && fixed(&p, g, &study.Description) == ""
		cheap := rounds.Machine
		cheap.Settings, cheap.Texts, cheap.Boundary = map[string]float64{}, map[string]string{}, machine.Boundary{}
		if err := setMachine(&cheap, &p); err != nil {
			return nil, err
		}
		rounds.AddPrior(name.Text, cheap, study)
		studies = append(studies, study)
	}
	return studies, nil
}

// machineOf describes a component at its design point for a solver. Runs use a perfect gas with gamma and R of the
// component's inlet. Fans and compressors run at the inlet state of the standard day, unless the Reynolds number of the
// design point is requested. Other components run at the inlet state of the design point.
func machineOf(cfg *config.Engine, z *config.Zoom, p *graph.Part, text string,
	g *blade.Geometry) (machine.Machine, error) {
	out, in := p.Outputs(), inletOf(p)
	m := machine.Machine{
		Name: z.Component, Type: cfg.Component(z.Component).Type.Name, Geometry: text,
		Gamma: math.Round(in.Gamma*1e4) / 1e4, R: math.Round(in.R*1e4) / 1e4,
		Nc: out["Nc"], Wc: out["Wc"], PR: out["PR"], Eff: out["eff"], Settings: map[string]float64{},
		Texts: map[string]string{},
	}
	if z.Reynolds || !machine.Gridded(m.Type) {
		m.Pt, m.Tt = numeric.Round(in.P, 5), numeric.Round(in.T, 5)
	}
	if use := p.Declaration.LawUse; use != nil {
		if err := use.Fits(); err != nil {
			return m, fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
		}
		m.Place, m.Values = use.Design()
		m.Ideal = use.Ideal()
	}
	if bpr, ok := out["BPR"]; ok {
		m.Split = math.Round(1e4/(1+bpr)) / 1e4
		m.PRCore, m.EffCore = out["PR_core"], out["eff_core"]
	}
	if err := setMachine(&m, z); err != nil {
		return m, err
	}
	if g != nil {
		z0, _ := g.Ends()
		m.RHub, m.RTip = g.Hub.At(z0), g.Casing.At(z0)
		if err := m.Belong(g); err != nil {
			return m, fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
		}
	}
	return m, nil
}

// setMachine gives a machine the settings of a zoom.
func setMachine(m *machine.Machine, z *config.Zoom) error {
	for name, v := range z.Settings {
		switch {
		case machine.IsBoundarySetting(name):
			if err := m.Boundary.Set(name, v.Text); err != nil {
				return fmt.Errorf("zoom of %s: %w", z.Component, err)
			}
		case isNumber(v):
			m.Settings[name] = v.Num
		default:
			m.Texts[name] = v.Text
		}
	}
	return nil
}

// inletOf returns the station ahead of a component's blades. For a turbine it is the station behind the cooling flows
// that join at its inlet; for other components it is the inlet.
func inletOf(p *graph.Part) *flow.Station {
	for _, o := range p.Declaration.Outlets {
		if o.Ahead {
			return o.At
		}
	}
	return *p.Declaration.Inlets[0].At
}
