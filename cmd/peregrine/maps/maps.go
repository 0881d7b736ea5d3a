// Package maps has the verbs on performance maps, and on the cache of answers that they are made of.
package maps

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Verbs returns the verbs of the package.
func Verbs(at clock.Clock) []*cobra.Command {
	return []*cobra.Command{newMap(), newCache(at)}
}
