package launch

// Launchers by name. The setting `launcher` and the record of a run name them.

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Registry holds the functions that make launchers, by name. Their argument is the study's folder, where a launcher may
// keep files for its tasks; it may be empty if the launcher only recovers tasks.
type Registry map[string]func(study string) Launcher

// Any is the name under which a registry may have the launcher for all unknown names, for tasks whose handles are
// sufficient.
const Any = ""

// Names returns the names in alphabetical order.
func (r Registry) Names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r)), func(name string) bool { return name == Any })
}

// Open makes the launcher with the name.
func (r Registry) Open(name, study string) (Launcher, error) {
	for _, known := range []string{name, Any} {
		if open := r[known]; open != nil {
			return open(study), nil
		}
	}
	return nil, fmt.Errorf("launcher %q is unknown%s", name, spell.Hint(name, r.Names()))
}

// Attach connects to a task by the name of its launcher and its handle; see Launcher.
func (r Registry) Attach(ctx context.Context, name string, h Handle) (Task, error) {
	l, err := r.Open(name, "")
	if err != nil {
		return nil, err
	}
	task, err := l.Attach(ctx, h)
	if cerr := l.Close(); err == nil {
		err = cerr
	}
	return task, err
}
