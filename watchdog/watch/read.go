package watch

// New data in the files of a followed run enter its machine: the samples of a single file one by one, as they are read;
// samples of several files in the order of the iterations. With Options.Observe each sample also becomes an event.

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// due reports whether the file must be read: it has changed, or its poll is due before half of the next tick has
// passed. The time between two ticks varies.
func (s *source) due(now time.Time) bool {
	return s.woken.Swap(false) || s.pace.Wait(now, s.wake.Works()) < pollTime/2
}

// read takes the new data in the files of a run whose polls are due. It returns the number of samples, whether the
// run's state has changed, and the findings of rules.
func (f *follower) read(r *run, now time.Time) (n int, changed bool, found []rule.Finding) {
	due := f.due[:0]
	for _, s := range r.sources {
		if s.due(now) {
			due = append(due, s)
		}
	}
	f.due = due
	switch {
	case len(due) == 0:
		return 0, false, nil
	case f.options.Observe == nil && len(r.sources) == 1:
		return f.readOne(r, due[0], now)
	}
	for _, x := range f.ahead(due, now) {
		if f.options.Observe != nil {
			f.options.Observe(r.name, x.source.parser.Event(&x.sample))
		}
		n++
		changed = r.judgeSample(x.source, &x.sample, now) || changed
		found = append(found, f.ruling.sample(r.name, x.source, &x.sample, now)...)
	}
	return n, changed, found
}

// readOne takes the new data in the only file of a run.
func (f *follower) readOne(r *run, s *source, now time.Time) (n int, changed bool, found []rule.Finding) {
	f.readFile(s, now, func(x *history.Sample) {
		n++
		changed = r.judgeSample(s, x, now) || changed
		found = append(found, f.ruling.sample(r.name, s, x, now)...)
	})
	return n, changed, found
}

// judgeSample gives the run's machine a sample that has come, and reports whether the run's state has changed.
func (r *run) judgeSample(s *source, x *history.Sample, now time.Time) bool {
	woke := r.machine.Beat(now)
	if at, is := iterates(x); is {
		s.reach(at)
	}
	return r.machine.Sample(s.path, s.parser, x) || woke
}

// readFile takes the new samples in a file, with their lines if rules or an observer need them.
func (f *follower) readFile(s *source, now time.Time, take func(*history.Sample)) {
	s.parse(f.clock.Now)
	if s.parser != nil && (f.ruling != nil || f.options.Observe != nil) {
		s.parser.Quote()
	}
	came := false
	each := func(x *history.Sample) {
		came = true
		s.remark(x, nil)
		take(x)
	}
	s.poll(f.clock.Now, func(l tail.Line) {
		s.number++
		s.parser.Read(l, each)
	})
	s.pace.Polled(now, came)
	if s.number >= manyLines && s.rows == 0 {
		if err := s.emptiness(); err != nil {
			s.rows++ // it is said once
			s.warn(fmt.Sprintf("after %d lines: %v", s.number, err))
		}
	}
}

// manyLines is after how many lines without one of its format a described file that is written is warned of: what a
// solver prints before its first iteration is shorter.
const manyLines = 200

// placed is a new sample with its file and the iteration of that file.
type placed struct {
	source *source
	sample history.Sample
	at     float64
}

// ahead returns the samples that have come in files of a run, in the order of the iterations.
func (f *follower) ahead(files []*source, now time.Time) (list []*placed) {
	for _, s := range files {
		f.readFile(s, now, func(x *history.Sample) {
			if at, known := x.At(); known {
				s.at = at
			}
			p := &placed{source: s, at: s.at}
			p.sample.Take(x)
			list = append(list, p)
		})
	}
	if len(files) > 1 {
		slices.SortStableFunc(list, func(a, b *placed) int { return cmp.Compare(a.at, b.at) })
	}
	return list
}
