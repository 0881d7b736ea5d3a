package rule_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Samples of a file lead to the findings, with their lines, to which its events lead: also of numbers that are not
// finite, of a solver that changes its mesh or starts anew, and where a solver or a second file reports as well.
func TestSamplesAsEvents(t *testing.T) {
	set := compile(t,
		config.Rule{Name: "falls", When: "drop(residual) > 1 and trend(x, 5) < 0", Repeat: 3,
			Message: "{x} {drop(residual)} {least(x, 4)}"},
		config.Rule{Name: "rises", When: "rise(x) > 1 or wobble(residual, 6) > 1", Hold: 2,
			Message: "{rise(x)} {iterations}"},
		config.Rule{Name: "lost", When: "nonfinite(x) >= 2", Message: "{non_finite} {non_finite_names}"},
	)
	testenv.Check(t, func(t *rapid.T) {
		header := rapid.SampledFrom([]string{"iteration x residual_a residual_b mesh", "iteration residual x",
			"x residual_a"}).Draw(t, "header")
		files := rapid.IntRange(1, 2).Draw(t, "files")
		events, samples := rule.NewMonitor(set), rule.NewMonitor(set)
		var parsers [4]*history.Parser
		for i := range parsers {
			file := fmt.Sprintf("history%d.dat", i%2)
			parsers[i] = history.NewParser(&history.FileSpec{
				Run: "r", File: history.File{Pattern: file, Format: history.Columns, Key: "x"},
			}, file, history.State{}, func() time.Time { return epoch })
			parsers[i].Parse(tail.Line{Text: []byte(header)})
		}
		for i := range 2 {
			parsers[2+i].Quote()
		}
		var want, got []rule.Finding
		iteration, at := 0, epoch
		for range rapid.IntRange(0, 60).Draw(t, "lines") {
			at = at.Add(time.Duration(rapid.IntRange(0, 700).Draw(t, "ms")) * time.Millisecond)
			iteration++
			if rapid.IntRange(0, 20).Draw(t, "again") == 20 {
				iteration = 1
			}
			if rapid.IntRange(0, 20).Draw(t, "solver") == 20 {
				e := event.Event{Run: "r", Source: event.Plugin, Kind: event.Iteration, Time: at,
					Values: map[string]float64{"iteration": float64(iteration), "x": 2}}
				want, got = append(want, events.Event(e)...), append(got, samples.Event(e)...)
			}
			var line strings.Builder
			for _, name := range strings.Fields(header) {
				switch name {
				case "iteration":
					fmt.Fprint(&line, iteration, " ")
				case "mesh":
					fmt.Fprint(&line, rapid.IntRange(1, 2).Draw(t, name), " ")
				default:
					fmt.Fprint(&line, rapid.SampledFrom([]string{"0", "1", "0.5", "0.01", "1e-4", "3", "nan"}).Draw(t,
						name), " ")
				}
			}
			i := rapid.IntRange(0, files-1).Draw(t, "file")
			l := tail.Line{Text: []byte(line.String())}
			for _, e := range parsers[i].Parse(l) {
				e.Time = at
				want = append(want, events.Event(e)...)
			}
			parsers[2+i].Read(l, func(s *history.Sample) {
				got = append(got, samples.Sample("r", fmt.Sprintf("history%d.dat", i), parsers[2+i], s, at)...)
			})
		}
		end := event.Event{Run: "r", Source: event.Host, Kind: event.Ended, Class: event.Crashed, Time: at}
		want, got = append(want, events.Event(end)...), append(got, samples.Event(end)...)
		for i := range want {
			want[i].Cause = nil // an event of a sample has no number
		}
		must.Equal(t, want, got)
	})
}
