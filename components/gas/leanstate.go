package gas

import "math"

// How a lean gas is brought to equilibrium: at a temperature, or at an enthalpy or
// entropy that decides the temperature. Newton's method moves composition and
// temperature at once; the last step is taken to first order in all properties.

// lastStep is the size of the steps of ln T, ln p_O2 and ln phi after which the remaining error, their square, is below
// 1e-13. Above 2200 K dissociation makes the relations a thousand times more nonlinear.
func lastStep(T float64) float64 {
	if T > 2200 {
		return 1e-9
	}
	return 1e-7
}

// view holds the properties of a lean gas at its temperature, with its composition advanced by one step of Newton's
// method.
type view struct {
	h, s  float64
	base  float64 // heat capacity of complete combustion, J/(kg K)
	slope float64 // heat capacity of equilibrium
	step  float64 // size of that step of Newton's method
}

// look evaluates the gas at its temperature. It fails, by a step that is NaN, if the composition has diverged.
func (b *lean) look() (v view) {
	p := pick(&b.low, &b.high, b.T)
	v.h, v.s, v.base = p.h(b.T, b.lnT), p.s(b.T, b.lnT), p.cp(b.T)
	v.slope = v.base
	if b.T <= coldT {
		if b.reacting {
			b.rest()
		}
		v.s -= Ru * b.mixed
		return v
	}
	b.constants()
	if !b.reacting {
		b.reacting = true
		b.anticipate()
	}
	b.evaluate()
	heat, mixing := b.along(&b.res, 0)
	byT, _ := b.along(&b.temp, 1)
	heat = Ru * b.phi * (b.e + heat)
	v.h += b.T * heat
	v.s += heat - Ru*(b.mixing()+mixing)
	v.slope += Ru * b.phi * (b.f + byT)
	v.step = math.Abs(b.res[0]) + math.Abs(b.res[1])
	return v
}

// state returns the state of enthalpy h and entropy s that lies a last step of ln T
// beyond the view.
func (b *lean) state(v *view, h, s, P, dlnT float64) State {
	st := State{T: b.T * (1 + dlnT), P: P, H: h, S: s, Cp: v.slope, R: Ru * b.phi * b.P}
	if b.T <= coldT {
		st.Gamma = st.Cp / (st.Cp - st.R)
		return st
	}
	st.R *= 1 + b.res[1] + b.temp[1]*dlnT
	st.Gamma = isentropic(st.Cp, st.R, 1+b.temp[1], b.solve(0, b.P)[1])
	return st
}

// atT solves for the composition at T. It may fail far outside an engine's states.
func (b *lean) atT(T, P float64) (State, bool) {
	b.T, b.lnT = T, math.Log(T)
	v := b.look()
	for range 20 {
		if v.step < lastStep(T) {
			return b.state(&v, v.h, v.s, P, 0), true
		}
		if !(v.step < astray) {
			break
		}
		b.move(0)
		v = b.look()
	}
	return State{}, false
}

// astray is a step of ln p that no lean gas needs.
const astray = 1e3

// find solves for the temperature and the composition at once.
func (b *lean) find(what property, target, P, guess float64) (State, bool) {
	b.T = guess
	if !(guess >= minT && guess <= leanT) {
		b.T = 800
	}
	b.lnT = math.Log(b.T)
	for range 25 {
		v := b.look()
		d := (target - v.s) / v.slope
		if what == enthalpy {
			d = (target - v.h) / (v.slope * b.T)
		}
		if !(v.step < astray) || math.IsNaN(d) {
			break
		}
		if last := lastStep(b.T); v.step < last && math.Abs(d) < last {
			h, s := target, v.s+(target-v.h)/b.T
			if what == entropy {
				h, s = v.h+b.T*(target-v.s), target
			}
			st := b.state(&v, h, s, P, d)
			return st, st.T >= minT && st.T <= leanT
		}
		// T dh/dT rises about as T^1.2 and T ds/dT as T^0.2: with that the step is
		// good to second order.
		d = hold(d)
		if what == enthalpy {
			d -= 0.6 * d * d
		} else {
			d -= 0.1 * d * d
		}
		b.warm(d)
	}
	return State{}, false
}

// warm moves the temperature by a step of its logarithm, and the composition with it.
func (b *lean) warm(dlnT float64) {
	if b.reacting {
		b.move(dlnT)
	}
	b.T *= exp(dlnT)
	b.lnT += dlnT
	if !(b.T >= minT && b.T <= leanT) {
		b.T = max(minT, min(leanT, b.T))
		b.lnT = math.Log(b.T)
	}
}
