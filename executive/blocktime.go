package executive

// Whether the blocks of a launcher have time for the runs of a zoom, as far as earlier runs show how long these take.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// Describer returns the description of a solver by its name, as [solver.Registry.Describe] does.
type Describer func(ctx context.Context, solver string) (plugin.Description, error)

// CheckBlocks returns an error for each zoom whose launcher gives blocks less time than the shortest of its earlier
// runs has taken. A run that continues from checkpoints may take several blocks. From is the index of the runs.
func CheckBlocks(ctx context.Context, cfg *config.Engine, s settings.Settings, describe Describer,
	from index.Source) error {
	if s.Hosts == "" {
		return nil
	}
	list, err := hosts.Load(s.Hosts)
	if err != nil {
		return err
	}
	var errs []error
	for i := range cfg.Zooms {
		z := &cfg.Zooms[i]
		name := s.LauncherOf(z)
		at := slices.IndexFunc(list, func(l hosts.Launcher) bool { return l.Name == name && l.Time > 0 })
		if at >= 0 {
			errs = append(errs, checkBlock(ctx, z, &list[at], describe, from))
		}
	}
	return errors.Join(errs...)
}

// checkBlock is CheckBlocks for a zoom.
func checkBlock(ctx context.Context, z *config.Zoom, l *hosts.Launcher, describe Describer, from index.Source) error {
	d, err := describe(ctx, z.Solver)
	if err != nil || d.TakesRestart() { // CheckZooms has the error
		return nil
	}
	took, err := shortest(ctx, z.Component, d.Name, from)
	if err != nil || took <= l.Time-provider.Warning(l.Time) {
		return err
	}
	return fmt.Errorf("%s:%v: launchers.%s.time: %v cannot hold a run of %s: with %s the shortest one took %v, and it "+
		"cannot go on from a checkpoint; give blocks more time", l.File, l.Pos, l.Name, l.Time, z.Component, d.Name,
		took.Round(time.Second))
}

// shortest returns the time of the shortest run with an answer of a component by a solver; 0: none is known.
func shortest(ctx context.Context, component, solver string, from index.Source) (time.Duration, error) {
	x, err := index.Open(ctx, from)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	where, err := x.Fields().Condition(fmt.Sprintf("class == %q && component == %q && solver == %q", "converged",
		component, solver))
	if err != nil {
		return 0, err
	}
	wall, err := x.Fields().Choose([]string{"wall"})
	if err != nil {
		return 0, err
	}
	rows, err := x.Find(ctx, index.Query{Where: where, Fields: wall, Sort: []index.Sorting{{Field: wall[0]}}, Limit: 1})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	seconds, _ := rows[0][0].(float64)
	return time.Duration(seconds * float64(time.Second)), nil
}
