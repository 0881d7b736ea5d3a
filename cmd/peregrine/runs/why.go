package runs

// Why a run was made, or its answer was taken from the cache: a dry run, afterwards.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// reason is why a run was made, or was not.
type reason struct {
	Study string `json:"study"`
	Run   string `json:"run"`
	State string `json:"state"`          // cached, new or not_run
	Key   string `json:"key,omitempty"`  // of the answer of a new run; empty: it has none in the cache
	From  string `json:"from,omitempty"` // STUDY/RUN of a cached answer
	Text  string `json:"text,omitempty"` // as the study recorded it
	Nearest
}

// NewWhy returns the verb `cache why`.
func NewWhy() *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "why STUDY/RUN", Short: "Say why a run was made: the nearest earlier one, and what differs",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := why(cmd, args[0])
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, r, reason.String)
		},
	})
}

func why(cmd *cobra.Command, arg string) (r reason, err error) {
	x, s, err := Open(cmd)
	if err != nil {
		return r, err
	}
	defer x.Close()
	r.Differs = []Change{}
	study, name, found := findRun(cmd.Context(), x, arg)
	if found != nil { // perhaps its answer was cached: it has no folder
		if r.Study, r.Run, err = loggedRun(x.Work, arg); err != nil {
			return r, errors.Join(found, noLog(err))
		}
		r.fromLog(filepath.Join(x.Work, r.Study))
		return r, nil
	}
	r.Study, r.Run, r.State = study, name, "new"
	folder := filepath.Join(x.Work, study, name)
	of, err := record.Read(folder)
	if err != nil {
		return r, fmt.Errorf("run %s/%s: %w", study, name, err)
	}
	r.Key = of.Key
	earlier, err := EarlierRuns(cmd.Context(), x, s)
	if err != nil {
		return r, err
	}
	solver, version, _ := strings.Cut(of.Process.Solver, " ")
	r.Nearest = earlier.Nearest(&Wanted{Job: record.JobOf(name), Solver: solver, Version: version,
		Request: of.Request, Key: of.Key, Program: func() run.Maker { return of.Process.Maker },
		Before: of.Process.Started})
	return r, nil
}

// loggedRun returns the names of a run in the log of a study.
func loggedRun(work, arg string) (study, name string, err error) {
	study, name, _ = strings.Cut(arg, "/")
	studies, err := studylog.List(work)
	if err == nil {
		study, err = cli.UniqueName("study", study, studies)
	}
	if err != nil {
		return "", "", err
	}
	events, _ := studylog.Read(filepath.Join(work, study)) // a torn log has the events before
	names := map[string]bool{}
	for _, e := range events {
		if e.Source == event.Executive && e.Run != "" {
			names[e.Run] = true
		}
	}
	name, err = cli.UniqueName("run", name, slices.Collect(maps.Keys(names)))
	return study, name, err
}

// noLog leaves out an error of a log that repeats the error of the index.
func noLog(err error) error {
	if errors.As(err, new(*cli.NoNameError)) {
		return nil
	}
	return err
}

// fromLog completes a reason by the end of the run in its study's log.
func (r *reason) fromLog(study string) {
	events, _ := studylog.Read(study) // it was read before
	r.State, r.Text = string(run.NotRun), "it did not start"
	for _, e := range events {
		if e.Source != event.Executive || e.Run != r.Run || e.Kind != event.Ended {
			continue
		}
		if r.State, r.From, r.Text = string(run.NotRun), "", e.Text; e.Cached {
			r.State = "cached"
			r.From = filepath.Base(filepath.Dir(e.Folder)) + "/" + filepath.Base(e.Folder)
		}
	}
}

func (r reason) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s: ", printable.Cell(r.Study), printable.Cell(r.Run))
	switch r.State {
	case "cached":
		fmt.Fprintf(&b, "cached, the answer of %s", printable.Cell(r.From))
	case "new":
		b.WriteString("new")
	default:
		b.WriteString("not run")
	}
	if r.Text != "" {
		b.WriteString(": " + printable.Line(r.Text, 400))
	}
	b.WriteString("\n")
	if r.State == "new" {
		fmt.Fprintf(&b, "nearest earlier run: %s\n", printable.Cell(cmp.Or(r.Name, "none of its solver")))
	}
	for _, c := range r.Differs {
		fmt.Fprintf(&b, "  %s\n", printable.Line(c.String(), 400))
	}
	return b.String()
}
