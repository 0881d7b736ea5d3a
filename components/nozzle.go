package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Nozzle is a convergent nozzle that exhausts to the ambient.
//
//	unchoked: Ps = Ps_amb;  choked: MN = 1 at the exit
//	Fg = Cfg (Cv W V + (Ps - Ps_amb) A)      Cfg_reference: convergent
//	Fg = Cfg W V_ideal                       Cfg_reference: ideal
//
// with V_ideal of the full expansion to ambient pressure. The area is fixed at
// design; off design the residual is that the flow needs exactly that area. A
// stream of several layers expands each of them by itself.
type Nozzle struct {
	cv, cfg, dPqP float64
	reference     string
	area          float64
	in            *flow.Station
	throat        flow.Station
	layer         flow.Station
	free          *Freestream

	fg, choked, pr, v float64
	errA              float64
}

var nozzleKind = kind{
	typ: config.Type{
		Name: "nozzle", Doc: "Convergent nozzle.",
		Ports: []config.Port{
			flowIn,
			{Name: "throat", Kind: config.Flow, Dir: config.Out, Internal: true, Doc: "throat, which is the exit"},
		},
		Params: []config.Param{
			{Name: "kind", Kind: config.Word, Words: []string{"convergent"}, Default: "convergent", Doc: "shape"},
			number("Cv", unit.None, 1.0, 0.1, 1.1, "velocity coefficient"),
			number("Cfg", unit.None, 1.0, 0.1, 1.1, "gross thrust coefficient"),
			{Name: "Cfg_reference", Kind: config.Word, Words: []string{"convergent", "ideal"}, Default: "convergent", Doc: "thrust to which Cfg refers: this nozzle's without loss, or that of full expansion"},
			number("dPqP", unit.None, 0.0, 0, 0.99, "loss of total pressure as a fraction of the inlet's"),
		},
		Outputs: []config.Output{
			{Name: "Fg", Dim: unit.Force, Doc: "gross thrust"},
			{Name: "PR", Dim: unit.None, Doc: "total pressure over ambient pressure"},
			{Name: "V", Dim: unit.Velocity, Doc: "exit velocity"},
			{Name: "A", Dim: unit.Area, Doc: "throat area"},
			{Name: "choked", Dim: unit.None, Doc: "1 if the throat is sonic"},
		},
	},
	make: func() Component { return &Nozzle{} },
}

// Declare implements Component.
func (n *Nozzle) Declare(d *Declaration) {
	var shape string // the only one there is
	d.Word("kind", &shape)
	d.Number("Cv", &n.cv)
	d.Number("Cfg", &n.cfg)
	d.Word("Cfg_reference", &n.reference)
	d.Number("dPqP", &n.dPqP)
	d.In("in", &n.in)
	d.Outlets = append(d.Outlets, OutPort{Port: "throat", At: &n.throat, Internal: true})
	d.Residual("A", OffDesign, &n.errA, "the flow does not fit the nozzle's area")
	d.Fix(&n.area)
	d.Output("Fg", &n.fg)
	d.Output("PR", &n.pr)
	d.Output("V", &n.v)
	d.Output("A", &n.area)
	d.Output("choked", &n.choked)
	d.Free = &n.free
	d.Thrust = &n.fg
}

// Eval implements Component.
func (n *Nozzle) Eval(x *Context) error {
	areaFree(&n.throat, n.in)
	n.throat.Layers = nil
	if n.dPqP != 0 {
		if err := n.throat.SetHP(x.Gas, n.in.H, n.in.P*(1-n.dPqP)); err != nil {
			return err
		}
	}
	n.pr = n.throat.P / n.free.Ps
	l := n.in.Layers
	if l != nil {
		n.throat.W *= l.Mixed
	}
	a, fg, err := n.expand(x.Gas, &n.throat)
	if err != nil {
		return err
	}
	n.v = n.throat.V
	n.choked = 0
	if n.throat.MN >= 1 {
		n.choked = 1
	}
	n.fg = fg
	if l != nil {
		for _, part := range [...]*flow.Station{&l.Core, &l.Byp} {
			n.layer = *part
			if n.dPqP != 0 {
				if err := n.layer.SetHP(x.Gas, part.H, part.P*(1-n.dPqP)); err != nil {
					return err
				}
			}
			da, df, err := n.expand(x.Gas, &n.layer)
			if err != nil {
				return err
			}
			a += da
			n.fg += df
		}
		n.throat.W = n.in.W
		n.throat.A = a
	}
	if x.Mode == Design {
		n.area = a
		n.errA = 0
	} else {
		n.errA = a/n.area - 1
	}
	return nil
}

// expand sets the throat statics of one stream and returns its area and thrust.
func (n *Nozzle) expand(g gas.Model, s *flow.Station) (area, fg float64, err error) {
	if s.P <= n.free.Ps {
		return 0, 0, fmt.Errorf("total pressure %.6g Pa is not above the ambient %.6g Pa: nothing flows out", s.P, n.free.Ps)
	}
	if err := s.StaticMN(g, 1); err != nil {
		return 0, 0, err
	}
	if s.Ps < n.free.Ps {
		if err := s.StaticPs(g, n.free.Ps); err != nil {
			return 0, 0, err
		}
	}
	if n.reference == "ideal" {
		ideal := *s
		if err := ideal.StaticPs(g, n.free.Ps); err != nil {
			return 0, 0, err
		}
		return s.A, n.cfg * s.W * ideal.V, nil
	}
	return s.A, n.cfg * (n.cv*s.W*s.V + (s.Ps-n.free.Ps)*s.A), nil
}
