package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// shownRun is the content of a run's folder.
type shownRun struct {
	listedRun
	Maker    *run.Maker      `json:"maker,omitempty"`      // who computed it
	Hours    float64         `json:"core_hours,omitempty"` // cores of its node that it held, times its time
	Begins   *run.Parent     `json:"begins,omitempty"`     // the checkpoint at which it begins; nil: at its beginning
	Branches []string        `json:"branches,omitempty"`   // of it
	Request  *plugin.Request `json:"request,omitempty"`
	Result   *plugin.Ending  `json:"result,omitempty"`
	Events   eventSummary    `json:"events"`
	Files    []shownFile     `json:"files"`
	Problems []string        `json:"problems,omitempty"` // what of the folder is damaged
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

func newRunsShow(at clock.Clock) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show STUDY/RUN", Short: "Show a run's request, its events and its result", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, settings, err := openRuns(cmd, at)
			if err != nil {
				return err
			}
			defer x.Close()
			s, err := shown(cmd.Context(), x, settings.Work, args[0])
			if err != nil {
				return badInput(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return s.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON, values in SI")
	return cmd
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
	var request plugin.Request
	if note(plugin.ReadFile(r.Folder, plugin.RequestFile, &request)) {
		s.Request = &request
	}
	if record, err := run.ReadRecord(r.Folder); err == nil { // else the same file is damaged
		s.Maker, s.Begins = &record.Process.Maker, record.Parent
		s.Hours = float64(record.Process.Cores) * r.Wall / 3600
	}
	branches, err := run.BranchesOf(filepath.Dir(r.Folder), r.Run)
	note(err)
	s.Branches = branches
	var ending plugin.Ending
	if note(plugin.ReadFile(r.Folder, plugin.ResultFile, &ending)) {
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

func (s shownRun) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s\n", cellText(s.Study), cellText(s.Run))
	s.printHead(&b)
	units := unitsOf(s.Solver)
	if s.Request != nil {
		printValues(&b, "request", units, s.Request.Numbers, s.Request.Arrays, s.Request.Texts)
	}
	if s.Result != nil {
		printValues(&b, "result", units, s.Result.Numbers, s.Result.Arrays, nil)
		if len(s.Result.NonFinite) > 0 {
			fmt.Fprintf(&b, "  not finite: %s\n", cellText(strings.Join(s.Result.NonFinite, ", ")))
		}
	}
	s.Events.print(&b)
	b.WriteString("\nfiles\n")
	t := newTable(&b)
	for _, f := range s.Files {
		t.row("  "+f.Name, bytesText(f.Size))
	}
	_ = t.flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// printHead writes what is known of the run itself.
func (s shownRun) printHead(b *strings.Builder) {
	t := newTable(b)
	row := func(name, text string) {
		if text != "" {
			t.row("  "+name, text)
		}
	}
	class := s.class()
	if s.Message != "" {
		class += ": " + oneLine(s.Message, 400)
	}
	row("solver", s.Solver)
	row("class", class)
	if s.Started != nil {
		row("started", dateText(*s.Started))
	}
	row("wall", s.wall())
	if s.CPU > 0 {
		row("cpu", wallText(time.Duration(s.CPU*float64(time.Second))))
	}
	if s.Memory > 0 {
		row("memory", bytesText(int64(s.Memory)))
	}
	s.printMaker(row)
	row("component", s.Component)
	if s.Attempt > 1 {
		row("attempt", fmt.Sprint(s.Attempt))
	}
	row("cause", s.Cause)
	row("begins", s.begins())
	row("branches", strings.Join(s.Branches, ", "))
	row("steered", s.steered())
	if s.Class == index.Running || s.Class == index.Unknown {
		row("process", fmt.Sprint(s.PID))
	}
	row("folder", s.Folder)
	for _, p := range s.Problems {
		row("damaged", p)
	}
	_ = t.flush()
}

// begins says at which checkpoint of which run it begins; empty: at its beginning.
func (s shownRun) begins() string {
	p := s.Begins
	switch {
	case p == nil:
		return ""
	case p.Branch:
		return fmt.Sprintf("at checkpoint %s of %s, iteration %d, as a branch beside it", cellText(p.Checkpoint),
			cellText(p.Run), p.Iteration)
	}
	return fmt.Sprintf("at checkpoint %s of %s, iteration %d, in its place", cellText(p.Checkpoint), cellText(p.Run),
		p.Iteration)
}

// steered says what was done to the run by command, on which its answer may depend; empty: nothing.
func (s shownRun) steered() string {
	if s.Result == nil || len(s.Result.Steered) == 0 {
		return ""
	}
	acts := s.Result.Steered
	first := newShownReceipt(s.Study, "", plugin.ReceiptOf(&acts[0]))
	return fmt.Sprintf("%s, first at iteration %d: %s; see peregrine steer log", count(len(acts), "time"),
		acts[0].Iteration, first.did())
}

// printMaker writes which machine made it, and what that took of it.
func (s shownRun) printMaker(row func(name, text string)) {
	if s.Maker == nil {
		return
	}
	row("node", s.Maker.Machine)
	row("block", s.Maker.Block)
	if s.Waited > 0 {
		row("waited", wallText(s.waited()))
	}
	if s.Hours > 0 {
		row("core hours", fmt.Sprintf("%.3g (%s)", s.Hours, count(s.Cores, "core")))
	}
	row("system", s.Maker.Facts.String())
	row("program", s.Maker.Sum())
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
		fmt.Fprintf(b, "  warning: %s\n", oneLine(text, 400))
	}
	for _, text := range s.Messages {
		fmt.Fprintf(b, "  %s\n", oneLine(text, 400))
	}
}

// printValues writes numbers, the extremes of profiles, and the first part of texts.
func printValues(b *strings.Builder, title string, units map[string]string, numbers map[string]float64,
	arrays map[string][]float64, texts map[string]string) {
	fmt.Fprintf(b, "\n%s\n", title)
	t := newTable(b)
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		t.row("  "+name, withUnit(fmt.Sprintf("%.6g", numbers[name]), units[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		v := arrays[name]
		if len(v) == 0 {
			t.row("  "+name, "no values")
			continue
		}
		extremes := fmt.Sprintf("%s from %.6g to %.6g", count(len(v), "value"), slices.Min(v), slices.Max(v))
		t.row("  "+name, withUnit(extremes, units[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if lines := strings.Count(text, "\n"); lines > 0 {
			text = count(lines, "line")
		}
		t.row("  "+name, oneLine(text, 100))
	}
	_ = t.flush()
}

// withUnit appends a unit, if there is one.
func withUnit(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// unitsOf returns the SI units of a built-in solver's values by name. For other solvers it has
// no units, because that would need their plugin.
func unitsOf(who string) map[string]string {
	name, version, _ := strings.Cut(who, " ")
	s := solver.Builtin(name)
	if s == nil {
		return nil
	}
	d := s.Describe()
	if d.Version != version {
		return nil
	}
	units := map[string]string{}
	for _, q := range slices.Concat(d.Inputs, d.Settings, d.Outputs) {
		units[q.Name] = siUnit(q)
	}
	return units
}

// siUnit is the SI unit of a quantity's values. It can differ from the displayed unit: an angle
// is displayed in deg.
func siUnit(q plugin.Quantity) string {
	if q.Dim == "" {
		return q.Unit
	}
	return q.Dim.Bare()
}
