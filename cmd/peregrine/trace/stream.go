package trace

import (
	"errors"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
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
		list, err := sources(cmd, path)
		if err != nil {
			return err
		}
		err = use(func(take func(*trace.Record) error) error { return l.stream(list[0], take) })
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

// stream passes on the records of a source, until take returns an error, and keeps its problems. A record is valid
// during the call.
func (l *loaded) stream(s source, take func(r *trace.Record) error) error {
	last := trace.Record{Time: math.Inf(-1)}
	return s.read(nil, func(r trace.Record) error {
		if r.Time < last.Time {
			return errUnordered
		}
		last = r
		return take(&last)
	}, func(p trace.Problem) { l.problems = append(l.problems, p) })
}
