package march

import "math"

// Exit is the condition at the exit plane. One of its three forms is used: a given static pressure; a throttle, Ps = K
// W^2; or a given mass flow, for which the static pressure is found. In each the pressure varies over the radius by
// radial equilibrium, dp/dr = rho Vtheta^2 / r, from its value at At.
//
// A throttle line crosses a fan's characteristic once even where that is flat or rises (d ln Ps / d ln W = 2), and so
// does a mass flow below choking; a fixed pressure has no steady flow beyond the characteristic's peak.
type Exit struct {
	At Height  // default Mid
	Ps float64 // static pressure, Pa; with K or W: the first guess, 0 for none
	K  float64 // throttle, Pa s2/kg2; 0: none
	W  float64 // mass flow, kg/s; 0: none
}

// Check sets the default place and reports the first fault of an exit.
func (e *Exit) Check() *InputError {
	if err := e.At.Check(); err != nil {
		return err
	}
	if e.K != 0 && e.W != 0 {
		return Bad("Exit", "both a throttle (K = %g) and a mass flow (W = %g); want one", e.K, e.W)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Ps", e.Ps}, {"K", e.K}, {"W", e.W}} {
		if !(f.v >= 0) || math.IsInf(f.v, 0) {
			return Bad("Exit."+f.name, "%g; want more than 0", f.v)
		}
	}
	if e.Ps == 0 && e.K == 0 && e.W == 0 {
		return Bad("Exit", "none of Ps, K and W is given")
	}
	return nil
}

// Turn advances the exit pressure, Pa, of a throttle or a given flow by one iteration with the outflow w, kg/s. It also
// advances the setting that the pressure follows: the present throttle constant, or with W the pressure at that flow.
// The setting falls no lower than floor; a flow that is too small there counts as choked. A given pressure is
// unchanged.
func (e *Exit) Turn(setting, ps, w, floor float64) (float64, float64) {
	// The share of the pressure's way to its setting in an iteration. A lagging pressure acts as a plenum, against
	// which a flow on a flat characteristic oscillates as in surge; a pressure that follows at once overshoots with the
	// exit plane's own waves.
	const follow = 0.2
	switch {
	case e.K > 0:
		// From the throttle of the first guess to Exit.K, slowly: a rotor that is thrown at its stall limit overshoots
		// it.
		setting *= math.Pow(e.K/setting, 0.02)
		ps += follow * (setting*w*w - ps)
	case e.W > 0:
		// A throttle whose setting is slowly turned until the flow is right: the
		// throttle keeps the flow stable, the turning makes it exact.
		x := min(max(w/e.W, 0.8), 1.2)
		setting = max(setting*(1+0.03*(x-1)), floor)
		ps += follow * (setting*x*x - ps)
	}
	return setting, ps
}

// Met reports whether a pressure and the flow that leaves meet the condition to 1e-4.
func (e *Exit) Met(ps, w float64) bool {
	const exact = 1e-4
	switch {
	case e.W > 0:
		return math.Abs(w-e.W) <= exact*e.W
	case e.K > 0:
		return math.Abs(e.K*w*w-ps) <= exact*ps
	}
	return true
}
