package machine

// The inputs and outputs of a zoom, compared with the solver's description of itself.

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// HoldsFlow reports whether a solver can hold the flow that leaves in place of a throttle, and outputs that throttle.
func HoldsFlow(d *plugin.Description) bool {
	has := func(list []plugin.Quantity, name, instead string) bool {
		return slices.ContainsFunc(list, func(q plugin.Quantity) bool {
			return q.Name == name && q.Shape == plugin.Scalar && q.InPlaceOf == instead
		})
	}
	return has(d.Inputs, InExitFlow, InThrottle) && has(d.Outputs, OutThrottle, "")
}

// TakesSetting reports whether a solver turns the rows that have a setting.
func TakesSetting(d *plugin.Description) bool {
	return slices.ContainsFunc(d.Inputs,
		func(q plugin.Quantity) bool { return q.Name == InSetting && q.Shape == plugin.Scalar })
}

// Unfit lists the reasons why a solver cannot serve the zoom of a type of component: inputs and outputs that the solver
// lacks, required inputs that the zoom does not give, and wrong shapes. The geometry is an input only if
// there is one.
func Unfit(componentType string, geometry bool, d *plugin.Description) (reasons []string) {
	given, read := kinds[componentType].exchange()
	if given = slices.Clone(given); geometry {
		given = append(given, geometryGiven)
	}
	match := func(direction string, list []plugin.Quantity, want []exchanged) {
		for _, w := range want {
			i := slices.IndexFunc(list, func(q plugin.Quantity) bool { return q.Name == w.name })
			switch {
			case i < 0:
				reasons = append(reasons, fmt.Sprintf("it has no %s %s, a %s", direction, w.name, w.shape))
			case list[i].Shape != w.shape:
				reasons = append(reasons, fmt.Sprintf("its %s %s is a %s; it must be a %s", direction, w.name,
					list[i].Shape, w.shape))
			}
		}
	}
	match("input", d.Inputs, given)
	for _, q := range d.Inputs {
		if q.Required && !slices.ContainsFunc(given, func(g exchanged) bool { return g.name == q.Name }) {
			reasons = append(reasons,
				fmt.Sprintf("it needs the input %s, which the zoom of such a component does not give", q.Name))
		}
	}
	match("output", d.Outputs, read)
	return reasons
}
