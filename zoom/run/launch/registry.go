package launch

// Launchers by name, as the setting `launcher` and records of runs give it.

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Registry makes launchers by name. Each is for the study whose folder it is given, in which
// it may keep what it needs to reach its tasks; to recover tasks the folder may be
// empty.
type Registry map[string]func(study string) Launcher

// Names are the names in alphabetical order.
func (r Registry) Names() []string { return slices.Sorted(maps.Keys(r)) }

// Open makes the launcher of that name.
func (r Registry) Open(name, study string) (Launcher, error) {
	if open := r[name]; open != nil {
		return open(study), nil
	}
	return nil, fmt.Errorf("launcher %q is unknown%s", name, spell.Hint(name, r.Names()))
}

// Recover finds a task by the name of its launcher and its handle; see Launcher.
func (r Registry) Recover(ctx context.Context, name string, h Handle) (Task, error) {
	l, err := r.Open(name, "")
	if err != nil {
		return nil, err
	}
	task, err := l.Recover(ctx, h)
	if cerr := l.Close(); err == nil {
		err = cerr
	}
	return task, err
}
