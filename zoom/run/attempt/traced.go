package attempt

// The section `trace` as commands to a run: its sensors are switched as by peregrine steer, which may change them.

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// traced returns the commands by which the run records what the section `trace` selects. They do not depend on the
// iteration at which a run continues.
func (a *attempt) traced() (commands []steer.Command) {
	t := a.Trace
	if t == nil || a.Bare || len(a.process.Description.Sensors) == 0 || !a.isTraced(t) {
		return nil
	}
	command := func(when, condition string, changes []steer.Change) {
		commands = append(commands, steer.Command{ID: "trace " + when, Verb: steer.Set, By: "trace." + when,
			When: condition, Changes: changes})
	}
	command("begin", conditionOf(t.From), recordingOf(t))
	if end := conditionOf(t.To); end != "" {
		command("end", "sensors.file == 1 and ("+end+")", []steer.Change{
			{Object: "sensors.record", Value: steer.TextValue("none")}})
	}
	return commands
}

// isTraced reports whether the section selects the run.
func (a *attempt) isTraced(t *recording.Trace) bool {
	names := []string{a.process.Task.Place().Machine}
	if names[0] == "" {
		here, _ := os.Hostname()
		names = []string{record.LocalSlot, here}
	}
	selects := func(patterns []string, names ...string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return record.Matches(p, name) })
		})
	}
	return selects(t.Hosts, names...) && selects(t.Processes, a.run)
}

// conditionOf is a moment as the condition of a command; empty: none, as times are an object of the recording.
func conditionOf(m recording.Moment) string {
	if m.Iteration > 0 {
		return fmt.Sprintf("iteration >= %d", m.Iteration)
	}
	return m.When
}

// recordingOf sets the objects of a run's recording. That of the recorded sensors is the last, as it begins the file.
func recordingOf(t *recording.Trace) (changes []steer.Change) {
	text := func(object, x string) {
		if x != "" {
			changes = append(changes, steer.Change{Object: "sensors." + object, Value: steer.TextValue(x)})
		}
	}
	number := func(object string, x float64) {
		if x > 0 {
			changes = append(changes, steer.Change{Object: "sensors." + object, Value: steer.FloatValue(x)})
		}
	}
	text("mode", string(t.Mode))
	text("threads", strings.Join(t.Threads, ","))
	number("buffer", float64(t.Buffer))
	number("quota.records", float64(t.Records))
	number("quota.bytes", float64(t.Bytes))
	number("period", t.Period.Seconds())
	number("begin", t.Begin.Seconds())
	number("end", t.End.Seconds())
	kinds := "all"
	if t.Kinds != nil {
		kinds = strings.Join(document.Texts(t.Kinds), ",")
	}
	text("record", kinds)
	return changes
}
