package dossier

// The dossier of a study, from its log, the folders of its runs and its kept results.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/executive/view/web"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// OfStudy gathers the facts from the folder of a study, and its state for the scripts of a page, in the units of a
// system, with measured values. The error is an *event.FormatError if a newer program wrote the log; other errors give
// the reason why no log can be read. Damaged and missing parts are listed in the dossier.
func OfStudy(ctx context.Context, folder string, o watch.Options, sys unit.System,
	laid ...*web.Measured) (*Dossier, error) {
	d := &Dossier{Folder: absolute(folder), At: clock.Or(o.Clock).Now(), Solvers: map[string]int{},
		Machines: map[string]int{}}
	d.Name = filepath.Base(d.Folder)
	own, charts := map[string]reports{}, map[string]event.Event{}
	feed, damaged, err := web.Read(ctx, folder, o.Clock, func(e *event.Event) {
		d.Events++
		own[e.Run] = own[e.Run].with(e)
		if e.Kind == event.Chart {
			charts[e.Component] = *e
		}
	})
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(damaged)) {
		if filepath.Base(path) == studylog.FileName {
			d.Damage.Log = damaged[path]
		} else {
			d.Damage.Events = append(d.Damage.Events, damaged[path])
		}
	}
	d.Busy = studylog.Busy(folder)
	d.Study = feed.Study()
	if d.Results, err = report.ReadKept(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Damage.Results = err.Error()
	}
	d.chart(folder, charts)
	feed.Lay(laid...)
	if d.Snapshot, err = feed.Snapshot(d.Results, sys); err != nil {
		return nil, err
	}
	d.warnings()
	var c crowd
	for some := range slices.Chunk(d.Study.Runs, runtime.GOMAXPROCS(0)) {
		d.lookAtOnce(folder, some, own, o, &c)
	}
	d.Runs, d.Shown = c.sorted()
	return d, nil
}

// chart reads the maps that the study has kept since its results, as of a command that was killed.
func (d *Dossier) chart(folder string, last map[string]event.Event) {
	for _, component := range slices.Sorted(maps.Keys(last)) {
		e := last[component]
		if d.Results != nil && !e.Time.After(d.Results.Written) {
			continue
		}
		c, err := report.ReadMap(folder, e.File)
		if err != nil {
			d.Damage.Charts = append(d.Damage.Charts, fmt.Sprintf("map of %s: %v", component, err))
			continue
		}
		c.Component = component
		d.Charts = append(d.Charts, *c)
	}
}

// lookAtOnce reads the folders of some runs at the same time, and adds what they have in the order of the runs.
func (d *Dossier) lookAtOnce(folder string, some []view.Run, own map[string]reports, o watch.Options, c *crowd) {
	parts := make([]Dossier, len(some))
	var reading sync.WaitGroup
	for i, seen := range some {
		if seen.Phase != view.Over && seen.Class == "" && !(seen.Phase == view.Running && d.Busy) {
			seen.Phase, seen.Class = view.Over, event.Lost
		}
		part := &parts[i]
		part.Solvers, part.Machines, part.Runs = map[string]int{}, map[string]int{}, []*Run{{Run: seen}}
		reading.Go(func() { part.look(folder, part.Runs[0], own[seen.Name], o) })
	}
	reading.Wait()
	for i := range parts {
		for name, n := range parts[i].Solvers {
			d.Solvers[name] += n
		}
		for name, n := range parts[i].Machines {
			d.Machines[name] += n
		}
		c.add(parts[i].Runs[0])
	}
}

// warnings gathers the warnings of the results. Without results it gathers the findings in the log, and the warnings of
// hosts and of the executive.
func (d *Dossier) warnings() {
	if d.Results != nil && d.Results.Results != nil {
		for _, w := range d.Results.Results.Warnings {
			d.Warnings = append(d.Warnings, Warning{Warning: w})
		}
	}
	for i := range d.Study.Findings {
		e := &d.Study.Findings[i]
		w := result.Warning{Severity: "warning", Run: e.Run, Message: e.Text}
		if e.Kind == event.Finding {
			if d.Results != nil { // the results contain them
				continue
			}
			w.Severity, w.Rule, w.Case, w.Component = e.Severity, e.Name, e.Case, e.Component
			if e.Line != "" {
				w.Evidence = []string{e.File + ": " + e.Line}
			}
		}
		d.Warnings = append(d.Warnings, Warning{w, e.Time})
	}
}
