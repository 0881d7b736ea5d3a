package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/view"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// Studies at the command line, as their logs show them.

func newStudiesVerb() *cobra.Command {
	cmd := cli.Group("studies", "List, show, mark and clear away studies", newStudiesList(), newStudiesShow(),
		newNote(), newTag(), newKeep(), newStudiesGC())
	cmd.Long = `List, show, mark and clear away studies.

A study is everything that one run, zoom or sweep asks of solvers. Its folder below --work
holds its log and a folder for each run; --study names it, else it is ENGINE-DATE-NUMBER.
STUDY may be the beginning of a name, if it is the only one that begins so.`
	return cmd
}

// listedStudy is a row of the list, and the first lines of `studies show`.
type listedStudy struct {
	Study    string    `json:"study"`
	State    string    `json:"state"` // running, or how its last command ended; lost: it did not end; unknown: a newer program wrote its log
	Engine   string    `json:"engine,omitempty"`
	File     string    `json:"file,omitempty"`
	Command  string    `json:"command,omitempty"`
	Version  string    `json:"version,omitempty"`
	Begun    time.Time `json:"begun,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	Planned  int       `json:"planned"`
	Done     int       `json:"done"`
	Cached   int       `json:"cached"`
	Failed   int       `json:"failed"`
	Message  string    `json:"message,omitempty"`
	Folder   string    `json:"folder"`
	Problems []string  `json:"problems,omitempty"` // damaged parts of the log
}

// listStudy summarizes a study from all its events.
func listStudy(folder string) (s listedStudy, state view.Study, events []event.Event) {
	events, err := studylog.ReadAll(folder)
	state = view.Of(events)
	c, p := state.Last(), state.Progress
	s = listedStudy{Study: filepath.Base(folder), State: c.State(), Folder: folder, Engine: c.Engine, File: c.File,
		Command: c.Text, Version: c.Version, Begun: c.Begun, Ended: c.Ended, Message: c.Message,
		Planned: p.Planned, Done: p.Done, Cached: p.Cached, Failed: p.Failed}
	if err != nil {
		s.Problems = append(s.Problems, err.Error())
	}
	if errors.As(err, new(*event.FormatError)) {
		s.State = index.Unknown
	}
	if studylog.Busy(folder) {
		s.State = "running"
	}
	return s, state, events
}

// Studies returns the names of the studies and the settings.
func Studies(cmd *cobra.Command) ([]string, settings.Settings, error) {
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return nil, settings, err
	}
	names, err := studylog.List(settings.Work)
	return names, settings, err
}

func newStudiesList() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "list", Short: "List studies and how they ended", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			names, settings, err := Studies(cmd)
			if err != nil {
				return err
			}
			rows := []listedStudy{}
			for _, name := range names {
				s, _, _ := listStudy(filepath.Join(settings.Work, name))
				rows = append(rows, s)
			}
			return cli.PrintList(cmd, rows, "no studies in "+settings.Work, studyTable)
		},
	})
}

func studyTable(rows []listedStudy) string {
	t := table.New("l", "study", "state", "runs", "begun", "command")
	for _, s := range rows {
		runs := fmt.Sprintf("%d/%d", s.Done, s.Planned)
		t.Row(s.Study, s.State, runs, cli.Date(s.Begun), printable.Line(s.Command, 100))
	}
	return t.String()
}

// shownStudy is the content of a study's log.
type shownStudy struct {
	listedStudy
	Progress string            `json:"progress"`
	Marks    []*studylog.Marks `json:"marks,omitempty"`  // notes, tags, keep marks
	Nodes    []view.Node       `json:"nodes,omitempty"`  // machines of launchers on which runs were made
	Blocks   []view.Block      `json:"blocks,omitempty"` // of nodes, that have not ended
	Events   []event.Event     `json:"events"`           // without reports of running runs
}

func newStudiesShow() *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "show STUDY", Short: "Show a study's runs and results, while it runs or later", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, settings, err := Studies(cmd)
			if err != nil {
				return err
			}
			name, err := cli.UniqueName("study", args[0], names)
			if err != nil {
				return err
			}
			folder := filepath.Join(settings.Work, name)
			if err := event.CheckFormat(filepath.Join(folder, studylog.FileName)); err != nil {
				return err
			}
			head, state, events := listStudy(folder)
			p := state.Progress
			s := shownStudy{listedStudy: head, Progress: p.Line(cli.Clock(cmd).Now()), Nodes: p.Nodes, Blocks: p.Blocks,
				Events: []event.Event{}}
			marks, err := studylog.ReadMarks(folder, time.Time{})
			if err != nil {
				s.Problems = append(s.Problems, err.Error())
			}
			for _, run := range slices.Sorted(maps.Keys(marks)) {
				s.Marks = append(s.Marks, marks[run])
			}
			for _, e := range events {
				if e.Source == event.Executive || e.Source == event.Host {
					s.Events = append(s.Events, e)
				}
			}
			return cli.PrintValue(cmd, s, shownStudy.text)
		},
	})
}

func (s shownStudy) text() string {
	t := table.Indented("l")
	state := s.State
	if s.Message != "" {
		state += ": " + printable.Line(s.Message, 400)
	}
	t.Field("state", state)
	t.Field("engine", strings.TrimSpace(s.Engine+" "+s.File))
	t.Field("command", printable.Line(s.Command, 400))
	t.Field("version", s.Version)
	t.Field("begun", cli.Date(s.Begun))
	t.Field("ended", cli.Date(s.Ended))
	t.Field("progress", s.Progress)
	t.Field("folder", s.Folder)
	for _, p := range s.Problems {
		t.Row("damaged", p)
	}
	events := table.Indented("l")
	for _, e := range s.Events {
		if text := view.LogLine(e); text != "" {
			events.Row(e.Time.Local().Format("15:04:05"), string(e.Kind), printable.Line(text, 200))
		}
	}
	return fmt.Sprintf("%s\n%s%s%s\nevents\n%s", printable.Cell(s.Study), t, marksText(s.Marks), s.nodes(), events)
}

// nodes lists the work and the losses of each node.
func (s shownStudy) nodes() string {
	if len(s.Nodes) == 0 {
		return ""
	}
	t := table.Indented("l", "node", "block", "runs", "running", "lost", "core hours", "waited")
	for _, n := range s.Nodes {
		t.Row(n.Name, cli.OrNone(n.Block), strconv.Itoa(n.Ended), strconv.Itoa(n.Running), strconv.Itoa(n.Lost),
			fmt.Sprintf("%.3g", n.Hours), cli.Took(n.Waited))
	}
	return "\nnodes\n" + t.String()
}

func newStudiesGC() *cobra.Command {
	age := cli.Age(30 * 24 * time.Hour)
	var all, dry bool
	cmd := cli.WithJSON("print the names as JSON", &cobra.Command{
		Use: "gc", Short: "Remove the folders of studies that ended long ago", Args: cobra.NoArgs,
		Long: `Remove the folders of studies that ended long ago, with their logs and runs. Studies that go on,
or of which a run goes on or is kept, stay. Answers stay too: they are in the cache.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			before := cli.Clock(cmd).Now()
			if !all {
				before = before.Add(-time.Duration(age))
			}
			return removeStudies(cmd, before, dry)
		},
	})
	f := cmd.Flags()
	f.Var(&age, "older-than", `how long ago a study must have ended, such as "7d", "12 h" or "30 min"`)
	f.BoolVar(&all, "all", false, "remove all studies that have ended")
	f.BoolVar(&dry, "dry-run", false, "only print the files that would be removed")
	cmd.MarkFlagsMutuallyExclusive("older-than", "all")
	return cmd
}

// removeStudies removes the studies that ended before a time, or lists them if dry.
func removeStudies(cmd *cobra.Command, before time.Time, dry bool) error {
	names, settings, err := Studies(cmd)
	if err != nil {
		return err
	}
	going, err := runningStudies(cmd.Context(), settings.Work)
	if err != nil {
		return err
	}
	removed := []string{}
	var total int64
	var failed error
	for _, name := range names {
		folder := filepath.Join(settings.Work, name)
		if going[name] || studylog.Busy(folder) || !endedBefore(folder, before) {
			continue
		}
		if err := event.CheckFormat(filepath.Join(folder, studylog.FileName)); err != nil {
			cli.Warn(cmd, "left %s: %v", printable.Cell(name), err)
			continue
		}
		if marks, err := studylog.ReadMarks(folder, time.Time{}); err != nil {
			cli.Warn(cmd, "left %s: its notes may keep it: %v", printable.Cell(name), err)
			continue
		} else if marks.KeepsAny() {
			continue
		}
		if at, err := os.Lstat(folder); err == nil && !at.IsDir() {
			cli.Warn(cmd, "left %s: it is a link to a folder; remove the link, or name the folder's own place by "+
				"--work", printable.Cell(name))
			continue
		}
		_, size := private.Content(folder)
		if !dry {
			ended, left, err := study.Remove(folder)
			for _, l := range left {
				cli.Warn(cmd, "left %s: no study made it", filepath.Join(folder, printable.Cell(l)))
			}
			if err != nil { // the other studies are removed all the same
				failed = errors.Join(failed, err)
				continue
			}
			if !ended {
				continue
			}
			_, rest := private.Content(folder)
			size -= rest
		}
		removed, total = append(removed, name), total+size
	}
	if cli.AsJSON(cmd) {
		return errors.Join(cli.PrintJSON(cmd, removed), failed)
	}
	for _, name := range removed {
		fmt.Fprintln(cmd.OutOrStdout(), printable.Cell(name))
	}
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s %d of %s, %s\n", verb, len(removed), cmp.Or(many(len(names)), "no studies"),
		cli.Bytes(total))
	return failed
}

// endedBefore reports whether the last event of a study's log is not after a time. The date of a log without a readable
// event takes its place: copies of a study have new dates.
func endedBefore(folder string, at time.Time) bool {
	info, err := os.Stat(filepath.Join(folder, studylog.FileName))
	if err != nil {
		return false
	}
	ended := info.ModTime()
	if events, _ := studylog.Read(folder); len(events) > 0 { // a torn log has the events before
		ended = events[len(events)-1].Time
	}
	return !ended.After(at)
}

func many(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 study"
	}
	return fmt.Sprintf("%d studies", n)
}

// runningStudies returns the studies with a run that has not ended.
func runningStudies(ctx context.Context, work string) (map[string]bool, error) {
	runs, err := record.ListRuns(ctx, work, cli.Launchers)
	going := map[string]bool{}
	for _, r := range runs {
		going[r.Study] = going[r.Study] || r.MayRun()
	}
	return going, err
}
