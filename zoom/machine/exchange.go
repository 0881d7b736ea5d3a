package machine

// The inputs and outputs that zooms and flow solvers exchange.

import "github.com/peregrine-sim/peregrine/zoom/plugin"

// exchanged is an input or output that zooming uses.
type exchanged struct {
	name  string
	shape plugin.Shape
}

var geometryGiven = exchanged{InGeometry, plugin.Text}

// rowsGiven are the inputs of a request for a machine with blade rows, besides its geometry.
var rowsGiven = []exchanged{
	{InSpeed, plugin.Scalar}, {InGamma, plugin.Scalar}, {InR, plugin.Scalar},
	{InThrottle, plugin.Scalar},
	{InSpan, plugin.Profile}, {InPt, plugin.Profile}, {InTt, plugin.Profile}, {InAlpha, plugin.Profile},
}

// rowsRead are the outputs that make a point of its model, and its error.
var rowsRead = []exchanged{
	{OutW, plugin.Scalar}, {OutMass, plugin.Scalar}, {OutEnergy, plugin.Scalar},
	{OutExitW, plugin.Profile}, {OutExitPt, plugin.Profile}, {OutExitTt, plugin.Profile},
}
