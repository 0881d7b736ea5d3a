package launch

import (
	"context"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Watcher follows files of runs. watchdog.Process implements it.
type Watcher interface {
	// Watch begins to follow files of a run, which need not exist yet.
	Watch(spec history.FileSpec, from ...history.FilePosition) error
	// Unwatch returns when the run's files have been read to their end and all
	// their events have been sent.
	Unwatch(ctx context.Context, run string) error
	// Events returns the channel of the events read. It is closed when the watcher ends.
	Events() <-chan event.Event
}

// Watched is a launcher that watches the files of its tasks itself, on their machines.
type Watched interface {
	Launcher
	Watches() Watcher
}
