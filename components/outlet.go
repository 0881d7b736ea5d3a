package components

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// This file holds the common parts of outlets.

// exitMN declares the parameter that sizes the outlet.
func (d *Declaration) exitMN(at *float64) {
	d.Number("MN", at, unit.None,
		"Mach number at the exit at design, from which its area and all statics follow").Within(0, 1).DesignOnly()
}

// areaFree copies a stream's totals without its statics.
func areaFree(to, from *flow.Station) {
	*to = *from
	to.Ps, to.Ts, to.MN, to.V, to.Rhos, to.A = 0, 0, 0, 0, 0, 0
}
