package attempt

// The watch of the files that a solver describes.

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// watch has the watcher follow the files that the solver describes. If that fails, it records a warning and the run
// continues.
func (a *attempt) watch(d plugin.Description) (unwatch func()) {
	w := a.Host.watcher
	if w == nil {
		return func() {}
	}
	var errs []error
	specs := fileSpecs(a.Study, a.run, a.folder, d)
	for _, spec := range specs {
		errs = append(errs, w.Watch(spec))
	}
	if len(specs) > 0 {
		a.stream.fromHost(event.Watched, "", nil)
	}
	if err := errors.Join(errs...); err != nil {
		a.stream.fromHost(event.Warning, fmt.Sprintf("not all files of the run are watched: %v", err), nil)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushLimit)
		defer cancel()
		if err := w.Unwatch(ctx, a.run); err != nil {
			a.stream.fromHost(event.Warning,
				fmt.Sprintf("the files of the run may not have been read to their end: %v", err), nil)
		}
		a.Host.router.flush()
		a.stream.beat()
	}
}

// fileSpecs returns the files of a run that a watchdog can read.
func fileSpecs(study, run, folder string, d plugin.Description) []history.FileSpec {
	var specs []history.FileSpec
	for _, f := range d.Files {
		if f.Watched() {
			specs = append(specs, history.FileSpec{Study: study, Run: run, Folder: folder, File: f})
		}
	}
	return specs
}
