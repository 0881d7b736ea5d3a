// Package engine has the verbs on engine files: check, solve, sweep, differentiate, zoom and verify engines, and show
// blade rows.
package engine

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Verbs returns the verbs of the package.
func Verbs(at clock.Clock) []*cobra.Command {
	return []*cobra.Command{newRun(at), newSweep(at), newSensitivity(), newCheck(), newZoom(at), newBlade(),
		newSchema(), newVerify(), newExample()}
}
