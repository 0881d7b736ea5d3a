package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// shownRun is the content of a run's folder.
type shownRun struct {
	listedRun
	Maker    *run.Maker      `json:"maker,omitempty"`      // who computed it
	Hours    float64         `json:"core_hours,omitempty"` // cores of its node that it held, times its time
	Begins   *record.Parent  `json:"begins,omitempty"`     // checkpoint at which it begins; nil: at its beginning
	Branches []string        `json:"branches,omitempty"`   // of it
	Request  *plugin.Request `json:"request,omitempty"`
	Result   *plugin.Ending  `json:"result,omitempty"`
	Events   eventSummary    `json:"events"`
	Files    []shownFile     `json:"files"`
	Problems []string        `json:"problems,omitempty"` // damaged parts of the folder
}

// eventSummary summarizes a run's events.
type eventSummary struct {
	Count    map[event.Kind]int `json:"count"`
	Last     map[string]float64 `json:"last,omitempty"` // values of the last iteration
	Warnings []string           `json:"warnings,omitempty"`
	Messages []string           `json:"messages,omitempty"`
}

type shownFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

func newRunsShow() *cobra.Command {
	return cli.WithJSON("print as JSON, values in SI", &cobra.Command{
		Use: "show STUDY/RUN", Short: "Show a run's request, its events and its result", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, settings, err := Open(cmd)
			if err != nil {
				return err
			}
			defer x.Close()
			s, err := shown(cmd.Context(), x, settings.Work, args[0])
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, s, shownRun.text)
		},
	})
}

// shown reads the folder of the run of an argument.
func shown(ctx context.Context, x *index.Index, work, arg string) (shownRun, error) {
	study, name, err := findRun(ctx, x, arg)
	if err != nil {
		return shownRun{}, err
	}
	listed, err := listRuns(ctx, x, work, index.Query{Study: study, Run: name})
	if err == nil && len(listed) == 0 {
		err = fmt.Errorf("run %s/%s was removed meanwhile", study, name)
	}
	if err != nil {
		return shownRun{}, err
	}
	return examine(listed[0]), nil
}

// examine reads a run's folder. A damaged file is listed among the problems; a file that does
// not exist yet is left out.
func examine(r listedRun) shownRun {
	s := shownRun{listedRun: r, Files: []shownFile{}}
	note := func(err error) bool {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Problems = append(s.Problems, err.Error())
		}
		return err == nil
	}
	if record, err := record.Read(r.Folder); note(err) || record.Process.Launcher != "" {
		s.Request, s.Maker, s.Begins = &record.Request, &record.Process.Maker, record.Parent
		s.Hours = float64(record.Process.Cores) * r.Wall / 3600
	}
	branches, err := branch.Of(filepath.Dir(r.Folder), r.Run)
	note(err)
	s.Branches = branches
	var ending plugin.Ending
	if note(plugin.ReadFile(r.Folder, plugin.ResultFile, &ending)) {
		ending.Record = nil
		s.Result = &ending
	}
	events, err := event.Read(filepath.Join(r.Folder, plugin.EventsFile))
	note(err)
	s.Events = summarize(events)
	entries, err := os.ReadDir(r.Folder)
	note(err)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			s.Files = append(s.Files, shownFile{e.Name(), info.Size()})
		}
	}
	return s
}

func summarize(events []event.Event) eventSummary {
	s := eventSummary{Count: map[event.Kind]int{}}
	for _, e := range events {
		s.Count[e.Kind]++
		switch e.Kind {
		case event.Iteration:
			s.Last = e.Values
		case event.Warning:
			s.Warnings = append(s.Warnings, e.Text)
		case event.Message:
			s.Messages = append(s.Messages, e.Text)
		}
	}
	return s
}

func (s shownRun) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s\n%s", printable.Cell(s.Study), printable.Cell(s.Run), s.head())
	units := cli.UnitsOf(s.Solver)
	if s.Request != nil {
		b.WriteString(cli.Values("request", units, s.Request.Numbers, s.Request.Arrays, s.Request.Texts))
	}
	if s.Result != nil {
		b.WriteString(cli.Values("result", units, s.Result.Numbers, s.Result.Arrays, nil))
		if len(s.Result.NonFinite) > 0 {
			fmt.Fprintf(&b, "  not finite: %s\n", printable.Cell(strings.Join(s.Result.NonFinite, ", ")))
		}
	}
	s.Events.print(&b)
	t := table.Indented("l")
	for _, f := range s.Files {
		t.Row(f.Name, cli.Bytes(f.Size))
	}
	fmt.Fprintf(&b, "\nfiles\n%s", t)
	return b.String()
}

// head lists the facts of the run itself.
func (s shownRun) head() string {
	t := table.Indented("l")
	state := s.state()
	if s.Message != "" {
		state += ": " + printable.Line(s.Message, 400)
	}
	t.Field("solver", s.Solver)
	t.Field("state", state)
	if !s.Started.IsZero() {
		t.Row("started", cli.Date(s.Started))
	}
	t.Row("wall", s.wall())
	if s.CPU > 0 {
		t.Row("cpu", cli.Took(s.CPU))
	}
	if s.Memory > 0 {
		t.Row("memory", cli.Bytes(int64(s.Memory)))
	}
	s.maker(t)
	t.Field("component", s.Component)
	if s.Attempt > 1 {
		t.Row("attempt", fmt.Sprint(s.Attempt))
	}
	t.Field("cause", s.Cause)
	t.Field("begins", s.begins())
	t.Field("branches", strings.Join(s.Branches, ", "))
	t.Field("steered", s.steered())
	if s.Class == index.Running || s.Class == index.Unknown {
		t.Row("process", fmt.Sprint(s.PID))
	}
	t.Row("folder", s.Folder)
	for _, p := range s.Problems {
		t.Row("damaged", p)
	}
	return t.String()
}

// maker lists the machine that made the run, and the resources used.
func (s shownRun) maker(t *table.Table) {
	if s.Maker == nil {
		return
	}
	t.Field("node", s.Maker.Machine)
	t.Field("block", s.Maker.Block)
	if s.Waited > 0 {
		t.Row("waited", cli.Duration(s.waited()))
	}
	if s.Hours > 0 {
		t.Row("core hours", fmt.Sprintf("%.3g (%s)", s.Hours, spell.Count(s.Cores, "core")))
	}
	t.Field("system", s.Maker.Facts.String())
	t.Field("program", s.Maker.Sum())
}

// begins describes the checkpoint of another run at which the run begins; it is empty without one.
func (s shownRun) begins() string {
	p := s.Begins
	if p == nil {
		return ""
	}
	how := "in its place"
	if p.Branch {
		how = "as a branch beside it"
	}
	return fmt.Sprintf("at checkpoint %s of %s, iteration %d, %s",
		printable.Cell(p.Checkpoint), printable.Cell(p.Run), p.Iteration, how)
}

// steered lists the commands on which the answer may depend; empty if there are none.
func (s shownRun) steered() string {
	if s.Result == nil || len(s.Result.Steered) == 0 {
		return ""
	}
	acts := s.Result.Steered
	first := cli.NewReceipt(s.Study, "", acts[0])
	return fmt.Sprintf("%s, first at iteration %d: %s; see peregrine steer log", spell.Count(len(acts), "time"),
		acts[0].Iteration, first.Did())
}

func (s eventSummary) print(b *strings.Builder) {
	b.WriteString("\nevents\n")
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(s.Count)) {
		counts = append(counts, fmt.Sprintf("%s %d", kind, s.Count[kind]))
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(counts, ", "))
	if s.Last != nil {
		b.WriteString("  last iteration:")
		for _, name := range slices.Sorted(maps.Keys(s.Last)) {
			fmt.Fprintf(b, " %s %.5g", name, s.Last[name])
		}
		b.WriteString("\n")
	}
	for _, text := range s.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", printable.Line(text, 400))
	}
	for _, text := range s.Messages {
		fmt.Fprintf(b, "  %s\n", printable.Line(text, 400))
	}
}
