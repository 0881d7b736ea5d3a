package trace

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
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
	sources, begin, err := s.sources(cmd, path)
	if err != nil {
		return err
	}
	if err := s.times(begin); err != nil {
		return err
	}
	var lost error
	err = atomic.Output(s.file, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		to := json.NewEncoder(out)
		to.SetEscapeHTML(false)
		var failed error
		lost = slice.Merge(cmd.Context(), sources, func(r *trace.Record) error {
			failed = to.Encode(r)
			return failed
		})
		if failed == nil {
			failed = cmd.Context().Err()
		}
		return errors.Join(failed, out.Flush())
	})
	if err != nil {
		return err
	}
	return lost
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
	_, err := s.choose()
	return err
}

// times reads the times, for which the begin of the trace may be needed.
func (s *sliceFlags) times(begin func() (float64, error)) (err error) {
	first := 0.0
	if (s.from + " ")[0] == '+' || (s.to + " ")[0] == '+' {
		if first, err = begin(); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		flag, text string
		to         *float64
	}{{"from", s.from, &s.filter.From}, {"to", s.to, &s.filter.To}} {
		if x.text == "" {
			continue
		}
		t, err := timeOf(x.text, first)
		if err != nil {
			return fmt.Errorf("--%s: %w", x.flag, err)
		}
		*x.to = t
	}
	if s.filter.From > s.filter.To {
		return fmt.Errorf("--from %s is later than --to %s", s.from, s.to)
	}
	return nil
}

// sources returns a source for each file of a trace, or one for a study or a run, and the function that finds the time
// of the first record.
func (s *sliceFlags) sources(cmd *cobra.Command, path string) (list []slice.Source, begin func() (float64, error),
	err error) {
	by, err := description(cmd)
	if err != nil {
		return nil, nil, err
	}
	if path, err = resolved(cmd, path); err != nil {
		return nil, nil, err
	}
	files := []string{path}
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		if isStudy(path) || len(runFolders(filepath.Dir(path), filepath.Base(path))) > 0 {
			all := sync.OnceValues(func() (loaded, error) { return readAll(cmd, path) })
			return []slice.Source{{Name: path, Read: s.whole(cmd, path, all)}}, func() (float64, error) {
				l, err := all()
				if len(l.records) == 0 {
					return 0, err
				}
				return l.records[0].Time, nil
			}, nil
		}
		if files, err = filesOf(path); err != nil {
			return nil, nil, err
		}
	}
	if path == "-" {
		return []slice.Source{{Name: path, Read: s.traceFile(cmd, path, by)}}, func() (float64, error) {
			return 0, errors.New("standard input is read once, so its begin is not known before: give " +
				"--from and --to as times of its records, or the trace as a file")
		}, nil
	}
	for _, file := range files {
		list = append(list, slice.Source{Name: file, Read: s.traceFile(cmd, file, by)})
	}
	return list, func() (float64, error) { return firstTime(files, by) }, nil
}

// firstTime returns the least time of the first records of files.
func firstTime(files []string, by *format.Description) (float64, error) {
	first, errRead := math.Inf(1), errors.New("the first record was read")
	for _, file := range files {
		err := (&loaded{}).stream(file, by, func(r *trace.Record) error {
			first = min(first, r.Time)
			return errRead
		})
		if err != nil && !errors.Is(err, errRead) {
			return 0, err
		}
	}
	return first, nil
}

// chosen collects the records of a slice of one source.
type chosen struct {
	filter    slice.Filter
	condition *slice.Condition // nil: none
	records   []trace.Record
}

func (s *sliceFlags) choose() (*chosen, error) {
	c := &chosen{filter: s.filter}
	if s.where == "" {
		return c, nil
	}
	// Sources are read at the same time, each with a condition of its own.
	condition, err := slice.ParseCondition(s.where)
	if err == nil {
		c.filter.Where, c.condition = condition.Holds, condition
	}
	return c, err
}

func (c *chosen) take(r trace.Record) {
	if c.filter.Holds(&r) {
		c.records = append(c.records, r)
	}
}

// pass passes the slice on, in order.
func (s *sliceFlags) pass(cmd *cobra.Command, c *chosen, to func([]trace.Record) error) error {
	trace.Sort(c.records)
	if s.points > 0 {
		c.records = slice.Thin(c.records, s.points)
	}
	if len(c.records) == 0 {
		if c.condition != nil && c.condition.Failed() != nil {
			cli.Warn(cmd, "--where: %v", c.condition.Failed())
		}
		return nil
	}
	return to(c.records)
}

// whole is the source of a study or a run, of which records of several files make the trace.
func (s *sliceFlags) whole(cmd *cobra.Command, path string,
	all func() (loaded, error)) func(context.Context, func([]trace.Record) error) error {
	return func(_ context.Context, to func([]trace.Record) error) error {
		c, err := s.choose()
		if err != nil {
			return err
		}
		l, failed := all()
		for _, r := range l.records {
			c.take(r)
		}
		l.warn(cmd, path)
		return errors.Join(s.pass(cmd, c, to), failed)
	}
}

func (s *sliceFlags) traceFile(cmd *cobra.Command, path string,
	by *format.Description) func(context.Context, func([]trace.Record) error) error {
	return func(_ context.Context, to func([]trace.Record) error) error {
		c, err := s.choose()
		if err != nil {
			return err
		}
		var in io.Reader = cmd.InOrStdin()
		if path != "-" {
			f, err := intake.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		if by == nil { // a format that is described has lines of its own
			in = c.filter.Lines(in)
		}
		l := loaded{}
		failed := format.Read(in, by, c.take,
			func(p trace.Problem) { l.problems = append(l.problems, p) })
		l.warn(cmd, path)
		return errors.Join(s.pass(cmd, c, to), failed)
	}
}
