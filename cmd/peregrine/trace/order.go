package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/clock"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/watchdog/trace/order"
)

func newOrder() *cobra.Command {
	var rules, gap string
	var options order.Options
	cmd := &cobra.Command{
		Use:   "order --rules messages|cthreads|study|FILE",
		Short: "Put records of several sources in the order of cause and effect",
		Long: `Put records of several sources in the order of cause and effect. Standard input has a record a line,
in the order of arrival: {"source": "a", "seq": 1, "kind": "send", "args": ["b", 7, 1], "time": 0.5}. The numbers
seq of a source begin at 1. Output is the same records when they are released, with "held": how many arrived
meanwhile, and "measured": the time that came. An "incomplete" record stands for missing ones.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if options.Rules, err = orderRules(rules); err != nil {
				return err
			}
			options.Repair = cmd.Flags().Changed("repair")
			if options.Repair && !(options.Decay >= 0 && options.Decay <= 1) {
				return fmt.Errorf("--repair %v: the decay is 0 to 1", options.Decay)
			}
			if options.Gap, err = strconv.ParseFloat(strings.TrimSpace(gap), 64); err != nil {
				if options.Gap, err = unit.Parse(gap, unit.Time); err != nil {
					return fmt.Errorf("--gap %w", err)
				}
			}
			if math.IsNaN(options.Gap) || options.Gap < 0 {
				return fmt.Errorf("--gap %s: the time is 0 s or more", gap)
			}
			return putInOrder(cmd, options)
		},
	}
	cmd.Flags().StringVar(&rules, "rules", "messages", "`set` of rules: messages, cthreads, study or a file")
	cmd.Flags().Float64Var(&options.Decay, "repair", 0,
		"move records behind their causes; `decay` is the share of the move that the next record gets")
	cmd.Flags().StringVar(&gap, "gap", "1 s", "`time` for which a missing record is awaited, such as 500 ms")
	return cmd
}

func orderRules(name string) ([]order.Rule, error) {
	if slices.Contains(order.Names(), name) {
		return order.Builtin(name)
	}
	text, err := intake.Read(name, intake.Limit{What: "a file of rules", Bytes: 1 << 20})
	if err != nil {
		return nil, fmt.Errorf("--rules %s: neither %s, nor a file: %w", name, strings.Join(order.Names(), ", "), err)
	}
	list, err := order.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

func putInOrder(cmd *cobra.Command, options order.Options) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	cmd.SetOut(out)
	to := lines(cmd)
	var failed error
	options.Tell = func(problem string) { cli.Warn(cmd, "%s", problem) }
	f, err := order.New(options, func(r order.Record) {
		if err := to.Encode(r); failed == nil {
			failed = err
		}
	})
	if err != nil {
		return err
	}
	err = eachLine(cmd, func(text []byte) error {
		r := order.Record{}
		if err := json.Unmarshal(text, &r); err != nil {
			return format.JSONFault(err)
		}
		if r.Seq == 0 || r.Kind == "" || r.Source.Text == "" {
			return errors.New(`a record needs "source", "kind" and "seq" from 1`)
		}
		f.Take(r)
		return nil
	}, func() error { return errors.Join(failed, out.Flush()) })
	f.Close()
	return errors.Join(err, failed, out.Flush())
}

// eachLine passes on the lines of standard input. A line that take refuses is told, and skipped. It calls idle before
// it waits for more.
func eachLine(cmd *cobra.Command, take func([]byte) error, idle func() error) error {
	wrong := 0
	err := format.Lines(format.NewReader(cmd.InOrStdin()), take, func(p trace.Problem) {
		if wrong++; wrong <= mostTold {
			cli.Warn(cmd, "line %d: %s", p.Line, p.Message)
		}
	}, idle)
	if err == nil && wrong > 0 {
		err = fmt.Errorf("lines that are wrong and were skipped: %d", wrong)
	}
	return err
}

func newClocks() *cobra.Command {
	return &cobra.Command{
		Use: "clocks", Short: "Find how far the clocks of processes are apart, from the times of their messages",
		Long: `Find how far the clocks of processes are apart, from the times of their messages. Standard input has a
message a line: {"from": "a", "to": "b", "sent": 1.5, "received": 1.6}, with the times of their own clocks. The first
"from" is the reference. Output has a process a line: a time t of the process is t + offset + drift (t - at) by the
reference; low and high bound the offset, null: not bounded. consistent is false if messages contradict each other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var messages []clock.Message
			err := eachLine(cmd, func(text []byte) error {
				m := struct {
					From, To any
					Sent     *float64 `json:"sent"`
					Received *float64 `json:"received"`
				}{}
				if err := json.Unmarshal(text, &m); err != nil {
					return format.JSONFault(err)
				}
				if m.From == nil || m.To == nil || m.Sent == nil || m.Received == nil {
					return errors.New(`a message needs "from", "to", "sent" and "received"`)
				}
				messages = append(messages, clock.Message{
					From: fmt.Sprint(m.From), To: fmt.Sprint(m.To), Sent: *m.Sent, Received: *m.Received,
				})
				return nil
			}, func() error { return nil })
			if err != nil && len(messages) == 0 {
				return err
			}
			to := lines(cmd)
			for _, o := range clock.Find(messages) {
				if e := to.Encode(o); e != nil {
					return e
				}
			}
			return err
		},
	}
}
