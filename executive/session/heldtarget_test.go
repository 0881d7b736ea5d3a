package session

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/transient"
)

// A target on a parameter that the solve does not change is refused with its place, by check and
// by a run; where the design finds the parameter it is a target like any other.
func TestTargetOnHeldParameterIsRefused(t *testing.T) {
	base := strings.NewReplacer("  nozzle: {type: nozzle", "  pump: {type: load}\n  nozzle: {type: nozzle",
		"drives: [compressor]", "drives: [compressor, pump]",
		"turbine: {type: turbine,", "turbine: {type: turbine, PR: 5.5,").Replace(enginetest.Turbojet)
	given := strings.Replace(strings.Replace(base, "type: load", "type: load, power: 1 MW", 1), "PR: 5.5,", "", 1)
	for _, c := range []struct{ engine, want string }{
		{base + "cases:\n  hot: {solve: [{vary: burner.FAR, until: pump.power = 3 MW}]}\n",
			":21:17: pump.power: a parameter that this solve does not change cannot be its target; give its " +
				"value in set, or choose an output as the target, such as pump.P"},
		{base + "cases:\n  hot: {solve: [{vary: burner.FAR, until: pump.P = 3 MW}]}\n", ""},
		{base + "cases:\n  hot: {solve: [{vary: burner.FAR, until: ambient.altitude = 3 km}]}\n",
			"ambient.altitude: a parameter that this solve does not change"},
		{base + "cases:\n  hot: {solve: [{vary: burner.FAR, until: burner.FAR = 0.01}]}\n", ""},
		{base + "  - {vary: compressor.PR, until: pump.power = 3 MW}\n", ""},
		{given + "  - {vary: compressor.PR, until: pump.power = 3 MW}\n", ":20:5: pump.power: a parameter"},
	} {
		cfg := enginetest.Parse(t, c.engine)
		err := check(cfg)
		_, ran := runCases(t.Context(), cfg, CaseNames(cfg), transient.Options{})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("refused: %v", err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("check says %v, not %q", err, c.want)
		case c.want != "" && (ran == nil || !strings.Contains(ran.Error(), c.want)):
			t.Errorf("a run says %v, not %q", ran, c.want)
		}
	}
}
