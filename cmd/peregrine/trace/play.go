package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/play"
	"github.com/peregrine-sim/peregrine/watchdog/trace/slice"
)

func newPlay() *cobra.Command {
	return cli.WithJSON("answer each command by a line of JSON", &cobra.Command{
		Use: "play FILE|DIR|STUDY", Short: "Play a trace again, step by step or by its times",
		Long: `Play a trace again. Standard input has a command a line; each is answered by the state reached:

  go                    go on, by the times of the records
  stop
  step [N], back [N]    pass N records, or take them back; without N one
  until time T          a time of the trace, s; +T counts from its begin; a date such as 2026-11-28T10:00:00Z
  until event KIND [NAME]
  until where COND      the next record for which a condition holds, such as process == "2" and bytes > 1000
  speed X               seconds of the trace per second
  reset                 back to the begin
  show

Where standard input ends after go, the trace is played to its end.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return errors.New("standard input has the commands; the trace is a file, a folder or a study")
			}
			p, err := newPlayer(cmd, args[0])
			if err != nil {
				return err
			}
			return playBack(cmd, p)
		},
	})
}

func newPlayer(cmd *cobra.Command, path string) (p *play.Player, err error) {
	err = inOrder(cmd, path, true, func(each pass) error {
		p = play.New(cli.Clock(cmd))
		return each(func(r *trace.Record) error {
			p.Add(r)
			return nil
		})
	})
	if err == nil {
		p.Close()
	}
	return p, err
}

func playBack(cmd *cobra.Command, p *play.Player) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	cmd.SetOut(out)
	to := lines(cmd)
	going := false // as the last answer said
	answer := func(found bool) error {
		s := struct {
			Found bool `json:"found"`
			*play.State
		}{found, p.State()}
		going = s.Going
		if cli.AsJSON(cmd) {
			return to.Encode(s)
		}
		_, err := io.WriteString(out, playText(s.State, found))
		return err
	}
	var failed error
	wrong := eachLine(cmd, func(text []byte) error {
		found, err := command(p, strings.TrimSpace(string(text)))
		if err == nil && failed == nil {
			failed = answer(found)
		}
		return err
	}, func() error { return errors.Join(failed, out.Flush()) })
	if going && failed == nil {
		if err := clock.Sleep(cmd.Context(), cli.Clock(cmd), p.Left()); err != nil {
			return err
		}
		failed = answer(true)
	}
	return errors.Join(failed, out.Flush(), wrong)
}

// command obeys a line. found is false if the line asks for a record that there is not.
func command(p *play.Player, line string) (found bool, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if rest != "" && slices.Contains([]string{"go", "stop", "reset", "show"}, verb) {
		return false, fmt.Errorf("%s: nothing follows it, found %q", verb, rest)
	}
	switch verb {
	case "go":
		p.Go()
	case "stop":
		p.Stop()
	case "reset":
		p.Reset()
	case "show":
	case "step", "back":
		n := 1
		if rest != "" {
			if n, err = strconv.Atoi(rest); err != nil || n < 0 {
				return false, fmt.Errorf("%s %s: a number of records, 0 or more", verb, rest)
			}
		}
		if verb == "back" {
			n = -n
		}
		p.Step(n)
	case "speed":
		x, err := strconv.ParseFloat(rest, 64)
		if err != nil {
			return false, fmt.Errorf("speed %q: a number above 0", rest)
		}
		return true, p.SetSpeed(x)
	case "until":
		return until(p, rest)
	default:
		return false, fmt.Errorf("unknown command %q; there are go, stop, step, back, until, speed, reset and show",
			verb)
	}
	return true, nil
}

// until plays to a time, an event, or a condition.
func until(p *play.Player, goal string) (found bool, err error) {
	verb, rest, _ := strings.Cut(goal, " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "time":
		t, err := timeOf(rest, p.State().Begin)
		if err != nil {
			return false, err
		}
		p.UntilTime(t)
		return true, nil
	case "event":
		kind, name, _ := strings.Cut(rest, " ")
		if !slices.Contains(trace.Kinds(), trace.Kind(kind)) {
			return false, fmt.Errorf("until event %q: the kinds are %s", kind, trace.Kinds())
		}
		name = strings.TrimSpace(name)
		return p.Until(func(r *trace.Record) bool {
			return r.Kind == trace.Kind(kind) && (name == "" || r.Name == name)
		}), nil
	case "where":
		c, err := slice.ParseCondition(rest)
		if err != nil {
			return false, err
		}
		if found = p.Until(c.Holds); !found && c.Failed() != nil {
			return false, c.Failed()
		}
		return found, nil
	}
	return false, fmt.Errorf("until %q: until time T, until event KIND or until where CONDITION", goal)
}

// timeOf reads a time of a trace, s: the time of its records, +T from the begin, or a date of RFC 3339.
func timeOf(text string, begin float64) (float64, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return float64(at.UnixNano()) / 1e9, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("time %q: seconds as in the records, +SECONDS from the begin, or a date such as "+
			"2026-11-28T10:00:00Z", text)
	}
	if strings.HasPrefix(text, "+") {
		return begin + x, nil
	}
	return x, nil
}

// playText writes a state for people.
func playText(s *play.State, found bool) string {
	going := "stopped"
	if s.Going {
		going = fmt.Sprintf("going, %g s a second", s.Speed)
	}
	if !found {
		going += "; no such record"
	}
	text := fmt.Sprintf("%.6f s of %.6f s; record %d of %d; %s\n", s.Time-s.Begin, s.End-s.Begin, s.Passed, s.Records,
		going)
	if s.Last != nil {
		text += "last: " + describe(s.Last) + "\n"
	}
	rows := table.New("ll", "process", "state", "region", "for", "queue")
	for _, name := range slices.SortedFunc(maps.Keys(s.Processes), trace.ProcessNumber) {
		q := s.Processes[name]
		region, state := q.Region, string(q.Activity)
		if q.On != "" {
			state += " on " + q.On
		}
		held := ""
		if q.Records > 0 {
			held = cli.Took(s.Time - q.Since)
		}
		rows.Row(name, state, region, held, fmt.Sprint(q.Queue))
	}
	return printable.Text(text+rows.String()) + fmt.Sprintf("%d messages under way\n", s.UnderWay)
}
