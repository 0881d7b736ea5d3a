// Package watch has the verbs that judge runs: watch, report and rule. It shows the progress of long work as lines, or
// on a full screen with keys that steer runs.
package watch

import "github.com/spf13/cobra"

// Verbs returns the verbs of the package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newRule(), newWatch(), newReport(), newView()}
}
