package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Exchanger carries heat between two streams that do not mix: a recuperator, an intercooler, a precooler.
//
//	ht_cold_out = ht_cold + Q/W_cold,   ht_hot_out = ht_hot - Q/W_hot
//	Q = effectiveness Qmax,  Qmax = min over both streams of W |h(Tt_hot) - h(Tt_cold)|
//
// Qmax takes the stream of lesser heat capacity rate C all the way to the other's inlet temperature, with real
// enthalpies. At design the effectiveness is given and gives the number of transfer units NTU = UA/Cmin; off design NTU
// gives the effectiveness (Kays and London, Compact Heat Exchangers, 3rd ed., 1984, chapter 2), with r = Cmin/Cmax:
//
//	counterflow   e = (1 - exp(-NTU (1 - r)))/(1 - r exp(-NTU (1 - r)))
//	parallel      e = (1 - exp(-NTU (1 + r)))/(1 + r)
//	crossflow     e = 1 - exp(NTU^0.22 (exp(-r NTU^0.78) - 1)/r)      both unmixed, approximate
//
// Off design UA follows the flows as the heat transfer coefficients of both sides do, h ~ W^exponent (0.8: turbulent
// flow in passages), with equal resistances at design and no resistance in the wall:
//
//	UA/UA_des = 2/((W_cold/W_cold_des)^-exponent + (W_hot/W_hot_des)^-exponent)
//
// Q is unknown, since the cold stream may later become the hot stream. The roles may change: if cold enters hotter than
// hot, Q is negative.
type Exchanger struct {
	eps, exponent    float64
	arrangement      string
	loss             string
	dPCold, dPHot    float64
	wcCold, wcHot    float64 // corrected flows at design, kg/s
	wCold, wHot, ua  float64 // flows [kg/s] and UA [W/K] at design
	q                float64
	cold, hot        *flow.Station
	coldOut, hotOut  flow.Station
	err              float64
	actual, ntu, now float64
}

const (
	counterflow = "counterflow"
	parallel    = "parallel"
	crossflow   = "crossflow"
)

// stream numbers of a heat exchanger's ports
const coldStream, hotStream = 1, 2

// Declare implements Component.
func (c *Exchanger) Declare(d *Declaration) {
	d.Describe("heat_exchanger", "Heat exchanger between two streams: recuperator, intercooler, precooler.")
	d.Also("recuperator", "intercooler", "regenerator")
	d.Number("effectiveness", &c.eps, unit.None, "heat transferred over the largest possible, at design").
		Within(0, 0.999).Required().DesignOnly()
	d.Word("arrangement", &c.arrangement, "directions of the streams", counterflow, crossflow, parallel)
	d.Number("exponent", &c.exponent, unit.None,
		"exponent of the flow in the heat transfer coefficients off design").Default(0.8).Within(0, 1)
	d.Number("dPqP_cold", &c.dPCold, unit.None,
		"loss of total pressure of the cold stream at design, as a fraction of its inlet's").Default(0).Within(0, 0.99)
	d.Number("dPqP_hot", &c.dPHot, unit.None,
		"loss of total pressure of the hot stream at design, as a fraction of its inlet's").Default(0).Within(0, 0.99)
	d.Word("loss", &c.loss, "off design the losses are constant, or follow the square of the corrected flow",
		"constant", "quadratic").Default("quadratic")
	d.In("cold", &c.cold, "stream that is heated").Stream(coldStream)
	d.In("hot", &c.hot, "stream that is cooled").Stream(hotStream)
	d.Out("cold_out", &c.coldOut, "heated stream").Stream(coldStream)
	d.Out("hot_out", &c.hotOut, "cooled stream").Stream(hotStream)
	d.Early = &Early{Ports: []string{"cold", "cold_out"}, Eval: c.heat}
	d.Unknown(Unknown{Name: "Q", Modes: Design | OffDesign, At: &c.q, Typical: 1e6})
	d.Residual("Q", Design|OffDesign, &c.err, "the heat differs from the capacity of the exchanger's size")
	d.Fix(&c.q, &c.ua, &c.wCold, &c.wHot, &c.wcCold, &c.wcHot)
	d.Output("Q", &c.q, unit.Power, "heat from the hot to the cold stream")
	d.Output("eps", &c.actual, unit.None, "effectiveness")
	d.Output("NTU", &c.ntu, unit.None, "number of transfer units UA/Cmin")
	d.Output("UA", &c.now, unit.None, "heat transfer coefficient times area, W/K")
}

// heat sets the cold outlet.
func (c *Exchanger) heat(x *Context) error {
	areaFree(&c.coldOut, c.cold)
	p, err := c.pressure(x.Mode, c.cold, c.dPCold, &c.wcCold)
	if err != nil {
		return fmt.Errorf("cold stream: %w", err)
	}
	return c.coldOut.SetHP(x.Gas, c.cold.H+c.q/c.cold.W, p)
}

// Eval implements Component: it sets the hot outlet, and compares the heat with the exchanger's heat flow between these
// inlets.
func (c *Exchanger) Eval(x *Context) error {
	areaFree(&c.hotOut, c.hot)
	p, err := c.pressure(x.Mode, c.hot, c.dPHot, &c.wcHot)
	if err != nil {
		return fmt.Errorf("hot stream: %w", err)
	}
	if err := c.hotOut.SetHP(x.Gas, c.hot.H-c.q/c.hot.W, p); err != nil {
		return err
	}
	up, err := x.Gas.TP(c.cold.Comp, c.hot.T, c.cold.P)
	if err != nil {
		return err
	}
	down, err := x.Gas.TP(c.hot.Comp, c.cold.T, c.hot.P)
	if err != nil {
		return err
	}
	qCold, qHot := c.cold.W*(up.H-c.cold.H), c.hot.W*(c.hot.H-down.H)
	cMin, r := c.rates(qCold, qHot)
	if x.Mode == Design {
		if c.ntu, err = transferUnits(c.arrangement, c.eps, r); err != nil {
			return err
		}
		c.actual = c.eps
		c.now = c.ntu * cMin
		c.ua, c.wCold, c.wHot = c.now, c.cold.W, c.hot.W
	} else {
		c.now = c.ua * 2 / (math.Pow(c.cold.W/c.wCold, -c.exponent) + math.Pow(c.hot.W/c.wHot, -c.exponent))
		c.ntu = c.now / cMin
		c.actual = effectiveness(c.arrangement, c.ntu, r)
	}
	most := qCold
	if math.Abs(qHot) < math.Abs(qCold) {
		most = qHot
	}
	c.err = (c.q - c.actual*most) / (cMin * c.cold.T)
	return nil
}

// Explain implements Explainer.
func (c *Exchanger) Explain() string {
	return fmt.Sprintf("%.4g kW go from %.5g K to %.5g K, at an effectiveness of %.4g", c.q/1000, c.hot.T, c.cold.T,
		c.actual)
}

// rates returns the lesser heat capacity rate [W/K] between the inlet temperatures,
// and its ratio to the greater.
func (c *Exchanger) rates(qCold, qHot float64) (least, ratio float64) {
	dT := c.hot.T - c.cold.T
	a, b := c.cold.W*c.cold.Cp, c.hot.W*c.hot.Cp // the limit for equal temperatures
	if math.Abs(dT) > 1e-3 {
		a, b = qCold/dT, qHot/dT
	}
	return min(a, b), min(a, b) / max(a, b)
}

// pressure is the total pressure behind a stream's loss, Pa.
func (c *Exchanger) pressure(mode Mode, in *flow.Station, dPqP float64, wcDes *float64) (float64, error) {
	wc := in.Wc()
	if mode == Design {
		*wcDes = wc
	} else if c.loss == "quadratic" {
		dPqP *= (wc / *wcDes) * (wc / *wcDes)
	}
	if dPqP >= 1 {
		return 0, fmt.Errorf("the loss of %.3g leaves no pressure: corrected flow is %.4g of the design's", dPqP,
			wc / *wcDes)
	}
	return in.P * (1 - dPqP), nil
}

// effectiveness returns e over NTU and the ratio r of heat capacity rates.
func effectiveness(arrangement string, ntu, r float64) float64 {
	switch arrangement {
	case parallel:
		return -math.Expm1(-ntu*(1+r)) / (1 + r)
	case crossflow:
		if r < 1e-9 || ntu == 0 {
			return -math.Expm1(-ntu)
		}
		return -math.Expm1(math.Pow(ntu, 0.22) * math.Expm1(-r*math.Pow(ntu, 0.78)) / r)
	}
	if 1-r < 1e-9 {
		return ntu / (1 + ntu)
	}
	a := -math.Expm1(-ntu * (1 - r)) // 1 - e^-x, and the rest without cancellation near r = 1
	return a / (1 - r + r*a)
}

// transferUnits inverts effectiveness, which rises with NTU.
func transferUnits(arrangement string, eps, r float64) (float64, error) {
	lo, hi := 0.0, 1e4
	if best := effectiveness(arrangement, hi, r); eps >= best {
		return 0, fmt.Errorf("effectiveness %.4g cannot be had in %s: at a ratio of heat capacity rates of %.4g the "+
			"most is %.4g", eps, arrangement, r, best)
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if effectiveness(arrangement, mid, r) < eps {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, nil
}
