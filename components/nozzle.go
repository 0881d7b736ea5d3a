package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Nozzle exhausts to the ambient. Of the shapes
//
//	convergent            the throat is the exit: Ps = Ps_amb, or MN = 1 there
//	convergent-divergent  MN = 1 at the throat and Ps = Ps_amb at an exit of the area that this
//	                      takes; below the critical pressure ratio as convergent (NPSS's CD_CV)
//	sonic-throat          the same, with MN = 1 at the throat at any pressure ratio (NPSS's CD)
//
// the second and third are ideal: their exit area follows the pressure ratio. With `exit: fixed` the design's area
// ratio is kept. Off design the exit flow is then the supersonic flow of that ratio, or the ideal flow if a normal
// shock would be inside.
//
//	Fg = Cfg (Cv W V + (Ps - Ps_amb) A)      Cfg_reference: convergent
//	Fg = Cfg W V_ideal                       Cfg_reference: ideal
//
// with V, Ps and A at the exit and V_ideal of the full expansion to ambient pressure. The throat area is fixed at
// design. Off design the residual compares it with the area that the flow needs, divided by the discharge coefficient
// Cd, times `area`, the schedule of a variable throat (plug, petals):
//
//	(1/A^2 - 1/A_needed^2) W^2/(rho Pt) = 0
//
// with total density rho. Squared and in units of Pt it is nearly linear in the pressure, with a slope of about 1 at
// any pressure above ambient. Below ambient it continues as 2 (Ps_amb - Pt)/Pt, so that a solver returns from pressures
// without outflow. Each layer of a layered stream is expanded by itself.
//
// A flow solver may supply Cd and Cfg over the pressure ratio; see LawUse.
type Nozzle struct {
	kind, exit         string
	cv, cfg, cd, dPqP  float64
	schedule           float64 // throat area over the design's
	reference          string
	area, ratio        float64 // throat [m2], exit over throat, at design
	in                 *flow.Station
	throat, out, layer flow.Station
	free               *Freestream
	law                LawUse
	cdNow, cfgNow      float64 // Cd and Cfg, or the law's values

	fg, choked, pr, v, a float64
	jet                  float64 // kinetic power of the outflow, W
	errA                 float64
}

const (
	convergent  = "convergent"
	condi       = "convergent-divergent"
	sonicThroat = "sonic-throat"
)

// Declare implements Component.
func (n *Nozzle) Declare(d *Declaration) {
	d.Describe("nozzle", "Exhaust nozzle, convergent or convergent-divergent.")
	d.Also("exhaust")
	d.Word("kind", &n.kind, "shape", convergent, condi, sonicThroat)
	d.Word("exit", &n.exit, "exit area of a divergent part: follows the pressure ratio, or stays that of the design",
		"ideal", "fixed")
	d.Number("Cv", &n.cv, unit.None, "velocity coefficient").Default(1).Within(0.1, 1.1)
	d.Number("Cfg", &n.cfg, unit.None, "gross thrust coefficient").Default(1).Within(0.1, 1.1)
	d.Word("Cfg_reference", &n.reference,
		"thrust to which Cfg refers: this nozzle's without loss, or that of full expansion", "convergent", "ideal")
	d.Number("Cd", &n.cd, unit.None, "discharge coefficient: effective over geometric throat area").Default(1).Within(
		0.1, 1)
	d.Number("area", &n.schedule, unit.None,
		"throat area over the design's, to schedule a variable nozzle off design").Default(1).Within(0.1, 10)
	d.Number("dPqP", &n.dPqP, unit.None, "loss of total pressure as a fraction of the inlet's").Default(0).Within(0,
		0.99)
	d.In("in", &n.in, "flow in")
	d.Inside("throat", &n.throat, "throat")
	d.Inside("exit", &n.out, "exit; of a convergent nozzle the throat")
	d.Residual("A", OffDesign, &n.errA, "the flow does not fit the nozzle's area")
	d.Fix(&n.area, &n.ratio)
	d.Output("Fg", &n.fg, unit.Force, "gross thrust")
	d.Output("PR", &n.pr, unit.None, "total pressure over ambient pressure")
	d.Output("V", &n.v, unit.Velocity, "exit velocity")
	d.Output("A", &n.a, unit.Area, "geometric throat area")
	d.Output("choked", &n.choked, unit.None, "1 if the throat is sonic")
	n.law.fits = n.fitsLaw
	n.law.ideal = func() bool { return n.reference == "ideal" || n.kind != convergent }
	d.Law(&n.law, []string{"NPR"}, []string{"Cd", "Cfg"})
	d.Free = &n.free
	d.Thrust = &n.fg
	d.Jet = &n.jet
}

// fitsLaw reports an exit whose loss-free thrust is not that of an ideal nozzle, to which Cfg would refer.
func (n *Nozzle) fitsLaw() error {
	if n.kind != convergent && n.exit == "fixed" {
		return fmt.Errorf("the area of its exit is fixed, so that Cfg refers to no ideal nozzle; take exit: ideal")
	}
	return nil
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
	now := n.law.look(x.Mode, pair{max(n.pr, 1)}, pair{n.cd, n.cfg})
	n.cdNow, n.cfgNow = now[0], now[1]
	l := n.in.Layers
	if l != nil {
		n.throat.W *= l.Mixed
	}
	if n.throat.P <= n.free.Ps && x.Mode == OffDesign && l == nil {
		n.stagnate()
		return nil
	}
	fg, err := n.expand(x, &n.throat, &n.out)
	if err != nil {
		return err
	}
	n.v = n.out.V
	n.choked = 0
	if n.throat.MN >= 1 {
		n.choked = 1
	}
	n.fg, n.jet = fg, n.power(&n.out)
	throat, exit := n.throat.A, n.out.A
	if l != nil {
		for _, part := range [...]*flow.Station{&l.Core, &l.Byp} {
			n.layer = *part
			if n.dPqP != 0 {
				if err := n.layer.SetHP(x.Gas, part.H, part.P*(1-n.dPqP)); err != nil {
					return err
				}
			}
			var out flow.Station
			df, err := n.expand(x, &n.layer, &out)
			if err != nil {
				return err
			}
			throat, exit = throat+n.layer.A, exit+out.A
			n.fg += df
			n.jet += n.power(&out)
		}
		n.throat.W, n.out.W = n.in.W, n.in.W
		n.throat.A, n.out.A = throat, exit
	}
	n.a = throat / n.cdNow
	if x.Mode == Design {
		n.area, n.ratio = n.a, exit/throat
		n.errA = 0
	} else {
		a := n.area * n.schedule
		n.errA = n.head(a) - n.head(n.a)
	}
	return nil
}

// power is the kinetic power of a stream at the exit, W.
func (n *Nozzle) power(exit *flow.Station) float64 {
	v := n.cv * exit.V
	return exit.W * v * v / 2
}

// stagnate sets the nozzle without outflow, and the residual that continues the one of higher pressures.
func (n *Nozzle) stagnate() {
	n.out = n.throat
	n.a, n.v, n.fg, n.choked, n.jet = 0, 0, 0, 0, 0
	n.errA = n.head(n.area*n.schedule) + 2*(n.free.Ps/n.throat.P-1)
}

// head is the square of the mass flux through an area [m2] over total density and pressure: twice the required dynamic
// head, as a fraction of the pressure.
func (n *Nozzle) head(a float64) float64 {
	flux := n.throat.W / (a * n.cdNow)
	return flux * flux / (n.throat.Density() * n.throat.P)
}

// expand sets throat and exit statics of one stream and returns its thrust.
func (n *Nozzle) expand(x *Context, throat, exit *flow.Station) (fg float64, err error) {
	g := x.Gas
	if throat.P <= n.free.Ps {
		return 0, fmt.Errorf("total pressure %.6g Pa is not above the ambient %.6g Pa: no outflow", throat.P, n.free.Ps)
	}
	if err := throat.StaticMN(g, 1); err != nil {
		return 0, err
	}
	critical := throat.Ps >= n.free.Ps
	if !critical && n.kind != sonicThroat {
		if err := throat.StaticPs(g, n.free.Ps); err != nil {
			return 0, err
		}
	}
	*exit = *throat
	switch {
	case n.kind == convergent || n.kind == condi && !critical:
	case n.exit == "fixed" && x.Mode == OffDesign && critical:
		err = n.fixedExit(g, throat, exit)
	default:
		err = exit.StaticPs(g, n.free.Ps)
	}
	if err != nil {
		return 0, err
	}
	if n.reference == "ideal" {
		ideal := *throat
		if err := ideal.StaticPs(g, n.free.Ps); err != nil {
			return 0, err
		}
		return n.cfgNow * throat.W * ideal.V, nil
	}
	return n.cfgNow * (n.cv*exit.W*exit.V + (exit.Ps-n.free.Ps)*exit.A), nil
}

// fixedExit sets the supersonic exit of the design's area ratio. If the ambient pressure is above that behind a normal
// shock at the exit, it sets the ideal expansion: the flow then separates about where it is ideally expanded.
//
//	p2/p1 = 1 + 2 gamma/(gamma+1) (MN^2 - 1)     normal shock
func (n *Nozzle) fixedExit(g gas.Model, throat, exit *flow.Station) error {
	if n.ratio <= 1 {
		return nil
	}
	if err := exit.StaticA(g, throat.A*n.ratio, flow.Supersonic); err != nil {
		return err
	}
	gm := exit.Gamma
	if behind := exit.Ps * (1 + 2*gm/(gm+1)*(exit.MN*exit.MN-1)); behind < n.free.Ps {
		return exit.StaticPs(g, n.free.Ps)
	}
	return nil
}
