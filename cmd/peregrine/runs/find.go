package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Open opens the index of the runs.
func Open(cmd *cobra.Command) (*index.Index, settings.Settings, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, settings, err
	}
	x, err := index.Open(cmd.Context(), source(cmd, settings.Work))
	return x, settings, err
}

// source is where the index of a work folder comes from.
func source(cmd *cobra.Command, work string) index.Source {
	return index.Source{Work: work, Launchers: cli.Launchers, Clock: cli.Clock(cmd), Known: solver.Descriptions(),
		Warn: func(text string) { cli.Warn(cmd, "%s", text) }}
}

// Find returns the state of the run of an argument STUDY/RUN, as its folder has it now.
func Find(cmd *cobra.Command, arg string) (record.Run, error) {
	x, settings, err := Open(cmd)
	if err != nil {
		return record.Run{}, err
	}
	defer x.Close()
	study, name, err := findRun(cmd.Context(), x, arg)
	if err != nil {
		return record.Run{}, err
	}
	return record.ReadRun(cmd.Context(), filepath.Join(settings.Work, study, name), cli.Launchers), nil
}

// FindStudy returns the name of the study with a name, or of the only study whose name begins with it. If all runs of
// the study were removed the error is a [*EmptyStudyError].
func FindStudy(ctx context.Context, x *index.Index, key string) (string, error) {
	names, err := x.Studies(ctx)
	if err != nil || slices.Contains(names, key) {
		return key, err
	}
	logged, err := studylog.List(x.Work)
	if err != nil {
		return "", err
	}
	if slices.Contains(logged, key) {
		return "", &EmptyStudyError{key}
	}
	name, err := cli.UniqueName("study", key, names)
	if !errors.As(err, new(*cli.NoNameError)) {
		return name, err
	}
	if name, err := cli.UniqueName("study", key, logged); err == nil {
		return "", &EmptyStudyError{name}
	}
	_, err = cli.UniqueName("study", key, slices.Concat(names, logged))
	return "", err
}

// EmptyStudyError reports a study of which only the log exists.
type EmptyStudyError struct{ Study string }

func (e *EmptyStudyError) Error() string { return fmt.Sprintf("study %s has no runs left", e.Study) }

// whence says from which studies the answers of a study without runs came; "": not all came from the cache.
func (e *EmptyStudyError) whence(work string) string {
	events, _ := event.Read(filepath.Join(work, e.Study, studylog.FileName))
	answers, from := 0, map[string]int{}
	for _, v := range events {
		switch {
		case v.Kind != event.Ended:
			continue
		case !v.Cached:
			return ""
		}
		answers++
		if _, err := os.Stat(filepath.Join(v.Folder, plugin.EventsFile)); v.Folder != "" && err == nil {
			from[filepath.Base(filepath.Dir(v.Folder))]++
		}
	}
	if answers == 0 {
		return ""
	}
	text := fmt.Sprintf("study %s made no runs: all its %s came from the cache", e.Study,
		spell.Count(answers, "answer"))
	for _, study := range slices.Sorted(maps.Keys(from)) {
		text += fmt.Sprintf("\n%d of them by runs of %s: peregrine runs list %[2]s", from[study], study)
	}
	return text
}

// findRun returns the names of the run of an argument: STUDY/RUN, or the folder of a run.
func findRun(ctx context.Context, x *index.Index, arg string) (study, name string, err error) {
	elsewhere := ""
	if _, statErr := os.Stat(filepath.Join(arg, plugin.EventsFile)); statErr == nil {
		if study, name, elsewhere = placeBelow(x.Work, arg); elsewhere == "" {
			return study, name, nil
		}
	}
	study, name, ok := strings.Cut(arg, "/")
	if !ok {
		return "", "", fmt.Errorf("%q names no run; give STUDY/RUN, as `peregrine runs list` shows them", arg)
	}
	if study, err = FindStudy(ctx, x, study); err == nil {
		var names []string
		if names, err = x.Runs(ctx, study); err != nil {
			return "", "", err
		}
		if name, err = cli.UniqueName("run", name, names); err != nil {
			err = fmt.Errorf("study %s: %w", study, err)
		}
	}
	if err != nil && elsewhere != "" {
		err = fmt.Errorf("%s is the folder of a run, but not below %s; give --work %s", arg, x.Work, elsewhere)
	}
	return study, name, err
}

// placeBelow returns study and name of a run's folder below the work folder. For a run elsewhere it returns the other
// work folder.
func placeBelow(work, folder string) (study, name, elsewhere string) {
	real := func(path string) string {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		return path
	}
	folder = real(folder)
	of := filepath.Dir(folder)
	if below := filepath.Dir(of); below != real(work) {
		return "", "", below
	}
	return filepath.Base(of), filepath.Base(folder), ""
}

// answerTime is the time limit for a plugin to accept a command, which it does between two iterations.
const answerTime = 30 * time.Second

func newRunsStop() *cobra.Command {
	return commandRuns("stop", "Stop runs at their next checkpoint and keep their files", "was asked to stop",
		record.Stop)
}

func newRunsResume() *cobra.Command {
	return commandRuns("resume", "Let runs go on that were paused, by a rule for one", "was asked to go on",
		record.Resume)
}

// commandRuns returns a verb that commands running runs. done is the report for each.
func commandRuns(verb, short, done string,
	command func(context.Context, record.Run, launch.Registry, string) error) *cobra.Command {
	var where string
	cmd := &cobra.Command{
		Use: verb + " [STUDY/RUN...]", Short: short,
		Example: "  peregrine runs " + verb + " study/run\n  peregrine runs " + verb +
			` --where 'solver == "throughflow" and wall > 20 min'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == (where == "") {
				return errors.New("give either STUDY/RUN or --where")
			}
			return commandAll(cmd, args, where, verb, done, command)
		},
	}
	cmd.Flags().Var(cli.NonEmpty(&where, "condition"), "where",
		verb+" those of the runs that go on of which this condition holds; see peregrine help runs")
	return cmd
}

// commandAll commands runs, and prints the result of each.
func commandAll(cmd *cobra.Command, args []string, where, verb, done string,
	command func(context.Context, record.Run, launch.Registry, string) error) error {
	x, settings, err := Open(cmd)
	if err != nil {
		return err
	}
	defer x.Close()
	names, problems, err := toCommand(cmd.Context(), x, args, where)
	if err != nil {
		return err
	}
	if where != "" && len(names) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no running run matches")
	}
	for _, name := range names {
		r := record.ReadRun(cmd.Context(), filepath.Join(settings.Work, filepath.FromSlash(name)), cli.Launchers)
		switch err := commandRun(cmd.Context(), r, verb, command); {
		case err == nil:
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", printable.Cell(name), done)
		case where == "" || !errors.Is(err, record.ErrNotRunning): // a run of the condition may have ended meanwhile
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// toCommand returns the runs of the arguments STUDY/RUN, with the errors of the others, or the running runs of a
// condition.
func toCommand(ctx context.Context, x *index.Index, args []string,
	where string) (names []string, problems []error, err error) {
	for _, arg := range args {
		study, name, err := findRun(ctx, x, arg)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		names = append(names, study+"/"+name)
	}
	if where == "" {
		return names, problems, nil
	}
	chosen, err := chosenRuns(ctx, x, where, index.Running)
	return slices.Sorted(maps.Keys(chosen)), nil, err
}

// chosenRuns returns the runs of a condition, as STUDY/RUN, restricted to a class if one is given.
func chosenRuns(ctx context.Context, x *index.Index, where, class string) (map[string]bool, error) {
	condition, err := x.Fields().Condition(where)
	if err != nil {
		return nil, err
	}
	fields, err := x.Fields().Choose([]string{"study", "run", "class"})
	if err != nil {
		return nil, err
	}
	rows, err := x.Find(ctx, index.Query{Where: condition, Fields: fields})
	chosen := map[string]bool{}
	for _, row := range rows {
		if class == "" || row[2] == class {
			chosen[fmt.Sprint(row[0], "/", row[1])] = true
		}
	}
	return chosen, err
}

func commandRun(ctx context.Context, r record.Run, verb string,
	command func(context.Context, record.Run, launch.Registry, string) error) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := command(ctx, r, cli.Launchers, "`runs "+verb+"` of "+cli.UserName())
	if errors.Is(err, record.ErrNotRunning) {
		return &endedError{r}
	}
	if err != nil {
		return fmt.Errorf("run %s/%s: %w", r.Study, r.Name, err)
	}
	return nil
}

// endedError reports a command to a run that has ended.
type endedError struct{ run record.Run }

func (e *endedError) Error() string {
	return fmt.Sprintf("run %s/%s has ended: %s", e.run.Study, e.run.Name, cmp.Or(string(e.run.Class), "unknown"))
}
func (e *endedError) Unwrap() error { return record.ErrNotRunning }

// StudyFolder returns the folder of a study that an argument names, empty for a file or another folder.
func StudyFolder(cmd *cobra.Command, arg string) (string, error) {
	info, err := os.Stat(arg)
	if err == nil {
		if _, err := os.Stat(filepath.Join(arg, studylog.FileName)); err == nil && info.IsDir() {
			abs, err := filepath.Abs(arg)
			return abs, err
		}
	}
	names, settings, listErr := Studies(cmd)
	if listErr != nil {
		return "", listErr
	}
	name, nameErr := cli.UniqueName("study", arg, names)
	switch {
	case nameErr == nil && (err != nil || name == arg):
		return filepath.Join(settings.Work, name), nil
	case err == nil:
		return "", nil
	case errors.Is(err, fs.ErrNotExist):
		return "", missing(arg, settings, nameErr)
	}
	return "", err
}

// missing reports a name that is neither a file nor a study.
func missing(arg string, settings settings.Settings, why error) error {
	return fmt.Errorf("there is no file or folder %s, and in %s %w; `peregrine studies list` lists the studies", arg,
		settings.Work, why)
}

// OfStudy returns the runs of a study's folder for which a condition holds.
func OfStudy(ctx context.Context, cmd *cobra.Command, folder, where string) ([]string, error) {
	x, err := index.Open(ctx, source(cmd, filepath.Dir(folder)))
	if err != nil {
		return nil, err
	}
	defer x.Close()
	chosen, err := chosenRuns(ctx, x, where, "")
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if run, of := strings.CutPrefix(name, filepath.Base(folder)+"/"); of {
			list = append(list, run)
		}
	}
	return list, err
}
