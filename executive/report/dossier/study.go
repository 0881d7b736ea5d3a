package dossier

// The dossier of a study, from its log, the folders of its runs and its kept results.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
)

// OfStudy gathers the facts from the folder of a study. The error is an *event.FormatError if a newer program wrote the
// log; other errors give the reason why no log can be read. Damaged and missing parts are listed in the dossier.
func OfStudy(folder string, o watch.Options) (*Dossier, error) {
	d := &Dossier{Folder: absolute(folder), At: clock.Or(o.Clock).Now(), Solvers: map[string]int{},
		Machines: map[string]int{}}
	d.Name = filepath.Base(d.Folder)
	board := view.NewBoard()
	err := event.Each(filepath.Join(folder, studylog.FileName), func(e event.Event) {
		d.Events++
		board.Observe(e)
	})
	var damaged *event.DamagedError
	switch {
	case errors.As(err, &damaged):
		d.Damage.Log = &Lines{damaged.Path, damaged.Lines}
	case err != nil:
		return nil, err
	}
	d.Busy = studylog.Busy(folder)
	d.Study = board.Study()
	if d.Results, err = report.ReadKept(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Damage.Results = err.Error()
	}
	d.warnings(folder)
	var c crowd
	for some := range slices.Chunk(d.Study.Runs, runtime.GOMAXPROCS(0)) {
		d.lookAtOnce(folder, some, o, &c)
	}
	d.Runs, d.Shown = c.sorted()
	return d, nil
}

// lookAtOnce reads the folders of some runs at the same time, and adds what they have in the order of the runs.
func (d *Dossier) lookAtOnce(folder string, some []view.Run, o watch.Options, c *crowd) {
	parts := make([]Dossier, len(some))
	var reading sync.WaitGroup
	for i, seen := range some {
		if seen.Phase != view.Over && seen.Class == "" && !(seen.Phase == view.Running && d.Busy) {
			seen.Phase, seen.Class = view.Over, event.Lost
		}
		part := &parts[i]
		part.Solvers, part.Machines, part.Runs = map[string]int{}, map[string]int{}, []*Run{{Run: seen}}
		reading.Go(func() { part.look(folder, part.Runs[0], o) })
	}
	reading.Wait()
	for i := range parts {
		for name, n := range parts[i].Solvers {
			d.Solvers[name] += n
		}
		for name, n := range parts[i].Machines {
			d.Machines[name] += n
		}
		d.Damage.Events = append(d.Damage.Events, parts[i].Damage.Events...)
		c.add(parts[i].Runs[0])
	}
}

// warnings gathers the warnings of the results. Without results it gathers the findings in the log, and the warnings of
// hosts and of the executive.
func (d *Dossier) warnings(folder string) {
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
			w.Evidence = evidence(folder, e.Cause)
		}
		d.Warnings = append(d.Warnings, Warning{w, e.Time})
	}
}

// evidence returns the lines that caused a finding.
func evidence(folder string, cause *event.Ref) (lines []string) {
	if cause == nil || cause.Run == "" || !filepath.IsLocal(cause.Run) {
		return nil
	}
	events, _ := event.Read(filepath.Join(folder, cause.Run, event.LogName)) // damage is reported with the run
	for i := range events {
		if e := &events[i]; e.Seq == cause.Seq && e.Stream() == cause.Stream && e.Line != "" {
			lines = append(lines, e.File+": "+e.Line)
		}
	}
	return lines
}
