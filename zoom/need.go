package zoom

// What a zoom gives a flow solver and reads from its answers, against what the solver says of itself.

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// exchanged is an input or output that zooming uses.
type exchanged struct {
	name  string
	shape plugin.Shape
}

// given are the inputs of a request.
var given = []exchanged{
	{InGeometry, plugin.Text}, {InSpeed, plugin.Scalar}, {InGamma, plugin.Scalar}, {InR, plugin.Scalar}, {InThrottle, plugin.Scalar},
	{InSpan, plugin.Profile}, {InPt, plugin.Profile}, {InTt, plugin.Profile}, {InAlpha, plugin.Profile},
}

// read are the outputs that make a point of the map, and its error.
var read = []exchanged{
	{OutW, plugin.Scalar}, {OutMass, plugin.Scalar}, {OutEnergy, plugin.Scalar},
	{OutExitW, plugin.Profile}, {OutExitPt, plugin.Profile}, {OutExitTt, plugin.Profile},
}

// Unfit lists why a solver cannot serve a zoom: inputs that it does not take, inputs that it needs
// and no zoom gives, outputs that it does not give, and those of another shape.
func Unfit(d *plugin.Description) (reasons []string) {
	match := func(direction string, list []plugin.Quantity, want []exchanged) {
		for _, w := range want {
			i := slices.IndexFunc(list, func(q plugin.Quantity) bool { return q.Name == w.name })
			switch {
			case i < 0:
				reasons = append(reasons, fmt.Sprintf("it has no %s %s, a %s", direction, w.name, w.shape))
			case list[i].Shape != w.shape:
				reasons = append(reasons, fmt.Sprintf("its %s %s is a %s; it must be a %s", direction, w.name, list[i].Shape, w.shape))
			}
		}
	}
	match("input", d.Inputs, given)
	for _, q := range d.Inputs {
		if q.Required && !slices.ContainsFunc(given, func(g exchanged) bool { return g.name == q.Name }) {
			reasons = append(reasons, fmt.Sprintf("it needs the input %s, which no zoom gives", q.Name))
		}
	}
	match("output", d.Outputs, read)
	return reasons
}
