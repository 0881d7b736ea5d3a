// Package external makes a flow solver of any program, by a description in YAML: its input files, the commands that run
// it, and the files with its answers.
//
// A described solver is a plugin like any other. The hidden verb serve serves the type Solver in the process that a
// launcher starts, so that host, run folder, lease, watchdog, policy and cache are those of all plugins. A run writes
// the program's input from templates, runs the steps one after the other, and reads the outputs.
//
// # Commands
//
// A command is a list of words and never passes through a shell. It runs in the run folder, with the few variables of
// every solver and those of `env`. It is a member of its plugin's process group, not of its own. So a signal to that
// group, the host's last resort, ends the command with all its child processes, even if the plugin has died before and
// control groups are unavailable. When a run is stopped, a step first gets SIGTERM; then all its processes are killed.
//
// # Values
//
// Within a description all numbers are SI, speeds rpm, as in the plugin protocol. Other units of a program are stated
// at the value: in templates, `{{ inlet_Pt[0] }}` and `{{ N in rad/s }}`, and at outputs.
package external

// A described program as a plugin's solver.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Solver runs a described program. It implements plugin.Solver.
type Solver struct {
	description *Description

	mu    sync.Mutex
	going *running // nil: no run is active
}

var _ plugin.Solver = (*Solver)(nil)

// New returns the solver of a description.
func New(d *Description) *Solver { return &Solver{description: d} }

// Describe implements plugin.Solver.
func (s *Solver) Describe() plugin.Description { return s.description.Plugin() }

// Run implements plugin.Solver: it makes the files of the run, runs the steps, and reads the outputs.
func (s *Solver) Run(ctx context.Context, req plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	d := s.description
	folder, err := openFolder(req.Folder)
	if err != nil {
		return plugin.Result{}, err
	}
	defer folder.close()
	r := &running{d: d, folder: folder, env: newEnvironment(req), emit: emit}
	defer r.closeLogs()
	if err := r.prepare(req.Texts[plugin.InNeighbour]); err != nil {
		return plugin.Result{}, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r.registry, r.end = req.Steer, func() { end(plugin.ErrStopped) }
	s.goes(r)
	failed, err := r.steps(ctx)
	if r.pilot != nil {
		r.pilot.leave()
	}
	s.goes(nil)
	if err != nil {
		return plugin.Result{}, err
	}
	res := d.judge(r.answers(), r.env, failed)
	if res.Class != event.Converged {
		return res, nil
	}
	if len(d.solution) > 0 {
		if err := folder.keep(d.solution); err != nil {
			return plugin.Result{Class: event.BadOutput, Message: err.Error()}, nil
		}
	}
	return res, r.clean()
}

// goes sets the active run.
func (s *Solver) goes(r *running) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.going = r
}

// running is an active run.
type running struct {
	mu        sync.Mutex // of env, and of the files with values, while the steps run
	d         *Description
	folder    *runFolder
	env       environment
	emit      func(event.Event)
	begun     time.Time       // by the clock of the file system
	restarted bool            // from an earlier solution
	dated     map[string]bool // names of files that are older than the run, from its beginning on
	printed   []*printout     // of the steps that were run

	registry *steer.Registry // nil: no steering
	pilot    *pilot          // nil: the step that is steered has not begun
	end      func()          // ends the run for having been stopped
}

// closeLogs closes the logs of the steps; they were written before.
func (r *running) closeLogs() {
	for _, p := range r.printed {
		_ = p.recorder.Close()
	}
}

// prepare makes all files that exist before the first step. It dates files with the names of outputs before the run:
// they count once the program has written them.
func (r *running) prepare(neighbour string) error {
	if err := r.follow(); err != nil {
		return err
	}
	if err := r.folder.write(begun, nil, 0o644); err != nil {
		return err
	}
	info, err := r.folder.root.Stat(begun)
	if err != nil {
		return err
	}
	r.begun, r.dated = info.ModTime(), map[string]bool{}
	for i := range r.d.files {
		if err := r.d.files[i].place(r.folder, r.env); err != nil {
			return err
		}
	}
	if neighbour != "" {
		if err := r.folder.unpack(neighbour); err != nil {
			return err
		}
		r.restarted = true
	}
	before := r.begun.Add(-time.Second)
	for _, pattern := range r.d.read() {
		names, _ := r.folder.find(pattern)
		for _, name := range names {
			if err := r.folder.root.Chtimes(name, before, before); err != nil {
				return err
			}
			r.dated[name] = true
		}
	}
	return nil
}

// follow works out the values that follow from inputs and settings.
func (r *running) follow() error {
	for _, v := range r.d.values {
		x, err := r.env.value(v.is)
		if err != nil {
			return err
		}
		r.env[v.name] = x
	}
	return nil
}

// read returns the patterns of the files with the signs of a run's end and with its outputs.
func (d *Description) read() (patterns []string) {
	seen := map[string]bool{"": true}
	add := func(pattern string) {
		if !seen[pattern] {
			seen[pattern] = true
			patterns = append(patterns, pattern)
		}
	}
	for _, o := range d.sources() {
		add(o.file)
	}
	for _, s := range append(append([]sign{}, d.success...), d.failure...) {
		add(s.file)
	}
	return patterns
}

// sources returns all values that are read from files.
func (d *Description) sources() (list []*output) {
	for i := range d.outputs {
		list = append(list, &d.outputs[i])
	}
	for _, p := range d.planes {
		list = append(list, p.sources()...)
	}
	return list
}

func (r *running) answers() *answers {
	return &answers{folder: r.folder, begun: r.begun, dated: r.dated, printed: r.printed,
		texts: map[string][]byte{}, tables: map[string]*table{}, fields: map[*plane]*field{}}
}

// steps runs the commands until a command fails whose files show no answer.
func (r *running) steps(ctx context.Context) (*failedStep, error) {
	for i := range r.d.steps {
		s := &r.d.steps[i]
		if s.when == whenCold && r.restarted || s.when == whenRestart && !r.restarted {
			continue
		}
		failed, err := r.step(ctx, s)
		if err != nil {
			return nil, err
		}
		bad, _, _ := r.answers().found(r.d.failure)
		switch {
		case bad != nil:
			return failed, nil
		case failed == nil:
			continue
		case failed.class != event.Crashed:
			return failed, nil
		}
		if good, _, _ := r.answers().found(r.d.success); good == nil {
			return failed, nil
		}
	}
	return nil, nil
}

// step runs a step.
func (r *running) step(ctx context.Context, s *step) (*failedStep, error) {
	if h := r.d.helm; h != nil && r.registry != nil && r.pilot == nil {
		if h.step == s.name {
			return r.steered(ctx, s)
		}
		defer r.stoppable(ctx)()
	}
	words, err := r.words(s)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, s, words, nil)
}

// steered runs the step that is steered.
func (r *running) steered(ctx context.Context, s *step) (*failedStep, error) {
	p := newPilot(r, s.log, r.registry, r.end)
	r.pilot = p
	if !p.ready(ctx) {
		return &failedStep{event.Killed, plugin.ErrStopped.Error() + " before step " + s.name}, nil
	}
	words, err := r.words(s)
	if err != nil {
		return nil, err
	}
	failed, err := r.run(ctx, s, words, func(program *process.Running) { p.began(ctx, program) })
	if p.ended() && err == nil && (failed == nil || failed.class == event.Crashed) {
		failed = &failedStep{event.Killed, fmt.Sprintf("%v; step %s ended by itself", plugin.ErrStopped, s.name)}
	}
	return failed, err
}

// run runs a step into its log.
func (r *running) run(ctx context.Context, s *step, words []string, began func(*process.Running)) (*failedStep, error) {
	log, err := r.folder.root.OpenFile(s.log, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	var signs []*sign
	for _, list := range [][]sign{r.d.failure, r.d.success} {
		for i := range list {
			signs = append(signs, &list[i])
		}
	}
	p := newPrintout(s.log, log, signs, r.d.sources())
	r.printed = append(r.printed, p)
	return s.run(ctx, r.d, r.folder, p, words, r.emit, began)
}

// words returns the words of a step's command.
func (r *running) words(s *step) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	words := []string{s.program}
	for _, t := range s.command[1:] {
		w, err := t.render(r.env)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", s.name, err)
		}
		words = append(words, w)
	}
	return words, nil
}

// clean removes the files that a good run is not to leave.
func (r *running) clean() error {
	for _, pattern := range r.d.clean {
		found, _ := filepath.Glob(filepath.Join(escaped(r.folder.path), pattern))
		for _, path := range found {
			name, err := filepath.Rel(r.folder.path, path)
			if err != nil || pathFault(name) != "" { // the host's files stay
				continue
			}
			if err := r.folder.root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Changes during a run: numbers in the program's files. A file with a changed number is replaced atomically, so that
// the program reads the old text or the new text. The program decides whether and when it reads the file again.

var _ plugin.Controller = (*Solver)(nil)

// SetControl implements plugin.Controller: it sets one of the description's controls in the active run.
func (s *Solver) SetControl(name string, value float64) error {
	s.mu.Lock()
	r := s.going
	s.mu.Unlock()
	if r == nil {
		return plugin.ErrNotRunning
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.set(name, value)
}

// set changes a number in the existing files and for later steps. The caller has the lock.
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
		_, _ = r.texts() // also restores the values that follow from it
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

// texts returns the present texts of the files with values; empty for a copied file. It computes the values that follow
// from inputs and settings.
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
