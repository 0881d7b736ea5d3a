package watch

import (
	"cmp"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Once judges finished files, as if they were read during their runs. It calls say at each change of a run's state and
// at its end, for each of its files. An UnknownError reports that a file, or every file of a folder, is of unknown
// kind.
func Once(files []string, o Options, say func(Line)) error {
	runs, err := group(files, o)
	if err != nil {
		return err
	}
	ruling := o.ruling()
	for _, r := range runs {
		r.ruling = ruling
		if err := r.judge(o, clock.Or(o.Clock).Now, say); err != nil {
			return err
		}
	}
	return ruling.unoffered()
}

// judge reads the files of a run side by side, in the order of the iterations.
func (r *run) judge(o Options, now func() time.Time, say func(Line)) error {
	for _, s := range r.sources {
		if s.preset != nil {
			defer func() { _ = s.file.Close() }() // read only
		}
	}
	if err := r.readAll(now, func(s *source, x *history.Sample) {
		if r.collect != nil {
			r.collect(s.path, s.parser, x)
		}
		if r.machine.Sample(s.path, s.parser, x) {
			r.report(r.machine.Judgement(), now(), false, say)
			r.find(r.ruling.state(r.name, r.machine.Judgement(), false, now()), now(), say)
		}
		if r.ruling != nil {
			r.find(r.ruling.sample(r.name, s, x, now()), now(), say)
		}
	}); err != nil {
		return err
	}
	for _, s := range r.sources {
		if err := s.emptiness(); err != nil {
			return err
		}
	}
	final := r.machine.Final(r.ending(o.Ending))
	r.find(r.ruling.state(r.name, final, true, now()), now(), say)
	r.report(final, now(), true, say)
	return nil
}

// readAll takes the samples of all files, of several in the order of the iterations.
func (r *run) readAll(now func() time.Time, take func(*source, *history.Sample)) error {
	if len(r.sources) == 1 {
		return r.sources[0].readAll(now, take)
	}
	for {
		s, x, err := r.least(now)
		if x == nil || err != nil {
			return err
		}
		take(s, x)
		s.taken++
	}
}

// readAll takes the samples of a file as its lines are read, without keeping these for later.
func (s *source) readAll(now func() time.Time, take func(*source, *history.Sample)) error {
	if s.done {
		return nil
	}
	s.parse(now)
	var line []byte
	each := func(x *history.Sample) {
		s.remark(x, line)
		take(s, x)
	}
	for more := true; more; {
		var err error
		if more, err = s.file.Finish(func(l tail.Line) {
			s.number++
			line = l.Text
			s.parser.Read(l, each)
		}); err != nil {
			return err
		}
	}
	line = nil
	s.parser.ReadRest(each)
	return nil
}

// least returns the sample that comes next among the files.
func (r *run) least(now func() time.Time) (*source, *history.Sample, error) {
	var first *source
	var at *history.Sample
	for _, s := range r.sources {
		if s.after != nil && !(s.after.done && s.after.taken == len(s.after.samples)) {
			continue
		}
		x, err := s.ahead(now)
		if err != nil {
			return nil, nil, err
		}
		if x != nil && (first == nil || cmp.Less(s.at, first.at)) {
			first, at = s, x
		}
	}
	return first, at, nil
}

// ahead returns the next sample without taking it; nil at the end. The parser reads the next line after all samples of
// the last line are taken.
func (s *source) ahead(now func() time.Time) (*history.Sample, error) {
	s.parse(now)
	if s.taken == len(s.samples) {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	if s.taken == len(s.samples) {
		return nil, nil
	}
	x := s.samples[s.taken]
	if at, known := x.At(); known {
		s.at = at
	}
	return x, nil
}

// fill reads lines until it has samples, or the file ends.
func (s *source) fill() (err error) {
	s.samples, s.taken = s.samples[:0], 0
	var line []byte
	take := func(x *history.Sample) {
		s.samples = append(s.samples, x)
		s.remark(x, line)
	}
	for len(s.samples) == 0 && !s.done {
		if s.next < len(s.lines) {
			l := s.lines[s.next]
			s.next++
			line = l.Text
			s.number++
			s.parser.Read(l, take)
			continue
		}
		if s.ended {
			s.done, line = true, nil
			s.parser.ReadRest(take)
			continue
		}
		s.lines, s.next, s.text = s.lines[:0], 0, s.text[:0]
		more, err := s.file.Finish(s.keep)
		if err != nil {
			return err
		}
		s.ended = !more
	}
	return nil
}

// keep copies a line for later.
func (s *source) keep(l tail.Line) {
	start := len(s.text)
	s.text = append(s.text, l.Text...) // lines of before stay where they are
	s.lines = append(s.lines, tail.Line{Text: s.text[start:], Note: l.Note})
}

// remark counts a sample, and passes it on with its line if it is a message.
func (s *source) remark(x *history.Sample, line []byte) {
	if x.Kind != event.Message {
		s.rows++
	}
	if s.note == nil || x.Kind == event.Iteration || x.Kind == event.Profile {
		return
	}
	quote := line
	if len(quote) > mostQuote {
		quote = quote[:mostQuote]
	}
	s.note(history.Note{Kind: x.Kind, Name: x.Name, Text: x.Text, File: s.path, Line: s.number, Quote: string(quote)})
}

// mostQuote is the most of a line that is quoted, bytes.
const mostQuote = 400
