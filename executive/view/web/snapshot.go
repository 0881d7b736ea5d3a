package web

// The state of a study as one text: what a page in a file is made of.

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// Unit converts SI values (rpm for speeds) for people: value * per - zero.
type Unit struct {
	Name string  `json:"name"`
	Per  float64 `json:"per"`
	Zero float64 `json:"zero,omitempty"`
}

// unitsOf returns the units of a system, by dimension.
func unitsOf(sys unit.System) map[unit.Dimension]Unit {
	list := map[unit.Dimension]Unit{}
	for _, dim := range unit.Dimensions() {
		u := sys.Of(dim)
		zero := u.FromSI(0)
		list[dim] = Unit{Name: u.Name(), Per: u.FromSI(1) - zero, Zero: -zero}
	}
	return list
}

// Read returns a feed of the present events of a study, without the curves of runs, and the files with damaged lines.
// It passes each event to seen.
func Read(ctx context.Context, folder string, at clock.Clock,
	seen func(*event.Event)) (*Feed, map[string]*event.DamagedError, error) {
	f := NewFeed(folder, at, nil)
	f.history = nil
	damaged, err := f.read(ctx, func(e *event.Event) bool {
		seen(e)
		return true
	})
	f.seek()
	return f, damaged, err
}

// Study returns the state of the study.
func (f *Feed) Study() view.Study { return f.board.Study() }

// Snapshot returns the state of a study that was read and its kept results, which may be nil, as GET /api/snapshot
// does, with the units of a system.
func (f *Feed) Snapshot(kept *report.Kept, sys unit.System) ([]byte, error) {
	f.results(kept)
	return f.whole(sys)
}

// snapshotAt returns the state of the study as it was at a moment, from the events until then. The results are those
// that the study had kept, if it had ended.
func (live *Feed) snapshotAt(ctx context.Context, moment time.Time) ([]byte, error) {
	f := NewFeed(live.folder, clock.NewManual(moment), nil)
	f.past = true
	if _, err := f.read(ctx, func(e *event.Event) bool { return !e.Time.After(moment) }); err != nil {
		return nil, err
	}
	if !f.board.Last().Ended.IsZero() {
		f.results(f.kept())
	}
	if err := f.state.put(past, "", moment); err != nil {
		return nil, err
	}
	text, err := f.whole(unit.SI)
	live.state.borrow(f.state)
	return text, err
}

// read takes the present events of the study that are wanted.
func (f *Feed) read(ctx context.Context, wanted func(*event.Event) bool) (map[string]*event.DamagedError, error) {
	return studylog.Each(ctx, f.folder, f.clock, f.warn, func(e event.Event) {
		if wanted(&e) {
			f.observe(&e)
		}
	})
}

// whole returns all of the state with the units of a system.
func (f *Feed) whole(sys unit.System) ([]byte, error) {
	f.publish(true)
	return f.state.with(sys)
}

// SnapshotOf returns a state of runs alone, which belong to no study.
func SnapshotOf(name string, at time.Time, list []Run, sys unit.System) ([]byte, error) {
	s := newState(name, at)
	s.saw(at)
	for i := range list {
		if err := s.put(runs, list[i].Run, list[i]); err != nil {
			return nil, err
		}
	}
	return s.with(sys)
}

// with returns the state with the units of a system.
func (s *state) with(sys unit.System) ([]byte, error) {
	err := s.putUnits(sys)
	text, _, _ := s.since(0)
	return text, err
}

// putUnits puts the units of a system, and the dimensions of the numbers of results.
func (s *state) putUnits(sys unit.System) error {
	return errors.Join(s.put(units, "", unitsOf(sys)), s.put(dimensions, "", dimensionsOf()))
}

// dimensionsOf returns the dimensions of the numbers of results, by their names, for a component by its type.
var dimensionsOf = sync.OnceValue(func() map[string]any {
	of := func(outputs []config.Output) map[string]unit.Dimension {
		all := map[string]unit.Dimension{}
		for _, o := range outputs {
			all[o.Name] = o.Dim
		}
		return all
	}
	c, types := components.Catalogue(), map[string]any{}
	for _, t := range c.Types {
		types[t.Name] = of(t.Outputs)
	}
	return map[string]any{"performance": of(c.Performance), "stations": of(c.Station), "components": types,
		"shafts": of(slices.Concat(c.Shaft.Outputs, c.Bus.Outputs))}
})
