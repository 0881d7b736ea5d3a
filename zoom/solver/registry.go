package solver

// Solvers by the name that an engine file gives: the built-in ones and the user's own.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// Registry knows how to start and describe solvers. It may be used by several goroutines.
type Registry struct {
	serve     func(name string) ([]string, error)
	own       []config.SolverProgram
	launchers launch.Registry
	launcher  string

	mu    sync.Mutex
	known map[string]plugin.Description // of the user's own, once they have said it
}

// NewRegistry returns the built-in solvers, which a command of serve serves, and the user's
// own. The launcher of that name starts a solver that is to describe itself.
func NewRegistry(serve func(name string) ([]string, error), own []config.SolverProgram, launchers launch.Registry, launcher string) *Registry {
	return &Registry{serve: serve, own: own, launchers: launchers, launcher: launcher, known: map[string]plugin.Description{}}
}

// Names are the names in alphabetical order.
func (r *Registry) Names() []string {
	all := Names()
	for _, p := range r.own {
		all = append(all, p.Name)
	}
	slices.Sort(all)
	return all
}

// Doc is what the user's file says of a solver of the user's own.
func (r *Registry) Doc(name string) string {
	if p := r.find(name); p != nil {
		return p.Doc
	}
	return ""
}

func (r *Registry) find(name string) *config.SolverProgram {
	i := slices.IndexFunc(r.own, func(p config.SolverProgram) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &r.own[i]
}

// UnknownError says that there is no solver of a name.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no solver %q%s", e.Name, spell.Hint(e.Name, e.Known))
}

// Program is how the solver of that name is started. The error is an UnknownError, or that
// of finding this program's own file.
func (r *Registry) Program(name string) (launch.Program, error) {
	if p := r.find(name); p != nil {
		return launch.Program{Command: p.Command, Environment: p.Environment, Version: p.Version}, nil
	}
	b := find(name)
	if b == nil {
		return launch.Program{}, &UnknownError{name, r.Names()}
	}
	command, err := r.serve(name)
	return launch.Program{Command: command, Code: b.code()}, err
}

// describeTime bounds how long a solver of the user's own may take to come up and say what it is.
const describeTime = 30 * time.Second

// Describe returns what the solver of that name says of itself. One of the user's own is
// started for that, once; if it cannot be, the error names its place in the user's file.
func (r *Registry) Describe(ctx context.Context, name string) (plugin.Description, error) {
	if s := Builtin(name); s != nil {
		return s.Describe(), nil
	}
	p := r.find(name)
	if p == nil {
		return plugin.Description{}, &UnknownError{name, r.Names()}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d, ok := r.known[name]; ok {
		return d, nil
	}
	d, err := r.interview(ctx, p)
	if err != nil {
		return d, p.SolverError(err)
	}
	r.known[name] = d
	return d, nil
}

// interview starts a solver in a temporary folder and lets it describe itself.
func (r *Registry) interview(ctx context.Context, p *config.SolverProgram) (d plugin.Description, err error) {
	study, err := os.MkdirTemp("", "describe-")
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(study)) }()
	host, err := run.NewHost(study, r.launchers, r.launcher)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	folder := filepath.Join(study, p.Name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return d, err
	}
	program := launch.Program{Command: p.Command, Environment: p.Environment}
	solver, err := host.Start(ctx, program, folder, plugin.Terms{}, describeTime)
	if solver != nil {
		defer solver.Stop(time.Second)
		d = solver.Description
	}
	return d, err
}
