package main

// The cache of the settings, for verbs that look at what it has.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
)

// openCache opens the cache of the settings to look at it: one that is not there is not made, but reported by a
// [*noCacheError].
func openCache(cmd *cobra.Command) (*cache.Cache, config.Settings, error) {
	settings, err := config.LoadSettings(cmd.Flags())
	if err != nil {
		return nil, settings, err
	}
	if _, err := os.Stat(settings.Cache); errors.Is(err, fs.ErrNotExist) {
		return nil, settings, &noCacheError{settings.Cache}
	}
	c, err := executive.OpenCache(settings)
	return c, settings, err
}

// noCacheError reports a cache that is not there.
type noCacheError struct{ folder string }

func (e *noCacheError) Error() string {
	return fmt.Sprintf("there is no cache in %s; zooming makes one, and so does `peregrine cache import`", e.folder)
}
