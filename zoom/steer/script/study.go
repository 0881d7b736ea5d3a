package script

// A study for scripts, through the same client that people use.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// Study is a study below the client's work folder.
type Study struct {
	*client.Client
	Name string // whole
}

var _ Helm = Study{}

// Command implements [Helm].
func (s Study) Command(verb steer.Verb) steer.Command { return s.Client.Command("", verb) }

// reach connects to the runs that a name or pattern matches.
func (s Study) reach(ctx context.Context, runs string) (*client.Reached, error) {
	a, err := client.ParseAddress(s.Name + "/" + runs)
	if err != nil {
		return nil, err
	}
	return s.Reach(ctx, a)
}

// one connects to one run. Without an error the run is or was recently in progress.
func (s Study) one(ctx context.Context, name string) (*client.Reached, error) {
	r, err := s.reach(ctx, name)
	if err != nil || len(r.Runs) <= 1 {
		return r, err
	}
	defer r.Close()
	names := convert.All(r.Runs, func(one *client.Run) string { return one.Name })
	return nil, fmt.Errorf("%q means several runs: %s", name, spell.List(names, "and"))
}

// Going implements [Helm].
func (s Study) Going(ctx context.Context, pattern string) (list []Going, err error) {
	folder := filepath.Join(s.Work, s.Name)
	runs, err := record.Active(ctx, folder, s.Launchers, pattern)
	for _, r := range runs {
		list = append(list, Going{Name: r.Name, Solver: r.Solver, Orphan: r.Orphan})
	}
	if pattern != "*" || err != nil {
		return list, err
	}
	transients, err := record.Transients(folder)
	for _, name := range transients {
		list = append(list, Going{Name: name, Transient: true})
	}
	return list, err
}

// Objects implements [Helm].
func (s Study) Objects(ctx context.Context, name string) ([]steer.Listed, error) {
	r, err := s.one(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return objectsOf(ctx, r)
}

// Read implements [Helm].
func (s Study) Read(ctx context.Context, name string, names []string) ([]steer.Listed, error) {
	r, err := s.one(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	lists, err := r.Read(ctx, names)
	switch {
	case err != nil:
		return nil, endedOr(ctx, r, err)
	case len(lists) == 0 || lists[0] == nil:
		return nil, client.ErrEnded
	}
	return lists[0], nil
}

// reached is the run that was reached: a [client.Reached].
type reached interface {
	Objects(ctx context.Context) ([][]steer.Listed, error)
	Give(ctx context.Context, o client.Order, report func(*client.Run, event.Receipt)) error
	Missing(ctx context.Context) string
}

// objectsOf returns the objects of the only run reached.
func objectsOf(ctx context.Context, r reached) ([]steer.Listed, error) {
	lists, err := r.Objects(ctx)
	if err == nil && (len(lists) == 0 || lists[0] == nil) {
		err = client.ErrEnded
	}
	if err != nil {
		return nil, err
	}
	return lists[0], nil
}

// endedOr returns client.ErrEnded if the run has ended meanwhile, which explains err; otherwise it returns err.
func endedOr(ctx context.Context, r reached, err error) error {
	if _, now := objectsOf(ctx, r); errors.Is(now, client.ErrEnded) {
		return now
	}
	return err
}

// Give implements [Helm].
func (s Study) Give(ctx context.Context, name string, o client.Order, report func(event.Receipt)) error {
	r, err := s.one(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close()
	if len(r.Runs) == 0 {
		report(o.Receipt(event.Late, r.Missing(ctx)))
		return nil
	}
	r.Quick = true
	return give(ctx, r, o, report)
}

// give gives the run an order. An error after a receipt stays one, also if the run has ended meanwhile: the command may
// have been applied.
func give(ctx context.Context, r reached, o client.Order, report func(event.Receipt)) error {
	told := false
	err := r.Give(ctx, o, func(_ *client.Run, x event.Receipt) { told = true; report(x) })
	if err != nil && !told && !errors.Is(err, client.ErrEnded) {
		err = endedOr(ctx, r, err)
	}
	if errors.Is(err, client.ErrEnded) {
		report(o.Receipt(event.Late, r.Missing(ctx)))
		return nil
	}
	return err
}

// Keep implements [Helm].
func (s Study) Keep(pattern string, o client.Order) error {
	a, err := client.ParseAddress(s.Name + "/" + pattern)
	if err != nil {
		return err
	}
	c := o.Command
	if c.Changes, err = client.Unseen(o.Wishes); err != nil {
		return err
	}
	return s.Client.Keep(a, c)
}
