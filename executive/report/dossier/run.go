package dossier

// A run of a dossier: the facts from its host, its answer and its files.

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Run holds the known facts about a run.
type Run struct {
	view.Run
	Files   []string `json:"files,omitempty"`   // as they are seen from its folder; of a dossier of files
	Problem string   `json:"problem,omitempty"` // of reading it

	// of its answer
	Message   string               `json:"message,omitempty"`
	NonFinite []string             `json:"non_finite,omitempty"`
	Numbers   map[string]float64   `json:"numbers,omitempty"`
	Arrays    map[string][]float64 `json:"arrays,omitempty"`

	// judgement of its files, or of its events if its files are not recognized
	Judgement state.Judgement   `json:"judgement"`
	FirstSign float64           `json:"first_sign,omitempty"` // of a final judgement: iteration of the first sign of it
	Changes   []watch.Change    `json:"changes,omitempty"`
	Curves    []history.Curve   `json:"curves,omitempty"`
	Profiles  []history.Profile `json:"profiles,omitempty"`
	Notes     []history.Note    `json:"notes,omitempty"`
	More      int               `json:"more,omitempty"` // number of omitted notes
}

// Denied reports whether the host reported a failure of the run, whatever its files show.
func (r *Run) Denied() bool { return r.Class != "" && !r.Answers() }

// HasCurves reports whether the run has curves or arrays to draw.
func (r *Run) HasCurves() bool { return r.Curves != nil || r.Arrays != nil }

func (r *Run) running() bool { return r.Phase == view.Running }

func (r *Run) judge(j state.Judgement) { r.Judgement, r.FirstSign = j, j.FirstSign }

// take stores the contents of an account.
func (r *Run) take(a *watch.Account) {
	r.judge(a.Final)
	if r.running() {
		r.judge(a.Present)
	}
	r.Changes = a.Changes
	r.keep(a.Summary)
	r.Folder = a.Folder
	if a.Err != nil {
		r.Problem = a.Err.Error()
	}
}

func (r *Run) keep(s *history.Summary) {
	r.Curves, r.Profiles = s.Curves(), s.Profiles()
	r.Notes, r.More = s.Notes()
}

// look reads the folder of a run: its answer, its files and, if the files are not recognized, its events.
func (d *Dossier) look(study string, r *Run, own reports, o watch.Options) {
	folder := filepath.Join(study, r.Name)
	if !filepath.IsLocal(r.Name) || strings.ContainsAny(r.Name, `/\`) {
		r.Problem = "the log names a folder outside the study"
		return
	}
	var end plugin.Ending
	switch err := plugin.ReadFile(folder, plugin.ResultFile, &end); {
	case err == nil:
		r.Message, r.Arrays, r.Numbers, r.NonFinite = end.Message, end.Arrays, end.Numbers, end.NonFinite
		if r.Class == event.Lost {
			r.Class = end.Class
		}
		d.identify(r, end.Solver, end.Fidelity)
	case !errors.Is(err, fs.ErrNotExist):
		r.Problem = err.Error()
	}
	if r.Cached {
		return
	}
	if record, err := record.Brief(folder); err == nil { // otherwise its request names it
		d.Machines[record.Process.Maker.String()]++
	}
	known := false
	err := watch.Accounts([]string{folder}, o, func(a *watch.Account) {
		if known && a.Name != folder { // a mesher's log, or a second case in the run's folder
			return
		}
		known = true
		r.take(a)
	})
	var nothing *watch.UnknownError
	if err != nil && !errors.As(err, &nothing) && !errors.Is(err, fs.ErrNotExist) {
		r.Problem = err.Error()
	}
	if !known {
		r.recount(folder, own.itself, o.Options)
	} else {
		r.Notes = append(r.Notes, own.warnings...)
	}
}

// reports holds what the events of the last attempt of a run add to its files.
type reports struct {
	itself   bool           // its plugin reports its iterations
	warnings []history.Note // but not of its files
}

// with takes an event of the run.
func (r reports) with(e *event.Event) reports {
	if e.Kind == event.Started && e.Source == event.Host {
		r = reports{}
	}
	if e.Kind == event.Warning && e.Source != event.File {
		r.warnings = append(r.warnings, history.Note{Kind: e.Kind, Text: e.Text, Count: 1})
	}
	r.itself = r.itself || e.Kind == event.Iteration && e.Source == event.Plugin
	return r
}

// identify sets the solver of a run.
func (d *Dossier) identify(r *Run, solver, fidelity string) {
	id := solver
	if fidelity != "" {
		id += ": " + fidelity
	}
	if id != "" && !r.Cached {
		d.Solvers[id]++
	}
}

// recount judges a run by its events, if it has any. Where the solver reports by itself, its files repeat that.
func (r *Run) recount(folder string, itself bool, o state.Options) {
	m, sum, n := state.New(o), history.NewSummary(), 0
	err := event.Each(filepath.Join(folder, event.LogName), func(e event.Event) {
		n++
		numbers := e.Kind == event.Iteration || e.Kind == event.Profile
		if e.Source == event.Host || numbers && (e.Source == event.Plugin) != itself {
			return
		}
		sum.Event(&e)
		if m.Event(e) {
			j := m.Judgement()
			r.Changes = append(r.Changes, watch.Change{At: j.Iteration, State: j.State, Reasons: j.Reasons})
		}
	})
	if err != nil && !errors.As(err, new(*event.DamagedError)) && !errors.Is(err, fs.ErrNotExist) {
		r.Problem = err.Error()
	}
	if n == 0 {
		return
	}
	r.Folder = folder
	r.judge(m.Judgement())
	if !r.running() {
		r.judge(m.Final(r.ending(m)))
	}
	r.keep(sum)
}

// ending returns the end of a run as its host reported it. A report of the solver itself is an event, as in a file.
func (r *Run) ending(m *state.Machine) (e state.Ending) {
	said := func(name string) {
		m.Event(event.Event{Kind: event.Status, Name: name, Text: r.Message, Time: r.Began})
	}
	switch r.Class {
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
