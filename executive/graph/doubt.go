package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// Values beyond these are doubted: another unit was probably meant.
const (
	slowest     = 1000  // rpm of a shaft at design: large fans and power turbines turn at 2000 to 3600 rpm
	leastPower  = 1000  // W, of a load, motor, generator or offtake
	leastThrust = 100   // N, of a target without unit
	highest     = 24000 // m, below Mach 2.5
)

// Doubts warns of values that are right in another unit than the unit that the file gives or implies: N: 233 is read as
// rpm, but may be meant as rad/s; power: 4 is read as 4 W, but may be meant as 4 MW.
func (m *Model) Doubts() (out []result.Warning) {
	doubt := func(name, kase, part, evidence, format string, args ...any) {
		out = append(out, result.Warning{Severity: rule.Warning, Rule: name, Case: kase, Component: part,
			Message: fmt.Sprintf(format, args...) + ", write the unit", Evidence: []string{evidence}})
	}
	value := func(path, kase, set string, v, mach float64) {
		name, parameter, _ := strings.Cut(path, ".")
		dim := m.Dimension(path)
		switch {
		case dim == unit.Power && (parameter == "power" || parameter == "offtake") && v > 0 && v <= leastPower:
			doubt("small_power", kase, name, fmt.Sprintf("%s%s = %.5g W", set, path, v),
				"%.5g W is little for an engine; for %.5g kW or %.5g MW", v, v, v)
		case dim == unit.Length && parameter == "altitude" && v >= highest && mach < 2.5:
			doubt("great_altitude", kase, name, fmt.Sprintf("%s%s = %.6g m", set, path, v),
				"%.6g m is high for Mach %.3g; for %.6g ft (%.0f m)", v, mach, v, v*0.3048)
		}
	}
	target := func(kase string, balances []config.Balance) {
		for _, b := range balances {
			dim := m.Dimension(b.Until)
			meant := map[unit.Dimension]string{unit.Force: "kN or lbf", unit.Power: "kW or MW"}[dim]
			least := map[unit.Dimension]float64{unit.Force: leastThrust, unit.Power: leastPower}[dim]
			if b.Unit == "" && b.Target > 0 && b.Target <= least {
				doubt("small_target", kase, "", fmt.Sprintf("%s = %.5g", b.Until, b.Target),
					"%.5g %s is little for an engine; for %s", b.Target, dim.Bare(), meant)
			}
		}
	}
	design := m.Engine.DesignCase
	machs := map[string]float64{} // of the design, by component
	for _, c := range m.Engine.Components {
		machs[c.Name] = c.Values.Num("mach")
		for _, name := range []string{"power", "altitude"} {
			if v := c.Values[name]; v.Set {
				value(c.Name+"."+name, design, "", v.Num, machs[c.Name])
			}
		}
	}
	for _, s := range m.Engine.Shafts {
		m.doubtSpeed(s, doubt)
		value(s.Name+".offtake", design, "", s.Values.Num("offtake"), 0)
	}
	target(design, m.Engine.Design)
	for _, c := range m.Engine.Cases {
		for _, set := range c.Set {
			name, _, _ := strings.Cut(set.Path, ".")
			mach := machs[name]
			if i := slices.IndexFunc(c.Set, func(s config.Setting) bool { return s.Path == name+".mach" }); i >= 0 {
				mach = c.Set[i].Value.Num
			}
			value(set.Path, c.Name, "cases."+c.Name+".set.", set.Value.Num, mach)
		}
		target(c.Name, c.Solve)
	}
	return out
}

// doubtSpeed doubts the design speed of a shaft with a turbine or compressor. A shaft with a propeller or load alone
// may be slow.
func (m *Model) doubtSpeed(s config.ShaftEntry, doubt func(name, kase, part, evidence, format string, args ...any)) {
	n := s.Values.Num("N")
	turns := slices.ContainsFunc(slices.Concat(s.Drives, s.DrivenBy), func(e config.Endpoint) bool {
		p := m.Index[e.Component]
		return p != nil && p.Type != nil && slices.Contains([]string{"compressor", "fan", "turbine"}, p.Type.Name)
	})
	if !turns || n >= slowest {
		return
	}
	meant := func(name string) float64 {
		u, err := unit.New(name, unit.Speed)
		if err != nil {
			panic(err) // the unit is named here
		}
		return u.ToSI(n)
	}
	doubt("slow_shaft", m.Engine.DesignCase, s.Name, fmt.Sprintf("shafts.%s.N = %.5g rpm", s.Name, n),
		"%.5g rpm is slow for a shaft with a turbine or compressor; for %.5g rad/s (%.0f rpm) or %.5g Hz (%.0f rpm)",
		n, n, meant("rad/s"), n, meant("Hz"))
}
