package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

func newRuns(at clock.Clock) *cobra.Command {
	cmd := group("runs", "List, show, stop, resume and remove solver runs", newRunsList(at), newRunsShow(at), newRunsStop(), newRunsResume(), newRunsGC(at))
	cmd.Long = `Solver runs, as their folders below --work tell them: those that go on, those
that ended, and those whose Peregrine has died.

Where a verb takes STUDY/RUN, the beginning of either name does, if it is the only
one that begins so. What one command asks of solvers is a study.`
	return cmd
}

// allRuns reads the run folders.
func allRuns(cmd *cobra.Command) ([]run.Run, config.Settings, error) {
	settings, err := config.LoadSettings(cmd.Flags())
	if err != nil {
		return nil, settings, badInput(err)
	}
	runs, err := run.ListRuns(cmd.Context(), settings.Work, launchers)
	return runs, settings, badInput(err)
}

// listedRun is a row of the list, and the first lines of `runs show`.
type listedRun struct {
	Study   string     `json:"study"`
	Run     string     `json:"run"`
	Solver  string     `json:"solver,omitempty"`
	Class   string     `json:"class"` // "running" while it runs
	Orphan  bool       `json:"orphan,omitempty"`
	Wall    float64    `json:"wall,omitempty"` // s
	Started *time.Time `json:"started,omitempty"`
	Message string     `json:"message,omitempty"`
	PID     int        `json:"pid,omitempty"`
	Folder  string     `json:"folder"`
}

func newListedRun(r run.Run, now time.Time) listedRun {
	l := listedRun{
		Study: r.Study, Run: r.Name, Solver: r.Solver, Class: string(r.Class), Orphan: r.Orphan,
		Wall: r.Wall.Seconds(), Message: r.Message, PID: r.PID, Folder: r.Folder,
	}
	if !r.Started.IsZero() {
		l.Started = &r.Started
	}
	if r.Class == "" {
		l.Class = "running"
		l.Wall = now.Sub(r.Started).Seconds()
	}
	if r.Err != nil {
		l.Message = r.Err.Error()
	}
	return l
}

func (l listedRun) wall() string { return wallText(time.Duration(l.Wall * float64(time.Second))) }

func (l listedRun) class() string {
	if l.Orphan {
		return l.Class + ", orphan"
	}
	return l.Class
}

func newRunsList(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [STUDY]", Short: "List runs and how they ended", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, settings, err := allRuns(cmd)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if runs, err = ofStudy(runs, args[0]); err != nil {
					return badInput(err)
				}
			}
			rows := []listedRun{}
			for _, r := range runs {
				rows = append(rows, newListedRun(r, at.Now()))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), rows)
			}
			if len(rows) == 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "no runs in %s\n", settings.Work)
				return nil
			}
			return printRuns(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON; wall in s")
	return cmd
}

func printRuns(w io.Writer, rows []listedRun) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "study\trun\tclass\twall\tstarted\tmessage")
	for _, r := range rows {
		var started time.Time
		if r.Started != nil {
			started = *r.Started
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Study, r.Run, r.class(), r.wall(), dateText(started), oneLine(r.Message, 100))
	}
	return t.Flush()
}

// uniqueName returns the name equal to key or, if there is none, the only name that begins with
// it.
func uniqueName(what, key string, names []string) (string, error) {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if slices.Contains(names, key) {
		return key, nil
	}
	var found []string
	for _, n := range names {
		if key != "" && strings.HasPrefix(n, key) {
			found = append(found, n)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("there is no %s %q%s", what, key, spell.Hint(key, names))
	}
	return "", fmt.Errorf("%q is the beginning of several names: %s", key, spell.List(found, "and"))
}

// ofStudy returns the runs of one study.
func ofStudy(runs []run.Run, key string) ([]run.Run, error) {
	var names []string
	for _, r := range runs {
		names = append(names, r.Study)
	}
	study, err := uniqueName("study", key, names)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r run.Run) bool { return r.Study != study }), nil
}

// findRun returns the run of an argument STUDY/RUN.
func findRun(runs []run.Run, arg string) (run.Run, error) {
	study, name, ok := strings.Cut(arg, "/")
	if !ok {
		return run.Run{}, fmt.Errorf("%q names no run; give STUDY/RUN, as `peregrine runs list` shows them", arg)
	}
	runs, err := ofStudy(runs, study)
	if err != nil {
		return run.Run{}, err
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
	}
	if name, err = uniqueName("run", name, names); err != nil {
		return run.Run{}, fmt.Errorf("study %s: %w", runs[0].Study, err)
	}
	return runs[slices.Index(names, name)], nil
}

// answerTime is the time limit for a plugin to accept a command, which it does between two
// iterations.
const answerTime = 30 * time.Second

func newRunsStop() *cobra.Command {
	return commandRuns("stop", "Stop runs at their next checkpoint and keep their files", "was asked to stop", run.Stop)
}

func newRunsResume() *cobra.Command {
	return commandRuns("resume", "Let runs go on that were paused, by a rule for one", "goes on", run.Resume)
}

// commandRuns is a verb that commands runs that go on. Done is what is said of each.
func commandRuns(verb, short, done string, command func(context.Context, run.Run, launch.Registry, string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " STUDY/RUN...", Short: short, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			runs, _, err := allRuns(cmd)
			if err != nil {
				return err
			}
			var problems []error
			for _, arg := range args {
				r, err := findRun(runs, arg)
				if err == nil {
					err = commandRun(cmd.Context(), r, verb, command)
				}
				if err != nil {
					problems = append(problems, err)
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s/%s %s\n", r.Study, r.Name, done)
			}
			return badInput(errors.Join(problems...))
		},
	}
}

func commandRun(ctx context.Context, r run.Run, verb string, command func(context.Context, run.Run, launch.Registry, string) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := command(ctx, r, launchers, "`runs "+verb+"` of "+userName())
	if errors.Is(err, run.ErrNotRunning) {
		return fmt.Errorf("run %s/%s has ended: %s", r.Study, r.Name, cmp.Or(string(r.Class), "unknown"))
	}
	if err != nil {
		return fmt.Errorf("run %s/%s: %w", r.Study, r.Name, err)
	}
	return nil
}

// userName returns the user and the machine of this process, as far as the system knows them.
func userName() string {
	name, machine := "an unknown user", "an unknown machine"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		machine = h
	}
	return name + " on " + machine
}
