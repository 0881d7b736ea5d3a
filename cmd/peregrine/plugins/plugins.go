// Package plugins has the verbs on flow solvers, and on the machines that they run on.
package plugins

import "github.com/spf13/cobra"

// Verbs returns the verbs of the package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newPlugin(), newHosts()}
}
