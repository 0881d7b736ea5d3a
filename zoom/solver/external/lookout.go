package external

// The output of a steered program: the lines of its log and of other files, read as they are written. They show its
// iteration, and confirm the files that it has read.

import (
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// lookout reads the output of a program. It is for one goroutine at a time.
type lookout struct {
	sources   []*source
	iteration int64              // iteration of the program, by its last line
	residuals map[string]float64 // printed last, by names such as residual and residual_p
}

// source is a file that is followed.
type source struct {
	name   string
	file   *tail.File
	log    bool            // of the program: lines that are read a second time are dropped
	reread bool            // the lines of this poll were read before
	parser *history.Parser // nil: the file has no progress of the run
}

// newLookout follows the log of a step, and the files that are watched or have marks. It begins at their present ends.
func newLookout(d *Description, folder *runFolder, log string) *lookout {
	k := &lookout{residuals: map[string]float64{}}
	names := []string{log}
	for _, f := range d.helm.files {
		for _, m := range []*mark{f.confirm, f.reject} {
			if m != nil && m.file != "" {
				names = append(names, m.file)
			}
		}
	}
	for i := range d.watched {
		if w := &d.watched[i]; w.Watched() && !strings.ContainsAny(w.Pattern, `*?[\`) {
			names = append(names, w.Pattern)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		s := &source{
			name: name, log: name == log,
			file: tail.Open(folder.join(name), tail.Position{}, tail.Options{Clock: clock.Real}),
		}
		for i := range d.watched {
			if w := d.watched[i]; w.Pattern == name && w.Watched() {
				s.parser = history.NewParser(&history.FileSpec{Folder: folder.path, File: w}, name, history.State{},
					clock.Real.Now)
			}
		}
		k.sources = append(k.sources, s)
	}
	return k
}

// silent reports whether the program has yet to show its first iteration: it may not have read its files, nor be
// ready for a signal.
func (k *lookout) silent() bool {
	return k.iteration == 0 && slices.ContainsFunc(k.sources, func(s *source) bool { return s.parser != nil })
}

func (k *lookout) close() {
	for _, s := range k.sources {
		_ = s.file.Close() // read only
	}
}

// mostAtOnce is how many pieces of a file are read before others are looked at: a program may print as fast as it is
// read.
const mostAtOnce = 64

// look reads the lines written since the last look, and passes them to take.
func (k *lookout) look(take func(s *source, line string)) {
	for _, s := range k.sources {
		s.reread = false
		for n, more := 0, true; more && n < mostAtOnce; n++ {
			// a file that cannot be read now may be later
			more, _ = s.file.Poll(func(l tail.Line) { k.line(s, l, take) })
		}
	}
}

func (k *lookout) line(s *source, l tail.Line, take func(*source, string)) {
	if l.Note == tail.Rewritten || l.Note == tail.Rotated {
		s.reread = s.log // the log was rewritten without its middle, for its size
	}
	if s.parser != nil {
		k.progress(s, s.parser.Parse(l))
	}
	if !s.reread && len(l.Text) > 0 {
		take(s, string(l.Text))
	}
}

// complete makes the parser return the iteration that a line ends. Without it the iteration comes with the first line
// of the next.
func (k *lookout) complete(s *source) {
	if s.parser != nil {
		k.progress(s, s.parser.Flush())
	}
}

// progress takes iteration and residuals from events. A program that prints times and no iterations, such as OpenFOAM,
// makes an iteration per time.
func (k *lookout) progress(s *source, events []event.Event) {
	for i := range events {
		e := &events[i]
		if n, there := e.Values["iteration"]; there {
			k.iteration = int64(n)
		} else if e.Kind == event.Iteration && !s.reread {
			k.iteration++
		}
		for name, x := range e.Values {
			if strings.HasPrefix(name, "residual") {
				k.residuals[name] = x
			}
		}
	}
}
