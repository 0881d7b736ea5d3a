package session

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// Fuel per thrust has no value if the engine has drag instead.
func TestNoTSFCWithoutThrust(t *testing.T) {
	r := solveAll(t, enginetest.Parse(t, enginetest.Turbojet+`
cases:
  fast: {set: {ambient.mach: 0.9}, solve: [{vary: burner.FAR, until: performance.Fn = 20 kN}]}
  drag: {from: fast, solve: [{vary: burner.FAR, until: performance.Fn = -1 kN}]}
  thrust: {from: fast, solve: [{vary: burner.FAR, until: performance.Fn = 2 kN}]}
`))
	for i, has := range map[int]bool{2: false, 3: true} {
		c := r.Cases[i]
		v, ok := c.Performance.Value("TSFC")
		if !c.Converged || ok != has || has && v != c.Performance.Wf/c.Performance.Fn ||
			!has && !math.IsNaN(c.Performance.TSFC) {
			t.Errorf("%s (%s): Fn %g and TSFC %g, has %v", c.Name, c.Message, c.Performance.Fn, v, ok)
		}
	}
}
