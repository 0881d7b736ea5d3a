package state

// The present view of a run: its equations and values, and signs that its solution runs away.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// view is all that is judged at a moment.
type view struct {
	equations []equation
	values    []value
	odd       []string // names that are not finite
	ended     bool     // the run has ended
	leaks     string   // sentence on a balance of mass that no flow at rest has; empty: none
	broken    string   // sentence on a balance of mass that is lost from the start on; empty: none
	foreseen  bool     // the state is a forecast
	away      []string // signs that the solution runs away, apart from residuals
}

func (m *Machine) view() *view {
	v, over := &view{ended: m.ended}, m.ended || m.Said()
	beside := map[string]float64{}
	for _, s := range m.order {
		if s.kind == ofValue && s.count > 0 {
			beside[family(s.name)] = max(beside[family(s.name)], math.Abs(s.level(recentLength)))
		}
	}
	for _, s := range m.order {
		per := m.per(s)
		if s.bad > 0 && (s.kind == ofResidual || over) || float64(s.bad)*per >= leastSamples {
			v.odd = append(v.odd, s.name)
		}
		switch {
		case s.count == 0 || s.most == 0: // an explicit solver prints zeros
		case s.kind == ofResidual && s.count < leastSamples && m.count > 5*leastSamples: // solved at the start alone
		case s.kind == ofResidual:
			e := s.judge(m.targets.of(s.name), per, m.apart(), m.marching, m.ended, m.buffer[:])
			if e.course == grows || e.course == reached || !m.corrects(s.name) {
				v.equations = append(v.equations, e)
			}
		case s.kind == ofValue:
			v.values = append(v.values, s.settles(per, beside[family(s.name)], m.buffer[:]))
		case s.kind == ofBalance:
			if now := s.level(10); strings.HasSuffix(s.name, "local") && s.count >= leastSamples &&
				now > max(0, s.head-1) { // without a time step its unit is arbitrary, and its fall alone counts
				v.leaks = fmt.Sprintf("the balance of mass, %s, is %.2g: above 1, more leaves cells than they hold",
					s.name, math.Pow(10, now))
			}
			if now := s.lowest(); strings.HasSuffix(s.name, "local") && !m.marching && now > s.head+balanceLost {
				v.broken = fmt.Sprintf(
					"the balance of mass, %s, has been %.1f orders of magnitude above its first values for %d "+
						"iterations", s.name, now-s.head, headLength)
			}
			if now := s.level(10); strings.HasSuffix(s.name, "local") && s.count >= leastSamples &&
				now-min(s.least, now) > balanceGrowth && now > s.peak+balanceAbove && s.rises(per, m.buffer[:]) {
				v.away = append(v.away, fmt.Sprintf("the balance of mass, %s, is %.0f orders above its best", s.name,
					now-s.least))
			}
		case s.kind == ofStep:
			if now := s.level(10); s.count >= leastSamples && s.head-now > stepCollapse {
				v.away = append(v.away, fmt.Sprintf("the time step has fallen by %.0f orders", s.head-now))
			}
		}
	}
	v.dropRoundOff()
	return v
}

// correction is the equation of a correction, as OpenFOAM names Dcorr and pcorr.
var correction = regex.Lazy(`^[A-Za-z]+corr[xyz]?$`)

// corrects reports whether a residual without a target is that of a correction in OpenFOAM, which reports both ends of
// each linear solution. It is relative to the correction, which vanishes: it stays near 1 in a run that converges, and
// its growth alone tells something.
func (m *Machine) corrects(residual string) bool {
	_, equation, _ := strings.Cut(residual, "_")
	return correction().MatchString(equation) && m.names["final_"+equation] != nil &&
		m.names["inner_"+equation] != nil && math.IsNaN(m.targets.of(residual))
}

// rises reports whether a series grows over the window that is judged.
func (s *series) rises(per float64, buffer []float64) bool {
	return trend(s.window(s.span(per), buffer)).low > 0
}

// dropRoundOff removes values that are negligible beside others of the same table, such as a force across a plane of
// symmetry.
func (v *view) dropRoundOff() {
	const nothing = 1e-6
	most := v.largest()
	v.values = slices.DeleteFunc(v.values,
		func(x value) bool { return x.movement != unknown && math.Abs(x.mean) < nothing*most[x.table()] })
}

// largest is the largest mean of each table's values, without sign.
func (v *view) largest() map[string]float64 {
	most := map[string]float64{}
	for _, x := range v.values {
		most[x.table()] = max(most[x.table()], math.Abs(x.mean))
	}
	return most
}

const (
	lostLevel     = -0.78 // log10 of a normalised residual, about 1/6
	swayLevel     = -1    // the same, where values swing by tens of per cent
	tens          = 0.6   // of a value over the window: 30 % to both sides
	lostChange    = 0.2   // of a value over the window, in parts of its size
	balanceGrowth = 4     // orders
	balanceAbove  = 1     // order above the largest of its start; a flow that begins to move has a balance of about 0
	// the same, and of all of its start: good runs of the corpus that do not march in time come to 0.15
	balanceLost  = 1
	stepCollapse = 3 // orders
)

// Contradictions of physics in any flow at rest: a limiter acts to the end, an efficiency is above 1, a temperature or
// an absolute pressure is below 0, inflow exceeds outflow. Values are known by their names; without such a name no
// contradiction is reported.

// imbalance is the fraction by which flows in and out may differ at rest: far more than any solver leaves.
const imbalance = 0.01

// contradictions lists the values that contradict physics in a run at rest. In a run that still moves it lists values
// that will contradict, however they move on to rest.
func (v *view) contradictions(atRest bool) (odd []string) {
	means, tails := map[string]float64{}, map[string]float64{}
	for _, x := range v.values {
		if x.movement != unknown {
			means[x.name] = x.mean
			if !atRest {
				tails[x.name] = x.tail
			}
		}
	}
	for _, x := range v.values {
		_, name, found := strings.Cut(x.name, ".")
		if !found {
			name = x.name
		}
		tail := tails[x.name]
		switch {
		case x.movement == unknown:
		case isEfficiency(name) && x.mean-tail > 1: // below 0 where a compressor windmills
			odd = append(odd, fmt.Sprintf("%s is %.4g: an efficiency above 1", x.name, x.mean))
		case slices.Contains([]string{"T", "Tt", "Ts", "T0", "Pt", "Ps", "p0"},
			strings.TrimSuffix(strings.TrimSuffix(name, "_in"), "_out")) && x.mean+tail <= 0:
			odd = append(odd, fmt.Sprintf("%s is %.4g", x.name, x.mean))
		case strings.HasSuffix(name, "_in"):
			in, out := x.mean, means[strings.TrimSuffix(x.name, "_in")+"_out"]
			if isFlow(name) && out != 0 &&
				math.Abs(in-out)-tail-tails[strings.TrimSuffix(x.name, "_in")+"_out"] > imbalance*max(math.Abs(in),
					math.Abs(out)) {
				odd = append(odd, fmt.Sprintf("%s is %.5g, and %.5g flows out", x.name, in, out))
			}
		}
	}
	if loss := v.patchLoss(); atRest && loss != "" {
		odd = append(odd, loss)
	}
	return odd
}

// noFlow are parts of names of means over a flow, and of properties of one, as in massflowavg-p0-inlet.
var noFlow = []string{"ave", "avg", "frac", "angle", "temp", "pres"}

// patchLoss compares the flows through an inlet and an outlet, where these two patches alone are reported: a third
// opening explains any difference, also one whose flow never moved.
func (v *view) patchLoss() string {
	var in, out, other []value
	for _, x := range v.values {
		name := strings.ToLower(x.name)
		has := func(word string) bool { return strings.Contains(name, word) }
		switch {
		case !slices.ContainsFunc([]string{"phi", "flow", "mass"}, has), slices.ContainsFunc(noFlow, has):
		case has("inlet"):
			in = append(in, x)
		case has("outlet"):
			out = append(out, x)
		default:
			other = append(other, x)
		}
	}
	if len(in) != 1 || len(out) != 1 || len(other) > 0 || in[0].movement == unknown || out[0].movement == unknown {
		return ""
	}
	a, b := math.Abs(in[0].mean), math.Abs(out[0].mean)
	if math.Abs(a-b) <= imbalance*max(a, b) {
		return ""
	}
	return fmt.Sprintf("%s is %.5g, and %s %.5g", in[0].name, in[0].mean, out[0].name, out[0].mean)
}

func isEfficiency(name string) bool {
	return name == "eff" || name == "eta" || strings.HasPrefix(name, "eff_") || strings.HasPrefix(name, "efficiency")
}

func isFlow(name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "_in"))
	return name == "w" || name == "mdot" || name == "massflow" || name == "mass_flow" || name == "m"
}
