package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Log returns the events of kind command of an address: of runs, whether or not in progress, of the study as a whole,
// and of its transients. They are in the order of their times. With damaged files it returns the readable events and an
// error.
func (c *Client) Log(a Address) (list []event.Event, err error) {
	a, err = a.resolve(c.Work)
	if err != nil {
		return nil, err
	}
	list, whole := c.executiveLog(a)
	if len(list) == 0 {
		if err := a.checkRun(c.folder(a)); err != nil && a.Runs != record.StudyAddress {
			return nil, err
		}
	}
	names, err := record.Names(c.folder(a))
	problems := []error{whole, err}
	for _, name := range names {
		if !record.Matches(a.Pattern(), name) || a.one() && slices.Contains(names, a.Runs) && name != a.Runs {
			continue
		}
		events, err := event.Read(filepath.Join(c.folder(a), name, plugin.EventsFile))
		problems = append(problems, err)
		for _, e := range events {
			if e.Kind == event.Command {
				e.Study, e.Run = a.Study, name
				list = append(list, e)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y event.Event) int { return x.Time.Compare(y.Time) })
	return list, errors.Join(problems...)
}

// executiveLog returns the commands to the study as a whole and to its transients, from the study's log.
func (c *Client) executiveLog(a Address) (list []event.Event, err error) {
	events, err := studylog.Read(c.folder(a))
	if errors.Is(err, fs.ErrNotExist) { // a study of another program, without a log
		err = nil
	}
	for _, e := range events {
		if e.Kind != event.Command || e.Act == nil || e.Run != "" {
			continue
		}
		if e.Run = cmp.Or(e.Case, record.StudyAddress); record.Matches(a.Pattern(), e.Run) {
			e.Study = a.Study
			list = append(list, e)
		}
	}
	return list, err
}

// RunFolder returns the folder of one run, whether or not it is in progress.
func (c *Client) RunFolder(a Address) (string, error) {
	a, err := c.oneRun(a)
	return filepath.Join(c.folder(a), a.Runs), err
}

// oneRun returns the address of one run with the whole name of its study. It fails if the study has no such run.
func (c *Client) oneRun(a Address) (Address, error) {
	a, err := a.resolve(c.Work)
	switch {
	case err != nil:
		return a, err
	case !a.one():
		return a, fmt.Errorf("address %v: want one run, as STUDY/RUN", a)
	}
	return a, a.checkRun(c.folder(a))
}

// Ended returns the address of one run with whole names. It fails if the run is in progress or does not exist.
func (c *Client) Ended(ctx context.Context, a Address) (Address, error) {
	a, err := c.oneRun(a)
	if err != nil {
		return a, err
	}
	r := record.ReadRun(ctx, filepath.Join(c.folder(a), a.Runs), c.Launchers)
	switch {
	case r.Err != nil:
		return a, r.Err
	case r.MayRun():
		return a, fmt.Errorf("run %v goes on: it can be made again when it has ended", a)
	}
	return a, nil
}
