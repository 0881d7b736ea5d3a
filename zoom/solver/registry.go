package solver

// Solvers by name, as engine files name them: built-in solvers, and external programs that the user's solver file or
// the engine file itself names.

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
	"github.com/peregrine-sim/peregrine/config/document"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// Registry starts and describes solvers by name. Several goroutines may use it.
type Registry struct {
	serve     Serve
	programs  []config.SolverProgram // of the user's file
	brought   []config.SolverProgram // of an engine file: only trusted ones are started
	trusted   *approve.Store
	launchers launch.Registry
	launcher  string

	mu        sync.Mutex
	described map[string]plugin.Description // descriptions of external solvers, read once
}

// Serve returns the commands that serve a solver: Builtin for a built-in solver, as long as it has this [Code],
// External for the description of a program in a file, as long as it has this digest, and these files.
type Serve struct {
	Builtin  func(name, code string) ([]string, error)
	External func(file, digest string, files []string) ([]string, error)
}

// NewRegistry returns a registry of the built-in solvers and of external programs. The launcher of that name starts
// external solvers to read their descriptions.
func NewRegistry(serve Serve, programs []config.SolverProgram, launchers launch.Registry, launcher string) *Registry {
	return &Registry{serve: serve, programs: programs, launchers: launchers, launcher: launcher,
		described: map[string]plugin.Description{}}
}

// With returns the registry for an engine file with solvers of its own, which take precedence over the solvers of the
// user's file. They start only if the store has their accounts.
func (r *Registry) With(brought []config.SolverProgram, trusted *approve.Store) *Registry {
	if len(brought) == len(r.brought) && (len(brought) == 0 || &brought[0] == &r.brought[0]) {
		return r
	}
	return &Registry{serve: r.serve, programs: r.programs, brought: brought, trusted: trusted, launchers: r.launchers,
		launcher: r.launcher, described: map[string]plugin.Description{}}
}

// Names returns the names of all solvers in alphabetical order.
func (r *Registry) Names() []string {
	all := Names()
	for _, p := range slices.Concat(r.brought, r.programs) {
		all = append(all, p.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Doc returns the text of the solver file about an external solver.
func (r *Registry) Doc(name string) string {
	if p := r.find(name); p != nil {
		return p.Doc
	}
	return ""
}

// Licence returns the licence that each run of the named solver needs; nil: none. It fails if another solver shares the
// licence with a different number.
func (r *Registry) Licence(name string) (*config.Licence, error) {
	p := r.find(name)
	if p == nil || p.Licence == nil {
		return nil, nil
	}
	mine := p.Licence
	for _, q := range slices.Concat(r.brought, r.programs) {
		l := q.Licence
		if l == nil || l.Name != mine.Name || l.Folder != mine.Folder {
			continue
		}
		if l.Of != mine.Of || !slices.Equal(l.Free, mine.Free) {
			return nil, p.SolverError(
				fmt.Errorf("licence %s: %s, and of solver %s at %s:%v: %s; let both say the same", mine.Name,
					count(mine), q.Name, q.File, l.Pos, count(l)))
		}
	}
	return mine, nil
}

// count describes the number of a licence in words.
func count(l *config.Licence) string {
	text := "as many as its command says"
	if l.Of > 0 {
		text = fmt.Sprintf("of: %d", l.Of)
	}
	if l.Free != nil {
		text += fmt.Sprintf(", free: %q", l.Free)
	}
	return text
}

func (r *Registry) find(name string) *config.SolverProgram {
	for _, list := range [][]config.SolverProgram{r.brought, r.programs} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

// UnknownError reports a name that no solver has.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no solver %q%s", e.Name, spell.Hint(e.Name, e.Known))
}

// Program returns the program of the named solver. The error is an UnknownError, or that of serve, or an
// UntrustedError. For a described program it reads the program's files and runs the commands that print its version.
func (r *Registry) Program(ctx context.Context, name string) (launch.Program, error) {
	if err := r.Trusted(name); err != nil {
		return launch.Program{}, err
	}
	if d, err := r.Described(name); d != nil || err != nil {
		return r.externalProgram(ctx, d, err)
	}
	if p := r.find(name); p != nil {
		return launch.Program{Command: p.Command, Environment: p.Environment, Version: p.Version}, nil
	}
	b := findBuiltin(name)
	if b == nil {
		return launch.Program{}, &UnknownError{name, r.Names()}
	}
	command, err := r.serve.Builtin(name, b.code())
	return launch.Program{Command: command, Code: b.code()}, err
}

// externalProgram returns the program that serves a described program.
func (r *Registry) externalProgram(ctx context.Context, d *external.Description, err error) (launch.Program, error) {
	if err != nil {
		return launch.Program{}, err
	}
	code, watch, err := d.Identity(ctx)
	if err != nil {
		return launch.Program{}, err
	}
	digest, err := d.Digest()
	if err != nil {
		return launch.Program{}, err
	}
	command, err := r.serve.External(d.File, digest, d.Files())
	return launch.Program{Command: command, Code: code, Watch: watch}, err
}

// Described returns the description of a program in the file that a solver's entry names; nil: the solver has none.
func (r *Registry) Described(name string) (*external.Description, error) {
	p := r.find(name)
	if p == nil || p.External == "" {
		return nil, nil
	}
	d, err := external.Load(p.External)
	if err != nil {
		return nil, located(p, err)
	}
	return d, nil
}

// Describe is DescribeWithin the default time.
func (r *Registry) Describe(ctx context.Context, name string) (plugin.Description, error) {
	return r.DescribeWithin(ctx, name, 0)
}

// DescribeWithin returns the description of the named solver. An external solver is started once for that, and must
// answer in a time, 0: in the default of [attempt.Limits]. If it fails, the error names its place in the solver file.
func (r *Registry) DescribeWithin(ctx context.Context, name string, within time.Duration) (plugin.Description, error) {
	if s := Builtin(name); s != nil {
		return s.Describe(), nil
	}
	p := r.find(name)
	if p == nil {
		return plugin.Description{}, &UnknownError{name, r.Names()}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d, ok := r.described[name]; ok {
		return d, nil
	}
	if p.External != "" {
		d, err := r.Described(name)
		if err != nil {
			return plugin.Description{}, err
		}
		r.described[name] = d.Plugin()
		return r.described[name], nil
	}
	if err := r.Trusted(name); err != nil {
		return plugin.Description{}, err
	}
	d, err := r.startAndDescribe(ctx, p, within)
	var start *attempt.StartError
	if errors.As(err, &start) && start.ContextErr == nil { // it died: possibly killed by a user
		d, err = r.startAndDescribe(ctx, p, within)
	}
	if err != nil {
		return d, p.SolverError(err)
	}
	r.described[name] = d
	return d, nil
}

// located adds a place to an error of a description, unless its parts have places.
func located(p *config.SolverProgram, err error) error {
	var within *document.Errors
	if errors.As(err, &within) {
		return err
	}
	return p.SolverError(err)
}

// startAndDescribe starts a solver in a temporary folder and reads its description.
func (r *Registry) startAndDescribe(ctx context.Context, p *config.SolverProgram,
	within time.Duration) (d plugin.Description, err error) {
	study, err := private.Temporary("describe")
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(study)) }()
	host, err := attempt.NewHost(study, r.launchers, r.launcher)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	folder := filepath.Join(study, p.Name)
	if err := private.Make(folder); err != nil {
		return d, err
	}
	program := launch.Program{Command: p.Command, Environment: p.Environment}
	solver, err := host.Start(ctx, program, folder, plugin.Terms{}, attempt.Limits{Start: within})
	if solver != nil {
		defer solver.Stop(time.Second)
		d = solver.Description
	}
	return d, err
}
