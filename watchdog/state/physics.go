package state

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a flow at rest cannot be, whatever it is of: an efficiency above 1, a temperature or an absolute pressure below 0, more that
// flows in than flows out. Values are known by their names; where there is none of such a name nothing is said.

// imbalance is the part by which flows in and out may differ at rest: far more than any solver leaves.
const imbalance = 0.01

// contradictions says which values of a run at rest contradict physics.
func (v *view) contradictions() (odd []string) {
	means := map[string]float64{}
	for _, x := range v.values {
		if x.movement != unknown {
			means[x.name] = x.mean
		}
	}
	for _, x := range v.values {
		_, name, found := strings.Cut(x.name, ".")
		if !found {
			name = x.name
		}
		switch {
		case x.movement == unknown:
		case isEfficiency(name) && x.mean > 1: // below 0 where a compressor windmills
			odd = append(odd, fmt.Sprintf("%s is %.4g: an efficiency above 1", x.name, x.mean))
		case slices.Contains([]string{"T", "Tt", "Ts", "T0", "Pt", "Ps", "p0"}, strings.TrimSuffix(strings.TrimSuffix(name, "_in"), "_out")) && x.mean <= 0:
			odd = append(odd, fmt.Sprintf("%s is %.4g", x.name, x.mean))
		case strings.HasSuffix(name, "_in"):
			in, out := x.mean, means[strings.TrimSuffix(x.name, "_in")+"_out"]
			if isFlow(name) && out != 0 && math.Abs(in-out) > imbalance*max(math.Abs(in), math.Abs(out)) {
				odd = append(odd, fmt.Sprintf("%s is %.5g, and %.5g flows out", x.name, in, out))
			}
		}
	}
	return odd
}

func isEfficiency(name string) bool {
	return name == "eff" || name == "eta" || strings.HasPrefix(name, "eff_") || strings.HasPrefix(name, "efficiency")
}

func isFlow(name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "_in"))
	return name == "w" || name == "mdot" || name == "massflow" || name == "mass_flow" || name == "m"
}
