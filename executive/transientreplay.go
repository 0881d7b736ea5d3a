package executive

// The replay of a steered transient. A file of the study's folder records the commands to it and its result.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// SteeredTransient is the record of a steered transient: the input of a replay, and the result.
type SteeredTransient struct {
	Case    string          `json:"case"`
	File    string          `json:"file"` // of the engine
	Digest  string          `json:"digest"`
	Sets    []string        `json:"sets,omitempty"`
	Act     bool            `json:"act,omitempty"`     // the rules took their actions
	Resumed bool            `json:"resumed,omitempty"` // it went on from a checkpoint
	Zooms   []string        `json:"zooms,omitempty"`   // the cases on whose maps it was made; empty: no zoom
	Acts    []event.Receipt `json:"acts"`
	Came    outcome         `json:"came"`
}

// outcome is the part of a transient's result that a replay compares.
type outcome struct {
	History     json.RawMessage `json:"history"`
	Stations    json.RawMessage `json:"stations"`
	Components  json.RawMessage `json:"components"`
	Shafts      json.RawMessage `json:"shafts"`
	Performance json.RawMessage `json:"performance"`
}

func outcomeOf(r *result.Result) (o outcome, err error) {
	for at, v := range map[*json.RawMessage]any{&o.History: r.History, &o.Stations: r.Stations,
		&o.Components: r.Components, &o.Shafts: r.Shafts, &o.Performance: r.Performance} {
		data, failed := json.Marshal(v)
		*at, err = data, errors.Join(err, failed)
	}
	return o, err
}

func transientFile(name string) string { return study.TransientPrefix + name + ".json" }

// transientLimit is the size limit of the file.
var transientLimit = intake.Limit{What: "the record of a steered transient", Bytes: 1 << 30}

// ReadSteeredTransient reads the record of a case of a study; it is fs.ErrNotExist where its transient was not
// steered, or did not end.
func (s *Studies) ReadSteeredTransient(study, name string) (t SteeredTransient, err error) {
	path := filepath.Join(s.Settings.Work, study, transientFile(name))
	data, err := folder.ReadFile(path, transientLimit)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// keepTransients writes the records of the steered transients among the results.
func (s *Studies) keepTransients(cfg *config.Engine, names []string, zoomed bool, opt *Options,
	results []*result.Result) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.steering == nil {
		return nil
	}
	var errs []error
	for _, r := range results {
		if r.History == nil {
			continue
		}
		path, acts := filepath.Join(s.folder, transientFile(r.Name)), s.steering.done(r.Name)
		if len(acts) == 0 { // the record of an earlier transient does not apply to this one
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
			continue
		}
		t := SteeredTransient{Case: r.Name, Digest: cfg.Digest, Sets: cfg.Sets, Acts: acts}
		t.Act = !slices.ContainsFunc(cfg.Rules, func(r config.Rule) bool { return !r.Act })
		t.Resumed = slices.ContainsFunc(opt.Transients.Resume,
			func(c *transient.Checkpoint) bool { return c.Case == r.Name })
		if zoomed {
			t.Zooms = names
		}
		errs = append(errs, t.write(path, cfg, r))
	}
	return errors.Join(errs...)
}

func (t *SteeredTransient) write(path string, cfg *config.Engine, r *result.Result) (err error) {
	if t.File, err = filepath.Abs(cfg.File); err != nil {
		return err
	}
	if t.Came, err = outcomeOf(r); err != nil {
		return err
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return atomic.WriteFile(path, data)
}

// ReplayTransient repeats a steered transient of a study: the same engine, and the same commands after the same steps.
// It takes its zooms' answers from the study, which is continued for that. The error gives the reason if that is
// impossible.
func (s *Studies) ReplayTransient(ctx context.Context, study string, t SteeredTransient, cfg *config.Engine,
	version string) (r pool.Replayed, err error) {
	s.defaults()
	r = pool.Replayed{Run: t.Case, Folder: filepath.Join(s.Settings.Work, study), Commands: len(t.Acts)}
	switch {
	case t.Resumed:
		return r, fmt.Errorf(
			"case %s went on from a checkpoint of an earlier command, which is not part of its record: it cannot be "+
				"made again", t.Case)
	case cfg.Digest != t.Digest:
		return r, fmt.Errorf("case %s: %s is another file than the one by which it was made; put that back to make "+
			"it again", t.Case, cfg.File)
	}
	if t.Act {
		cfg.Act()
	}
	commands, err := record.CommandsOf(t.Acts)
	if err != nil {
		return r, err
	}
	names := []string{t.Case}
	opt := Options{Workers: s.Settings.Workers}
	opt.Transients.Clock = s.Clock
	opt.Transients.Steer = func(name string) (*steer.Registry, func()) {
		if name != t.Case {
			return nil, nil
		}
		registry := steer.New(s.Clock)
		for _, c := range commands {
			registry.Submit(c, unheard)
		}
		return registry, func() {}
	}
	if len(t.Zooms) > 0 {
		names, opt.Zoomer = t.Zooms, s
		if err := s.Begin(study, cfg, version, "peregrine steer replay "+study+"/"+t.Case); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, s.End("", "")) }()
	}
	results, err := Run(ctx, cfg, names, opt)
	if err != nil {
		return r, err
	}
	i := slices.IndexFunc(results.Cases, func(c *result.Result) bool { return c.Name == t.Case })
	if i < 0 {
		return r, fmt.Errorf("case %s is not among the results: the design did not converge", t.Case)
	}
	return r, t.compare(&r, results.Cases[i])
}

// compare sets class, number of points and first difference of a replay from the recorded result.
func (t *SteeredTransient) compare(r *pool.Replayed, replayed *result.Result) error {
	if r.Class = event.NotConverged; replayed.Converged {
		r.Class = event.Converged
	}
	if replayed.History == nil {
		return fmt.Errorf("case %s is no transient", t.Case)
	}
	r.Iterations = len(replayed.History.T)
	came, err := outcomeOf(replayed)
	if err != nil {
		return err
	}
	r.Difference, err = historiesDiffer(t.Came.History, came.History)
	for _, of := range []struct {
		what string
		a, b []byte
	}{
		{"stations", t.Came.Stations, came.Stations}, {"components", t.Came.Components, came.Components},
		{"shafts", t.Came.Shafts, came.Shafts}, {"performance", t.Came.Performance, came.Performance},
	} {
		if r.Difference == "" && !bytes.Equal(of.a, of.b) {
			r.Difference = "the histories are the same, but the " + of.what + " at the end differ"
		}
	}
	return err
}

// historiesDiffer returns the place of the first difference between two histories; empty: they are identical to the
// last bit.
func historiesDiffer(a, b []byte) (string, error) {
	var x, y map[string][]*float64
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return "", err
	}
	if n, m := len(x["t"]), len(y["t"]); n != m {
		return fmt.Sprintf("the histories have %d and %d points", n, m), nil
	}
	for _, name := range slices.Sorted(maps.Keys(x)) {
		for i, v := range x[name] {
			switch w := y[name]; {
			case i >= len(w):
				return "the history has no " + name, nil
			case (v == nil) != (w[i] == nil):
				return fmt.Sprintf("%s at point %d has a value in one of them alone", name, i+1), nil
			case v != nil && *v != *w[i]:
				return fmt.Sprintf("%s at point %d is %v and %v", name, i+1, *v, *w[i]), nil
			}
		}
	}
	return "", nil
}
