// Package engine has the verbs on engine files: check, solve, sweep, differentiate, zoom and verify engines, and show
// blade rows.
package engine

import "github.com/spf13/cobra"

// Verbs returns the verbs of the package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newRun(), newSweep(), newSensitivity(), newCheck(), newZoom(), newBlade(),
		newSchema(), newVerify(), newExample()}
}
