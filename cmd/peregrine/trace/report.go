package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/internal/table"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
)

func newReport() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "report STUDY", Short: "Report where the time of a study went, and changes that would have made it faster",
		Long: `Say where the time of a study went, dearest first, and what other conditions would have given: the first
line names the cause. STUDY is a study's name, the begin of it, or its folder.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := reportOn(cmd, args[0])
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, r, reportText)
		},
	})
}

func newDiff() *cobra.Command {
	return cli.WithJSON("print both reports as JSON", &cobra.Command{
		Use: "diff STUDY STUDY", Short: "Say why a study took longer than another",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var d difference
			var err error
			if d.A, err = reportOn(cmd, args[0]); err != nil {
				return err
			}
			if d.B, err = reportOn(cmd, args[1]); err != nil {
				return err
			}
			d.Changes = makespan.Compare(d.A, d.B)
			return cli.PrintValue(cmd, d, diffText)
		},
	})
}

// difference is two reports, and what changed from the first to the second.
type difference struct {
	A       *makespan.Report  `json:"a"`
	B       *makespan.Report  `json:"b"`
	Changes []makespan.Change `json:"changes"`
}

func reportOn(cmd *cobra.Command, arg string) (*makespan.Report, error) {
	folder, err := runs.StudyFolder(cmd, arg)
	if err != nil {
		return nil, err
	}
	if folder == "" {
		return nil, fmt.Errorf("%s is not a study: it has no file %s", arg, studylog.FileName)
	}
	events, err := studylog.Read(folder)
	if err != nil && len(events) == 0 {
		return nil, err
	}
	if err != nil {
		cli.Warn(cmd, "%v", err)
	}
	r := makespan.Of(events)
	if r.Span == 0 {
		return nil, fmt.Errorf("study %s has no time to report on: its log has %d events", arg, len(events))
	}
	return r, nil
}

// mostParts is the number of rows that a table of the report shows; the rest is summed.
const mostParts = 6

// reportText is a screen on a study. The first line names the cause.
func reportText(r *makespan.Report) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", r.Cause.Text)
	w := r.Workers
	line("%s took %s (%.0f %% of it explained): %s, %d of them from the cache, %s", r.Study, cli.Took(r.Span),
		100*r.Explained, makespan.Times(w.Tasks, "point"), w.Cached, makespan.Times(w.Runs, "run"))
	line("%s, busy for %.0f %%, idle for %s in all; %.1f jobs queue on average, the longest for %s",
		makespan.Times(w.Number, "worker"), 100*w.Used, cli.Took(w.Idle), r.Queue.Mean, cli.Took(r.Queue.Most))
	var waits []string
	for _, what := range slices.SortedFunc(maps.Keys(r.Queue.Waits), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Queue.Waits[b], r.Queue.Waits[a]), cmp.Compare(a, b))
	}) {
		waits = append(waits, what+" "+cli.Took(r.Queue.Waits[what]))
	}
	if waits != nil {
		line("waits of jobs, summed: %s", strings.Join(waits, ", "))
	}
	rows := table.New("lrrl", "time of workers", "", "", "critical path")
	steps := slices.SortedStableFunc(slices.Values(merged(r.Critical)),
		func(a, b makespan.Step) int { return cmp.Compare(b.Seconds, a.Seconds) })
	parts := shortened(r.Parts)
	for i := range max(len(parts), min(len(steps), mostParts)) {
		cells := []string{"", "", "", ""}
		if i < len(parts) {
			cells = []string{parts[i].Title(), cli.Took(parts[i].Seconds),
				fmt.Sprintf("%.0f %%", 100*parts[i].Share), ""}
		}
		if i < len(steps) && i < mostParts {
			s := steps[i]
			s.Run = cmp.Or(s.Run, makespan.Executive)
			cells[3] = fmt.Sprintf("%s %s: %s", cli.Took(s.Seconds), s.Run, s.Reason)
		}
		rows.Row(cells...)
	}
	b.WriteString(rows.String())
	for _, x := range r.Retries {
		line("failed: %d %s, %s of workers; another attempt followed %d of them", x.Attempts, x.Class,
			cli.Took(x.Seconds), x.Followed)
	}
	b.WriteString(whatIf(r))
	for _, a := range r.Advice {
		line("advice: %s", a)
	}
	return b.String()
}

// whatIf is the lines on other conditions.
func whatIf(r *makespan.Report) string {
	p := r.Replay
	var list []string
	for _, n := range slices.Sorted(maps.Keys(p.Workers)) {
		list = append(list, fmt.Sprintf("%d: %s", n, cli.Took(p.Workers[n])))
	}
	return fmt.Sprintf("the same schedule once more takes %s; without failures %s, with a warm cache %s,\n"+
		"with the longest run first %s, with perfect balance %s; by workers %s\n", cli.Took(p.Same),
		cli.Took(p.NoFailures),
		cli.Took(p.WarmCache),
		cli.Took(p.LongestFirst), cli.Took(p.Balanced), strings.Join(list, ", "))
}

// shortened sums the parts that a screen has no room for.
func shortened(parts []makespan.Part) []makespan.Part {
	if len(parts) <= mostParts {
		return parts
	}
	rest := makespan.Part{Name: "the rest"}
	for _, p := range parts[mostParts-1:] {
		rest.Seconds, rest.Share = rest.Seconds+p.Seconds, rest.Share+p.Share
	}
	return append(slices.Clone(parts[:mostParts-1]), rest)
}

// merged sums the steps of the same run or executive's work.
func merged(steps []makespan.Step) (list []makespan.Step) {
	for _, s := range steps {
		i := slices.IndexFunc(list, func(o makespan.Step) bool { return o.Run == s.Run && o.Reason == s.Reason })
		if i < 0 {
			list = append(list, s)
		} else {
			list[i].Seconds += s.Seconds
		}
	}
	return list
}

// diffText is the two causes and a table of the changes, first those of the studies' conditions.
func diffText(d difference) string {
	rows := table.New("lrrr", "", d.A.Study, d.B.Study, "change")
	count := func(name string, a, b int) {
		if a != b {
			rows.Row(name, fmt.Sprint(a), fmt.Sprint(b), fmt.Sprintf("%+d", b-a))
		}
	}
	a, b := d.A.Workers, d.B.Workers
	count("number of workers", a.Number, b.Number)
	count("points", a.Tasks, b.Tasks)
	count("points from the cache", a.Cached, b.Cached)
	count("runs", a.Runs, b.Runs)
	for _, c := range d.Changes {
		rows.Row(c.Name, cli.Took(c.A), cli.Took(c.B), fmt.Sprintf("%+.3g s", c.B-c.A))
	}
	text := fmt.Sprintf("%s: %s\n%s: %s\n", d.A.Study, d.A.Cause.Text, d.B.Study, d.B.Cause.Text)
	if took, known := d.A.Replay.Workers[b.Number]; known && a.Number != b.Number {
		text += fmt.Sprintf("with as many workers as %s, %s takes %s\n", d.B.Study, d.A.Study, cli.Took(took))
	}
	return text + rows.String()
}
