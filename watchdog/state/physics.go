package state

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a flow at rest cannot be, whatever it is of: held by a limiter to the end, an efficiency above 1, a
// temperature or an absolute pressure below 0, more that flows in than flows out. Values are known by their names;
// where there is none of such a name nothing is said.

// imbalance is the part by which flows in and out may differ at rest: far more than any solver leaves.
const imbalance = 0.01

// contradictions says which values contradict physics, of a run at rest; of another one, which will however they move
// on to rest.
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
	return odd
}

// bound is how long a limiter has acted on a value, in iterations: in each from one to another.
type bound struct{ from, to int }

// bound notes limiters that act: a warning has the smallest or largest value that was found, under the names min_k or
// max_k.
func (m *Machine) bound(values map[string]float64) {
	for name := range values {
		which, key, _ := strings.Cut(name, "_")
		if which != "min" && which != "max" || key == "" {
			continue
		}
		b := m.bounds[key]
		if b == nil && len(m.bounds) < mostBounds {
			b = &bound{from: m.count, to: m.count}
			m.bounds[key] = b
		}
		if b != nil {
			if m.count > b.to+1 {
				b.from = m.count
			}
			b.to = m.count
		}
	}
}

// mostBounds is how many values' limiters are kept in mind.
const mostBounds = 100

// held says which limiters have acted in each iteration of the part of the run that is judged.
func (m *Machine) held() (odd []string) {
	for name, b := range m.bounds {
		if m.count-b.to <= 1 && float64(b.to-b.from) >= max(shareJudged*float64(m.count), leastSamples) {
			odd = append(odd, fmt.Sprintf("a bound has acted on %s in each of the last %d iterations", name,
				b.to-b.from))
		}
	}
	slices.Sort(odd)
	return odd
}

func isEfficiency(name string) bool {
	return name == "eff" || name == "eta" || strings.HasPrefix(name, "eff_") || strings.HasPrefix(name, "efficiency")
}

func isFlow(name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "_in"))
	return name == "w" || name == "mdot" || name == "massflow" || name == "mass_flow" || name == "m"
}
