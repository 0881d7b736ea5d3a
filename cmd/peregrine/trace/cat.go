package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

func newCat() *cobra.Command {
	follow := false
	cmd := cli.WithJSON("print a record a line, as JSON", &cobra.Command{
		Use: "cat FILE|DIR|STUDY", Short: "Print the records of a trace in the order of their times",
		Long: `Print the records of a trace in the order of their times. FILE is a trace by PICL, by PRASE, or as
lines of JSON; - is standard input. With --follow the records of a study are printed while they are made, until it
ends or is killed: a span as a marker at its end, and a record that comes late at the time of the last one; "measured"
is its own.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			print, flush, err := printer(cmd)
			if err != nil {
				return err
			}
			if follow {
				return errors.Join(followStudy(cmd, args[0], print, flush), flush())
			}
			l, err := load(cmd, args[0])
			if err != nil {
				return err
			}
			for i := range l.records {
				if err := print(&l.records[i]); err != nil {
					return err
				}
			}
			return flush()
		},
	})
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the study has ended")
	return cmd
}

// printer returns the function that prints a record, as JSON with the flag --json, and that which completes the output.
func printer(cmd *cobra.Command) (print func(*trace.Record) error, flush func() error, err error) {
	asJSON, err := cmd.Flags().GetBool("json")
	out := bufio.NewWriter(cmd.OutOrStdout())
	cmd.SetOut(out)
	if to := lines(cmd); asJSON {
		return func(r *trace.Record) error { return to.Encode(r) }, out.Flush, err
	}
	return func(r *trace.Record) error {
		_, err := fmt.Fprintln(out, printable.Text(describe(r)))
		return err
	}, out.Flush, err
}

// describe writes a record for people.
func describe(r *trace.Record) string {
	text := fmt.Sprintf("%.6f %s", r.Time, strings.Join(slices.DeleteFunc(
		[]string{r.Host, r.Process, r.Thread}, func(s string) bool { return s == "" }), " "))
	text += " " + string(r.Kind)
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.From != "" || r.To != "" {
		text += fmt.Sprintf(" %s>%s type %d, %d bytes", r.From, r.To, r.Type, r.Bytes)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		text += fmt.Sprintf(" %s=%v", name, r.Values[name])
	}
	return text
}

func newStats() *cobra.Command {
	return cli.WithJSON("print as JSON", &cobra.Command{
		Use: "stats FILE|DIR|STUDY", Short: "Print how the processes of a trace spent their time, and count messages",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := load(cmd, args[0])
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, trace.Analyse(l.records, l.problems), statsText)
		},
	})
}

// statsText is a table of the processes, and a line on the messages.
func statsText(s *trace.Stats) string {
	rows := table.New("lr", "process", "busy", "overhead", "idle", "blocked", "perturbed", "waits", "longest", "queue")
	share := func(x float64, p *trace.Process) string {
		if p.Length() == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*x/p.Length())
	}
	for _, name := range slices.SortedFunc(maps.Keys(s.Processes), trace.ProcessNumber) {
		p := s.Processes[name]
		rows.Row(name, share(p.Busy, p), share(p.Overhead, p), share(p.Idle, p), share(p.Blocked, p),
			share(p.Perturbed, p), fmt.Sprint(p.Waits.Count), cli.Took(p.Waits.Most), fmt.Sprint(p.Queue.Most))
	}
	text := fmt.Sprintf("%s in %s\n", s.State, cli.Took(s.Span)) + rows.String()
	bytes := int64(0)
	for _, p := range s.Pairs {
		bytes += p.Bytes
	}
	return text + fmt.Sprintf("%d messages of %s in all; %d sends and %d receives have no other end; %d records lost\n",
		len(s.Messages), cli.Bytes(bytes), s.Unpaired.Sends, s.Unpaired.Receives, s.Lost)
}

func newExport() *cobra.Command {
	var to, file string
	cmd := &cobra.Command{
		Use: "export FILE|DIR|STUDY --to FORMAT -o FILE", Short: "Write a trace in the format of another tool",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(format.Names(), to) {
				return fmt.Errorf("--to %s: the formats are %s", to, strings.Join(format.Names(), ", "))
			}
			return inOrder(cmd, args[0], file != "-", func(each pass) error {
				return atomic.Output(file, func(out io.Writer) error {
					w, err := format.NewWriter(to, out)
					if err == nil {
						err = each(w.Write)
					}
					if err != nil {
						return err
					}
					return w.Close()
				})
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "`format`: "+strings.Join(format.Names(), ", "))
	cmd.Flags().StringVarP(&file, "output", "o", "", "`file` to write; - is standard output")
	for _, name := range []string{"to", "output"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // an unknown flag
		}
	}
	return cmd
}
