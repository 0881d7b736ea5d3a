package trace

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

// errUnordered reports a file whose records are not in the order of their times.
var errUnordered = errors.New("the records are not in the order of their times")

// pass passes the records of a trace on, in the order of their times.
type pass func(take func(r *trace.Record) error) error

// inOrder calls use with the records of a trace. A file is not held in memory if use can be repeated: where the file
// turns out not to be in order, use is called a second time, with the records of the whole.
func inOrder(cmd *cobra.Command, path string, repeatable bool, use func(each pass) error) error {
	if info, err := os.Stat(path); repeatable && err == nil && info.Mode().IsRegular() {
		l := loaded{}
		by, err := description(cmd)
		if err != nil {
			return err
		}
		err = use(func(take func(*trace.Record) error) error { return l.stream(path, by, take) })
		if !errors.Is(err, errUnordered) {
			l.warn(cmd, path)
			return err
		}
	}
	l, err := load(cmd, path)
	if err != nil {
		return err
	}
	return use(func(take func(*trace.Record) error) error {
		for i := range l.records {
			if err := take(&l.records[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// stream passes on the records of a file, and keeps its problems.
func (l *loaded) stream(path string, by *format.Description, take func(r *trace.Record) error) error {
	f, err := intake.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := &stoppable{from: f}
	first, last := true, 0.0
	err = format.Read(in, by, func(r trace.Record) {
		if in.stop == nil && !first && r.Time < last {
			in.stop = errUnordered
		}
		if in.stop == nil {
			in.stop = take(&r)
		}
		first, last = false, r.Time
	}, func(p trace.Problem) { l.problems = append(l.problems, p) })
	switch {
	case in.stop != nil:
		return in.stop
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// stoppable ends a reader's input early.
type stoppable struct {
	from io.Reader
	stop error
}

// Read implements io.Reader.
func (s *stoppable) Read(to []byte) (int, error) {
	if s.stop != nil {
		return 0, s.stop
	}
	return s.from.Read(to)
}
