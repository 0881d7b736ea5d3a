package external

// What may be changed while a program runs: numbers that stand in its files. A file in which a number changes is
// written anew in one step, so that the program reads the old text or the new one. Whether it reads the file again,
// and when, is up to the program.

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

var _ plugin.Controller = (*Solver)(nil)

// Control implements plugin.Controller: it sets one of the description's controls in the run that goes on.
func (s *Solver) Control(_ context.Context, c plugin.Command) error {
	s.mu.Lock()
	r := s.going
	s.mu.Unlock()
	if r == nil {
		return plugin.ErrNotRunning
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.set(c.Name, c.Value)
}

// set gives a number another value, for the files that are there and the steps that are yet to come. The caller has
// the lock.
func (r *running) set(name string, x float64) error {
	was, err := r.texts()
	if err != nil {
		return err
	}
	before := r.env[name]
	r.env[name] = x
	now, err := r.texts()
	if err != nil {
		r.env[name] = before
		_, _ = r.texts() // the values that follow from it, too
		return err
	}
	var written []string
	for i := range now {
		if now[i] != was[i] {
			to := r.d.files[i].to
			if err := r.folder.replace(to, []byte(now[i])); err != nil {
				return err
			}
			written = append(written, to)
		}
	}
	text := fmt.Sprintf("%s is %s, was %v", name, numeric.Text(x), before)
	if written != nil {
		text += ": " + spell.List(written, "and") + " written anew"
	}
	r.emit(event.Event{Kind: event.Message, Text: text})
	return nil
}

// texts are those of the files with values, as they are to be now; empty where a file is a copy. It works out the
// values that follow from inputs and settings.
func (r *running) texts() ([]string, error) {
	if err := r.follow(); err != nil {
		return nil, err
	}
	all := make([]string, len(r.d.files))
	for i := range r.d.files {
		p := &r.d.files[i]
		if p.copied != "" {
			continue
		}
		text, err := p.content(r.env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.to, err)
		}
		all[i] = text
	}
	return all, nil
}
