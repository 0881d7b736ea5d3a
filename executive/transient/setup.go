package transient

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// newDynamics makes the equations of a transient. The model must be at the transient's starting solution. The mode is
// OffDesign|Transient. Without Transient, volumes and metal are in equilibrium at every instant, as at an operating
// point.
func newDynamics(m *graph.Model, c *config.Case, mode components.Mode) (*dynamics, error) {
	d := &dynamics{m: m}
	replaced, err := d.findStates(c, mode)
	if err != nil {
		return nil, err
	}
	balances, err := d.findInputs(c)
	if err != nil {
		return nil, err
	}
	for _, b := range balances {
		if d.stateNamed(b.Until) != nil {
			return nil, fmt.Errorf(
				"%s:%v: case %s: %s follows from the shaft's motion and cannot be asked for; schedule the fuel or "+
					"a load", m.Engine.File, b.Pos, c.Name, b.Until)
		}
	}
	moved, err := d.addControls(c)
	if err != nil {
		return nil, err
	}
	if mode&components.Transient != 0 {
		d.findFlames()
	}
	if d.s, err = m.AssembleWithout(mode, append(balances, moved...), replaced); err != nil {
		return nil, err
	}
	if k := d.controls; k != nil {
		d.s.AfterEval = d.updateControls
		d.s.Statics, d.s.Margins = d.s.Statics || k.Statics, d.s.Margins || k.Margins
	}
	d.x = d.s.InitialX()
	if mode&components.Transient != 0 {
		d.boundary = newStreams(m, d.states)
	}
	d.y, d.f = make([]float64, len(d.states)), make([]float64, len(d.states)+d.integralCount())
	d.u = make([]float64, len(d.states)+len(d.inputs))
	d.uWanted, d.uPartWay = make([]float64, len(d.u)), make([]float64, len(d.u))
	d.guess = newPredictor(len(d.x), len(d.u))
	// The error of solving g must not disturb f: a thousandth of the integrator's tolerance,
	// as far as rounding errors allow.
	d.nw.Settings.Tolerance = max(1e-12, min(1e-9, 1e-3*c.Transient.RTol))
	return d, nil
}

// findInputs makes inputs from a case's settings, targets and schedules, and returns the
// case's balances.
func (d *dynamics) findInputs(c *config.Case) ([]*graph.Balance, error) {
	var balances []*graph.Balance
	target := func(b config.Balance, t, values []float64) error {
		now, err := d.m.Read(b.Until)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, b.Pos, err)
		}
		at := &graph.Balance{Balance: b, Current: now.Get()}
		balances = append(balances, at)
		d.inputs = append(d.inputs, input{name: b.Until, at: &at.Current, t: t, values: values})
		return nil
	}
	parameter := func(path string, pos document.Pos, t, values []float64) error {
		_, at, designOnly, err := d.m.Parameter(path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, pos, err)
		}
		if designOnly {
			return fmt.Errorf("%s:%v: case %s: %s fixes the design and has no effect off design", d.m.Engine.File, pos,
				c.Name, path)
		}
		if d.stateNamed(path) != nil {
			return fmt.Errorf("%s:%v: case %s: %s follows from the shaft's motion; schedule the fuel or a load",
				d.m.Engine.File, pos, c.Name, path)
		}
		d.inputs = append(d.inputs, input{name: path, at: at, t: t, values: values})
		return nil
	}
	for _, st := range c.Set {
		if err := parameter(st.Path, st.Pos, []float64{0}, []float64{st.Value.Num}); err != nil {
			return nil, err
		}
	}
	for _, b := range c.Solve {
		if err := target(b, []float64{0}, []float64{b.Target}); err != nil {
			return nil, err
		}
	}
	for _, s := range c.Transient.Schedules {
		var err error
		if s.Vary == "" {
			err = parameter(s.Path, s.Pos, s.T, s.Values)
		} else {
			largest := 0.0 // scale of the balance's residual
			for _, v := range s.Values {
				largest = max(largest, math.Abs(v))
			}
			err = target(config.Balance{Vary: s.Vary, Until: s.Path, Target: largest, Pos: s.Pos}, s.T, s.Values)
		}
		if err != nil {
			return nil, err
		}
		if at := d.inputs[len(d.inputs)-1].at; !d.m.Controls.Owns(at) { // the steady engine has no controls
			d.warnOfJump(c, &s, *at)
		}
	}
	return balances, nil
}

// jump is the relative difference from which a schedule that does not begin at the starting point is warned of.
const jump = 0.01

// warnOfJump warns of a schedule whose first value is not that of the starting point: the engine jumps at t = 0.
func (d *dynamics) warnOfJump(c *config.Case, s *config.Schedule, steady float64) {
	first := s.Values[0]
	if !d.m.Designed || !(math.Abs(first-steady) > jump*math.Abs(steady)) {
		return
	}
	d.jumps = append(d.jumps, result.Warning{
		Severity: rule.Warning, Rule: "schedule_start", Case: c.Name, Time: seconds(0), Evidence: []string{},
		Message: fmt.Sprintf("%s is %s at the starting point, and its schedule begins with %s: it jumps at once",
			s.Path, unit.SI.Format(steady, s.Dim, 5), unit.SI.Format(first, s.Dim, 5)),
	})
}
