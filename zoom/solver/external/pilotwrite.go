package external

// The conversion of a change of objects to a change of files, and its result.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// check returns the reason why an object cannot have a value now.
func (p *pilot) check(l *lever, v steer.Value) error {
	if _, err := l.text(v); err != nil {
		return err
	}
	text, err := l.file.read(p.r.folder)
	if err == nil {
		_, err = l.span(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.file.name, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return fmt.Errorf("step %s has ended", p.helm.step)
	}
	clear(p.staged) // a new command begins; values set back by the last are written
	return nil
}

// set stores a value for flush.
func (p *pilot) set(l *lever, v steer.Value) error {
	text, err := l.text(v)
	if err != nil {
		if number := v.Number; l.Type == steer.Float && math.IsNaN(number) {
			return nil // set back to an unknown value
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.staged[l] = text
	return nil
}

// flush writes the stored values, each file once, and makes the program read them. If that fails, it restores all
// files.
func (p *pilot) flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	staged := p.staged
	p.staged = map[*lever]string{}
	p.look() // earlier lines do not confirm this change
	var written []*change
	undo := func(err error) error {
		for _, c := range written {
			if back := c.back(p.r.folder, p.program); back != nil {
				err = fmt.Errorf("%w; %s could not be written back: %w", err, c.file.name, back)
			}
		}
		return err
	}
	for _, f := range p.helm.files {
		c, err := p.change(f, staged)
		if err != nil {
			return undo(err)
		}
		if c != nil {
			written = append(written, c)
		}
	}
	for _, c := range written {
		if p.program == nil {
			continue
		}
		if p.lookout.silent() {
			p.early = append(p.early, c)
			continue
		}
		if err := c.file.tell(p.r.folder, p.program); err != nil {
			return undo(err)
		}
	}
	for _, c := range written {
		p.wait(c)
	}
	return nil
}

// change writes a file with the values of its objects; nil: the file has them already. The caller has the lock.
func (p *pilot) change(f *steered, staged map[*lever]string) (*change, error) {
	c := &change{file: f, texts: map[*lever]string{}, done: make(chan struct{})}
	for l, text := range staged {
		if l.file == f {
			c.texts[l] = text
			delete(p.of, l)
		}
	}
	if len(c.texts) == 0 {
		return nil, nil
	}
	before, err := f.read(p.r.folder)
	if err != nil {
		return nil, err
	}
	text, err := f.with(before, c.texts)
	if err != nil || text == before && !p.unsure[f] {
		return nil, err
	}
	c.before = before
	if err := f.write(p.r.folder, text); err != nil {
		if f.inPlace {
			_ = f.write(p.r.folder, before) // the text may be incomplete
		}
		return nil, err
	}
	for l := range maps.Keys(c.texts) {
		p.of[l] = c
	}
	return c, nil
}

// wait has the program's lines looked at for a change. The caller has the lock.
func (p *pilot) wait(c *change) {
	switch {
	case p.program == nil:
		p.settle(c, nil) // it reads the file at its start
	case c.file.confirm == nil:
		p.settle(c, unconfirmed("%s is written, and nothing shows whether the program has read it", c.file.name))
	case p.still:
		p.settle(c, unconfirmed("%s is written; the program is held, and cannot read it before it continues",
			c.file.name))
	default:
		p.open = append(p.open, c)
	}
}

// settle records the result of a change. The caller has the lock.
func (p *pilot) settle(c *change, err error) {
	select {
	case <-c.done:
		return
	default:
	}
	p.open = slices.DeleteFunc(p.open, func(o *change) bool { return o == c })
	var nothing *steer.UnconfirmedError
	p.unsure[c.file] = errors.As(err, &nothing)
	c.at, c.err = p.lookout.iteration, err
	close(c.done)
}

// confirm waits for the result of a change.
func (p *pilot) confirm(ctx context.Context, l *lever) (int64, error) {
	p.mu.Lock()
	c, at := p.of[l], p.lookout.iteration
	p.mu.Unlock()
	if c == nil { // it had the value
		return at, nil
	}
	late := clock.Real.NewTimer(l.file.within)
	defer late.Stop()
	reason := ""
	select {
	case <-c.done:
	case <-late.C:
		reason = fmt.Sprintf("%s is written; nothing showed within %v that the program has read it", l.file.name,
			l.file.within)
	case <-ctx.Done():
		reason = fmt.Sprintf("%s is written; the run was over before it showed that the program has read it",
			l.file.name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if reason != "" {
		p.settle(c, unconfirmed("%s", reason))
	}
	return c.at, c.err
}

// look reads the program's lines. The caller has the lock.
func (p *pilot) look() {
	p.lookout.look(func(s *source, line string) {
		for _, c := range slices.Clone(p.open) {
			err, said := c.verdict(s, line)
			if !said {
				continue
			}
			p.lookout.complete(s)
			if err != nil {
				if back := c.back(p.r.folder, p.program); back != nil {
					err = fmt.Errorf("%w; %s could not be written back: %w", err, c.file.name, back)
				}
			}
			p.settle(c, err)
		}
	})
	if p.early == nil || p.lookout.silent() || p.program == nil {
		return
	}
	early := p.early
	p.early = nil
	for _, c := range early {
		if err := c.requestReread(p.r.folder, p.program); err != nil {
			p.settle(c, unconfirmed("%s is written; the program could not be told: %v", c.file.name, err))
		}
	}
}
