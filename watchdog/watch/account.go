package watch

// Data of finished runs for reports besides their judgement: curves, profiles, messages.

import (
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Account is the data in the files of a run.
type Account struct {
	Name    string // of the run
	Folder  string
	Files   []string
	Formats []string        // names of the formats of its files, each once
	Final   state.Judgement // as Once judges it at the end
	Present state.Judgement // as Follow judges a running run
	Changes []Change        // of its state
	Values  map[string]float64
	Summary *history.Summary
	Err     error // of reading it; earlier data count
}

// Change is a change of a run's state.
type Change struct {
	At      float64 // iteration, or time
	State   state.State
	Reasons []string
}

// Accounts reads files as Once does, and calls each with the account of each run, one after the other. A run that
// cannot be read to its end does not prevent the reading of the others.
func Accounts(paths []string, o Options, each func(*Account)) error {
	runs, err := group(paths, o)
	if err != nil {
		return err
	}
	for _, r := range runs {
		each(r.recount(o))
	}
	return nil
}

// recount judges a run and keeps its account.
func (r *run) recount(o Options) *Account {
	a := &Account{Name: r.name, Folder: r.folder, Summary: history.NewSummary()}
	for _, s := range r.sources {
		s.note = a.Summary.Note
		a.Files = append(a.Files, s.path)
		if s.preset != nil && (len(a.Formats) == 0 || a.Formats[len(a.Formats)-1] != s.preset.Name) {
			a.Formats = append(a.Formats, s.preset.Name)
		}
	}
	r.collect = a.take
	a.Err = r.judge(o, clock.Or(o.Clock).Now, func(l Line) {
		if !l.Final && l.File == a.Files[0] {
			a.Changes = append(a.Changes, Change{l.Iteration, l.State, l.Reasons})
		}
	})
	a.Present, a.Final = r.machine.Judgement(), r.machine.Final(r.ending(o.Ending))
	a.Values = r.machine.Values()
	r.collect, r.machine = nil, nil
	return a
}

// take puts a sample into the run's account.
func (a *Account) take(file string, p *history.Parser, s *history.Sample) {
	if s.Kind != event.Iteration && s.Kind != event.Profile {
		return
	}
	at, known := s.At()
	at = a.Summary.Place(file, at, known)
	names := p.Names()
	for _, n := range s.Numbers {
		a.Summary.Value(names[n.Name], at, n.Value)
	}
	for _, n := range s.NonFinite {
		a.Summary.NotFinite(names[n], at)
	}
	for name, values := range s.Arrays {
		a.Summary.Array(name, at, values)
	}
}
