package perfmap

import "math"

// kappa is (gamma-1)/gamma of air at moderate temperature, gamma = 1.4.
const kappa = 0.4 / 1.4

// fanLaws converts the values of a map's only speed line, at speed Nc1, to the speed nc by the similarity of
// incompressible turbomachines at equal flow coefficient, with the work in place of the pressure rise:
//
//	r = Nc/Nc1
//	Wc          = Wc1 r
//	PR^k - 1    = (PR1^k - 1) r^2,    k = (gamma-1)/gamma = 0.4/1.4
//	eff         = eff1
//
// (S. L. Dixon and C. A. Hall, Fluid Mechanics and Thermodynamics of Turbomachinery, 7th ed., chapter 2: flow
// coefficient, head coefficient and efficiency are functions of each other.) It ignores the Mach number, so it holds
// only near the line. The values of a turbine with one speed line do not depend on the speed.
func (m *Map) fanLaws(nc float64, out []Value) {
	if m.Kind != Compressor {
		return
	}
	n1 := m.Nc[0]
	r, dr := nc/n1, 1/n1
	if r < 0 {
		r, dr = 0, 0
	}
	for t := range out {
		v := &out[t]
		switch name := m.Tables[t].Name; {
		case isFlow(name):
			v.DNc = v.V * dr
			v.V *= r
			v.DX *= r
			v.DAlpha *= r
		case isRatio(name):
			*v = ratioByFanLaw(*v, r, dr)
		}
	}
}

func ratioByFanLaw(v Value, r, dr float64) Value {
	work := math.Pow(v.V, kappa) - 1
	ideal := max(1+work*r*r, math.Pow(lowestRatio, kappa)) // a windmilling line far away
	pr := math.Pow(ideal, 1/kappa)
	byWork := pr / ideal / kappa
	byPR := byWork * r * r * kappa * (work + 1) / v.V
	return Value{V: pr, DNc: byWork * 2 * work * r * dr, DX: v.DX * byPR, DAlpha: v.DAlpha * byPR}
}
