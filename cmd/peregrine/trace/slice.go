package trace

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/slice"
)

// sliceFlags are the flags of the verb slice.
type sliceFlags struct {
	from, to, where, file string
	kinds                 []string
	points                int
	filter                slice.Filter
}

func newSlice() *cobra.Command {
	s := sliceFlags{}
	cmd := &cobra.Command{
		Use: "slice FILE|DIR|STUDY -o FILE", Short: "Write the part of a trace that a question is about",
		Long: `Write the part of a trace that a question is about, as lines of JSON. The files of a folder are filtered
first, each by itself, and then merged in the order of time. A file that cannot be read to its end leaves a record of
the kind "lost".`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.write(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&s.from, "from", "", "first `time`, s as in the records; +T from the begin; or a date")
	f.StringVar(&s.to, "to", "", "last `time`, likewise")
	f.StringSliceVar(&s.filter.Hosts, "host", nil, "`hosts`, with commas")
	f.StringSliceVar(&s.filter.Processes, "process", nil, "`processes`")
	f.StringSliceVar(&s.filter.Runs, "run", nil, "`runs`")
	f.StringSliceVar(&s.kinds, "kind", nil, "`kinds` of records")
	f.StringVar(&s.where, "where", "", "`condition`, such as 'bytes > 1000 and process == \"2\"'")
	f.IntVar(&s.points, "points", 0, "`number` of records to which each curve of counters is thinned; 0: all")
	f.StringVarP(&s.file, "output", "o", "", "`file` to write; - is standard output")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // an unknown flag
	}
	return cmd
}

// write writes the slice. What a source lacks is an error after the rest is written.
func (s *sliceFlags) write(cmd *cobra.Command, path string) error {
	if err := s.parse(); err != nil {
		return err
	}
	list, err := sources(cmd, path)
	if err != nil {
		return err
	}
	if err := s.times(list); err != nil {
		return err
	}
	var from []slice.Source
	for _, part := range list {
		from = append(from, func(_ context.Context, to func([]trace.Record) error) error {
			return s.read(cmd, part, to)
		})
	}
	var lost error
	err = atomic.Output(s.file, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		to := json.NewEncoder(out)
		to.SetEscapeHTML(false)
		var failed error
		lost = slice.Merge(cmd.Context(), from, func(r *trace.Record) error {
			failed = to.Encode(r)
			return failed
		})
		if failed == nil {
			failed = cmd.Context().Err()
		}
		return errors.Join(failed, out.Flush())
	})
	return cmp.Or(err, lost)
}

// parse reads the flags but the times.
func (s *sliceFlags) parse() error {
	for _, name := range s.kinds {
		k := trace.Kind(name)
		if !slices.Contains(trace.Kinds(), k) {
			return fmt.Errorf("--kind %s: the kinds are %s", name, trace.Kinds())
		}
		s.filter.Kinds = append(s.filter.Kinds, k)
	}
	if s.points < 0 {
		return fmt.Errorf("--points %d: 0 or more", s.points)
	}
	s.filter.From, s.filter.To = math.Inf(-1), math.Inf(1)
	if s.where == "" {
		return nil
	}
	_, err := slice.ParseCondition(s.where)
	return err
}

// times reads the times, for which the begin of the trace may be needed.
func (s *sliceFlags) times(list []source) (err error) {
	begin := 0.0
	if strings.HasPrefix(s.from, "+") || strings.HasPrefix(s.to, "+") {
		if begin, err = firstTime(list); err != nil {
			return err
		}
	}
	if s.from != "" {
		if s.filter.From, err = timeOf(s.from, begin); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	if s.to != "" {
		if s.filter.To, err = timeOf(s.to, begin); err != nil {
			return fmt.Errorf("--to: %w", err)
		}
	}
	if s.filter.From > s.filter.To {
		return fmt.Errorf("--from %s is later than --to %s", s.from, s.to)
	}
	return nil
}

// firstTime returns the least time of the first records of files.
func firstTime(list []source) (float64, error) {
	first, errRead := math.Inf(1), errors.New("the first record was read")
	for _, s := range list {
		if s.path == "-" {
			return 0, errors.New("standard input is read once, so its begin is not known before: give " +
				"--from and --to as times of its records, or the trace as a file")
		}
		err := (&loaded{}).stream(s, func(r *trace.Record) error {
			first = min(first, r.Time)
			return errRead
		})
		if err != nil && !errors.Is(err, errRead) {
			return 0, err
		}
	}
	return first, nil
}

// read passes on the records of a source that belong to the slice, in order.
func (s *sliceFlags) read(cmd *cobra.Command, from source, to func([]trace.Record) error) error {
	filter := s.filter
	var condition *slice.Condition // of this source: others are read at the same time
	if s.where != "" {
		var err error
		if condition, err = slice.ParseCondition(s.where); err != nil {
			return err
		}
		filter.Where = condition.Holds
	}
	l := loaded{}
	failed := from.read(filter.Skips(), func(r trace.Record) error {
		if filter.Holds(&r) {
			l.records = append(l.records, r)
		}
		return nil
	}, func(p trace.Problem) { l.problems = append(l.problems, p) })
	l.warn(cmd, from.path)
	trace.Sort(l.records)
	if s.points > 0 {
		l.records = slice.Thin(l.records, s.points)
	}
	if len(l.records) == 0 {
		if condition != nil && condition.Failed() != nil {
			cli.Warn(cmd, "--where: %v", condition.Failed())
		}
		return failed
	}
	return errors.Join(to(l.records), failed)
}
