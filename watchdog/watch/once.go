package watch

import (
	"cmp"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// Once judges files that are finished, as if they were read while their runs went on. It calls say at each change of a
// run's state and at its end, for each of its files.
func Once(files []string, o Options, now func() time.Time, say func(Line)) error {
	runs, err := group(files, o.Formats)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := r.judge(o, now, say); err != nil {
			return err
		}
	}
	return nil
}

// judge reads the files of a run side by side, in the order of the iterations.
func (r *run) judge(o Options, now func() time.Time, say func(Line)) error {
	r.machine = state.New(o.Options)
	for _, s := range r.sources {
		if s.preset != nil {
			defer func() { _ = s.file.Close() }() // read only
		}
	}
	for {
		s, e, err := r.least(now)
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		e.Time = time.Time{} // when it was written is not known
		if r.machine.Event(*e) {
			r.report(r.machine.Judgement(), now(), false, say)
		}
		s.queue = s.queue[1:]
	}
	r.report(r.machine.Final(r.ending(o.Ending)), now(), true, say)
	return nil
}

// least returns the event that comes next among the files.
func (r *run) least(now func() time.Time) (*source, *event.Event, error) {
	var first *source
	var at *event.Event
	for _, s := range r.sources {
		e, err := s.next(now)
		if err != nil {
			return nil, nil, err
		}
		if e != nil && (first == nil || cmp.Less(s.at, first.at)) {
			first, at = s, e
		}
	}
	return first, at, nil
}
