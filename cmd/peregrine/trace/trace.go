// Package trace has the verbs that show what the processes of a parallel program did, and when.
package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/internal/intake"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// loaded is a trace with what could not be read of it.
type loaded struct {
	records  []trace.Record // by time
	problems []trace.Problem
}

// load reads a trace, and prints the problems of its lines.
func load(cmd *cobra.Command, path string) (loaded, error) {
	l, err := readAll(cmd, path)
	if err == nil {
		l.warn(cmd, path)
	}
	return l, err
}

// readAll reads a trace file, the trace files of a folder, or a study. "-" is standard input.
func readAll(cmd *cobra.Command, path string) (l loaded, err error) {
	take := func(r trace.Record) { l.records = append(l.records, r) }
	if path, err = resolved(cmd, path); err != nil {
		return l, err
	}
	files := []string{path}
	if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
		if isStudy(path) {
			events, err := studylog.ReadAll(path)
			l.records = trace.OfStudy(events)
			return l.runs(cmd, path, err)
		}
		if folders := runFolders(filepath.Dir(path), filepath.Base(path)); len(folders) > 0 {
			err := l.run(cmd, path)
			trace.Sort(l.records)
			return l, err
		}
		if files, err = filesOf(path); err != nil {
			return l, err
		}
	}
	by, err := description(cmd)
	if err != nil {
		return l, err
	}
	for _, file := range files {
		err := read(cmd, file, by, take, func(p trace.Problem) {
			if len(files) > 1 {
				p.Message = filepath.Base(file) + ": " + p.Message
			}
			l.problems = append(l.problems, p)
		})
		if err != nil {
			return l, err
		}
	}
	trace.Sort(l.records)
	return l, nil
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

// runs adds what the runs of a study have recorded.
func (l loaded) runs(cmd *cobra.Command, study string, failed error) (loaded, error) {
	for _, folder := range runFolders(study, "*") {
		failed = errors.Join(failed, l.run(cmd, folder))
	}
	trace.Sort(l.records)
	return l, failed
}

// run adds what a run has recorded.
func (l *loaded) run(cmd *cobra.Command, folder string) error {
	marks, err := format.LoadDescription("marks")
	if err != nil {
		return err
	}
	tell := func(name string) func(trace.Problem) {
		return func(p trace.Problem) {
			p.Message = filepath.Join(filepath.Base(folder), name) + ": " + p.Message
			l.problems = append(l.problems, p)
		}
	}
	for _, name := range recordings {
		var by *format.Description
		take := func(r trace.Record) { l.records = append(l.records, r) }
		if name == plugin.MarksFile {
			by, take = marks, func(r trace.Record) {
				if r.Process = filepath.Base(folder); r.Thread != "main" {
					r.Process += "/" + r.Thread
				}
				l.records = append(l.records, r)
			}
		}
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			continue // the run has not recorded
		}
		if err := read(cmd, path, by, take, tell(name)); err != nil {
			return err
		}
	}
	return nil
}

// filesOf lists the regular files of a folder.
func filesOf(folder string) (files []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: neither a study nor a folder of traces: it has no files", folder)
	}
	return files, err
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

func read(cmd *cobra.Command, path string, by *format.Description, take func(trace.Record),
	tell func(trace.Problem)) error {
	if path == "-" {
		return format.Read(cmd.InOrStdin(), by, take, tell)
	}
	f, err := intake.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no such file: %s", path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := format.Read(f, by, take, tell); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// mostTold is the number of problems that a command prints; the rest is counted.
const mostTold = 20

// warn prints the problems of a trace.
func (l *loaded) warn(cmd *cobra.Command, path string) {
	for i, p := range l.problems {
		if i == mostTold {
			cli.Warn(cmd, "%s: and %d more lines", path, len(l.problems)-i)
			return
		}
		cli.Warn(cmd, "%s:%d: %s", path, p.Line, p.Message)
	}
}

// lines writes values as lines of JSON.
func lines(cmd *cobra.Command) *json.Encoder {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	return e
}
