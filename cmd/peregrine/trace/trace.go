// Package trace has the verbs that show what the processes of a parallel program did, and when.
package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/watchdog/trace/slice"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// loaded is a trace with the problems of its lines.
type loaded struct {
	records  []trace.Record // by time
	problems []trace.Problem
}

// load reads a trace, and prints the problems of its lines. A trace with problems alone is an error.
func load(cmd *cobra.Command, path string) (l loaded, err error) {
	if l.records, l.problems, err = Read(cmd, path); err != nil {
		return l, err
	}
	l.warn(cmd, path)
	if len(l.records) == 0 && len(l.problems) > 0 {
		err = fmt.Errorf("%s: no line is a record of a trace", path)
	}
	return l, err
}

// Read reads a file, a folder, a study or a run: its records by time, and the problems of its lines.
func Read(cmd *cobra.Command, path string) (records []trace.Record, problems []trace.Problem, err error) {
	list, err := sources(cmd, path)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range list {
		err := s.read(nil, func(r trace.Record) error {
			records = append(records, r)
			return nil
		}, func(p trace.Problem) {
			if len(list) > 1 {
				p.Message = filepath.Base(s.path) + ": " + p.Message
			}
			problems = append(problems, p)
		})
		if err != nil {
			return records, problems, err
		}
	}
	trace.Sort(records)
	return records, problems, nil
}

// source is a trace, or one of several files of a trace.
type source struct {
	path string
	read reading
}

// reading passes on the records and the problems of a file, as [format.Read]; or of a study or a run, whose records it
// passes on in order.
type reading func(skips func(line []byte) bool, take func(trace.Record) error, tell func(trace.Problem)) error

// sources returns the source of a file, a study or a run, or one for each file of a folder. "-" is standard input.
func sources(cmd *cobra.Command, path string) (list []source, err error) {
	if path, err = resolved(cmd, path); err != nil {
		return nil, err
	}
	by, err := description(cmd)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		return []source{fileSource(cmd, path, by)}, nil
	}
	if isStudy(path) || len(runFolders(filepath.Dir(path), filepath.Base(path))) > 0 {
		return []source{studySource(path, slices.Contains([]string{"cat", "export", "slice"}, cmd.Name()))}, nil
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, fileSource(cmd, filepath.Join(path, e.Name()), by))
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: neither a study nor a folder of traces: it has no files", path)
	}
	return list, err
}

func fileSource(cmd *cobra.Command, path string, by *format.Description) source {
	return source{path, func(skips func([]byte) bool, take func(trace.Record) error, tell func(trace.Problem)) error {
		var in io.Reader
		if path == "-" {
			in = cmd.InOrStdin()
		} else {
			f, err := intake.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			in = f
		}
		err := format.Read(in, by, skips, take, tell)
		if path != "-" && errors.Is(err, format.ErrFormat) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return err
	}}
}

// studySource is the log of a study with the recordings of its runs, or the recordings of a run. With counts it has the
// values of the runs' iterations, which no analysis needs and which are in a file of each run.
func studySource(path string, counts bool) source {
	return source{path, func(_ func([]byte) bool, take func(trace.Record) error, tell func(trace.Problem)) error {
		var records []trace.Record
		var failed error
		folders := []string{path}
		if isStudy(path) {
			events, err := studylog.ReadAll(path)
			records, failed, folders = trace.OfStudy(events), err, runFolders(path, "*")
			if counts {
				records = append(records, iterations(path, records)...)
			}
		}
		for _, folder := range folders {
			failed = errors.Join(failed, readRun(folder, func(r trace.Record) { records = append(records, r) }, tell))
		}
		trace.Sort(records)
		for _, r := range records {
			if err := take(r); err != nil {
				return err
			}
		}
		return failed
	}}
}

// curvePoints is how many iterations of a run a study's trace has.
const curvePoints = 500

// iterations returns the values of iterations of a study's runs, except for runs of which records have them.
func iterations(study string, records []trace.Record) (counts []trace.Record) {
	known := map[string]bool{}
	for i := range records {
		known[records[i].Process] = known[records[i].Process] || records[i].Kind == trace.Count
	}
	logs, _ := filepath.Glob(filepath.Join(study, "*", event.LogName)) // a good pattern
	for _, path := range logs {
		if known[filepath.Base(filepath.Dir(path))] {
			continue
		}
		var of []trace.Record
		_ = event.Each(path, func(e event.Event) { // what can be read
			if e.Kind == event.Iteration {
				of = append(of, trace.OfEvent(&e))
			}
		})
		counts = append(counts, slice.Thin(of, curvePoints)...)
	}
	return counts
}

// resolved returns the folder of a study that is given by its name or the begin of it, and any other path as it is.
func resolved(cmd *cobra.Command, path string) (string, error) {
	if _, err := os.Stat(path); path == "-" || path == "" || !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	return runs.StudyFolder(cmd, path)
}

func isStudy(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, studylog.FileName))
	return err == nil
}

// recordings are the files of a run folder that have a trace.
var recordings = []string{plugin.SensorsFile, plugin.MarksFile}

// runFolders returns the folders of a study, all or of one run, that have recordings.
func runFolders(study, pattern string) (folders []string) {
	for _, name := range recordings {
		files, _ := filepath.Glob(filepath.Join(study, pattern, name)) // a bad pattern is no run
		for _, f := range files {
			if folder := filepath.Dir(f); !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// readRun passes on the recordings of a run.
func readRun(folder string, take func(trace.Record), tell func(trace.Problem)) error {
	for _, name := range recordings {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			continue // the run has not recorded
		}
		by, named, err := recording(path)
		if err != nil {
			return err
		}
		err = fileSource(nil, path, by).read(nil, func(r trace.Record) error {
			take(named(r))
			return nil
		}, func(p trace.Problem) {
			p.Message = filepath.Join(filepath.Base(folder), name) + ": " + p.Message
			tell(p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recording returns the description of a run's file, nil for that of sensors, and the function that names the processes
// of its records.
func recording(path string) (by *format.Description, named func(trace.Record) trace.Record, err error) {
	if filepath.Base(path) != plugin.MarksFile {
		return nil, func(r trace.Record) trace.Record { return r }, nil
	}
	by, err = format.LoadDescription("marks")
	return by, func(r trace.Record) trace.Record {
		if r.Process = filepath.Base(filepath.Dir(path)); r.Thread != "main" {
			r.Process += "/" + r.Thread
		}
		return r
	}, err
}

// withFormat gives a verb the flag for a format that is described.
func withFormat(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().String("format", "", "`description` of the trace's format: a file, or "+
		strings.Join(format.Described(), " or "))
	return cmd
}

// description returns that of the flag; nil: none.
func description(cmd *cobra.Command) (*format.Description, error) {
	if f := cmd.Flags().Lookup("format"); f != nil && f.Changed {
		return format.LoadDescription(f.Value.String())
	}
	return nil, nil
}

// mostTold is the number of problems that a command prints; the rest is counted.
const mostTold = 20

// warn prints the problems of a trace.
func (l *loaded) warn(cmd *cobra.Command, path string) {
	more := int64(0)
	for i, p := range l.problems {
		if i < mostTold {
			cli.Warn(cmd, "%s:%d: %s", path, p.Line, p.Message)
		} else {
			more += max(1, p.Lines)
		}
	}
	if more > 0 {
		cli.Warn(cmd, "%s: and %d more lines", path, more)
	}
}

// lines writes values as lines of JSON.
func lines(cmd *cobra.Command) *json.Encoder {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	return e
}
