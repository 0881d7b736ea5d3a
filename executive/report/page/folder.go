package page

// What the folder of a study's run says.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// look reads the folder of a run: its answer, its files and, where nothing is known of its files, its events.
func (s *study) look(r *subject) {
	folder := filepath.Join(s.folder, r.name)
	if !filepath.IsLocal(r.name) || strings.ContainsAny(r.name, `/\`) {
		r.problem = "the log names a folder outside the study"
		return
	}
	var end plugin.Ending
	switch err := plugin.ReadFile(folder, plugin.ResultFile, &end); {
	case err == nil:
		r.message, r.arrays = end.Message, end.Arrays
		if r.class == event.Lost {
			r.class = end.Class
		}
		s.identify(r, end.Solver, end.Fidelity)
		if len(end.NonFinite) > 0 {
			r.facts = append(r.facts, Fact{Name: "not finite", Text: strings.Join(end.NonFinite, ", ")})
		}
		for _, name := range keys(end.Numbers) {
			r.facts = append(r.facts, Fact{Name: name, Text: value(end.Numbers[name])})
		}
	case !errors.Is(err, fs.ErrNotExist):
		r.problem = err.Error()
	}
	if r.cached {
		return
	}
	if record, err := record.Read(folder); err == nil { // else its request says so
		s.machines[record.Process.Maker.String()]++
	}
	known := false
	err := watch.Accounts([]string{folder}, s.options.Options, func(a *watch.Account) {
		if known { // a second case in the run's folder
			return
		}
		known = true
		r.take(a)
	})
	var nothing *watch.UnknownError
	if err != nil && !errors.As(err, &nothing) && !errors.Is(err, fs.ErrNotExist) {
		r.problem = err.Error()
	}
	s.readEvents(r, folder, !known)
}

// identify notes which solver made a run.
func (s *study) identify(r *subject, solver, fidelity string) {
	id := solver
	if fidelity != "" {
		id += ": " + fidelity
	}
	if id != "" && !r.cached {
		s.ids[id]++
	}
}

// readEvents reads a run's events: its warnings and, if nothing else is known of it, all.
func (s *study) readEvents(r *subject, folder string, all bool) {
	events, err := event.Read(filepath.Join(folder, event.LogName))
	var damaged *event.DamagedError
	switch {
	case errors.As(err, &damaged):
		s.problem("%s has %s that no event can be read from, the first at line %d", damaged.Path,
			counted(len(damaged.Lines), "line"), damaged.Lines[0])
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.problem = err.Error()
	}
	if !all || len(events) == 0 {
		for i := range events {
			if e := &events[i]; e.Kind == event.Warning && e.Source != event.File {
				r.notes = append(r.notes, history.Note{Kind: e.Kind, Text: e.Text, Count: 1})
			}
		}
		return
	}
	r.folder = folder
	r.recount(events, s.options)
}

// recount judges a run by its events. Where the solver reports by itself, its files repeat that.
func (r *subject) recount(events []event.Event, o Options) {
	reports := event.File
	for i := range events {
		if events[i].Kind == event.Iteration && events[i].Source == event.Plugin {
			reports = event.Plugin
			break
		}
	}
	m, sum := state.New(o.Options.Options), history.NewSummary()
	for i := range events {
		e := &events[i]
		numbers := e.Kind == event.Iteration || e.Kind == event.Profile
		if e.Source == event.Host || numbers && e.Source != reports {
			continue
		}
		sum.Event(e)
		if m.Event(*e) {
			j := m.Judgement()
			r.changes = append(r.changes, watch.Change{At: j.Iteration, State: j.State, Reasons: j.Reasons})
		}
	}
	r.judgement = m.Judgement()
	if !r.going {
		ending := r.ending(m)
		r.judgement = m.Final(ending)
	}
	r.curves, r.profiles = sum.Curves(), sum.Profiles()
	r.notes, r.more = sum.Notes()
}

// ending is what a host's word says of a run's end. What the solver itself says of it is an event, as a file has it.
func (r *subject) ending(m *state.Machine) (e state.Ending) {
	said := func(name string) {
		m.Event(event.Event{Kind: event.Status, Name: name, Text: r.message, Time: r.began})
	}
	switch r.class {
	case event.Converged:
		said(state.SaidConverged)
	case event.NotConverged:
		said(state.SaidLimit)
	case event.Diverged, event.Stalled:
		said(state.SaidDiverged)
	case event.Hung:
		e.Hung = true
	default:
		e.Known, e.Status = true, 1
	}
	return e
}
