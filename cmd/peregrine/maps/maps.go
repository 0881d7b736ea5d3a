// Package maps has the verbs on performance maps, and on the cache of answers that they are made of.
package maps

import "github.com/spf13/cobra"

// Verbs returns the verbs of the package.
func Verbs() []*cobra.Command {
	return []*cobra.Command{newMap(), newCache()}
}
