// Package steer has the verbs that see and change runs, studies and transients while they run.
package steer

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
)

// Verb returns the verb steer.
func Verb() *cobra.Command {
	cmd := cli.Group("steer", "See and change solver runs while they go on", newList(), newGet(),
		newWatch(), newSet(), newBranch(), newRule(), newSensor(), newScript(), newLog(), newRecords(), newReplay())
	for _, v := range verbs {
		cmd.AddCommand(v.command())
	}
	cmd.Long = `See and change solver runs, studies and transients while they go on: settings, ends,
inputs, pauses, checkpoints.

ADDRESS is STUDY (all its runs that go on), STUDY/RUN or a pattern as 'STUDY/fan-*',
STUDY/study (the study as a whole) or STUDY/CASE (a transient of the engine's);
the beginning of a study's name does, if it is the only one that begins so.
peregrine help steer says what can be done, and what is kept of it.`
	return cmd
}

func newSensor() *cobra.Command {
	cmd := cli.Group("sensor", "List and switch the sensors of runs that go on",
		newObjectList("List the switches of the sensors of runs that go on", sensors),
		newSensorSwitch("on ADDRESS NAME", "Switch a sensor on", "true"),
		newSensorSwitch("off ADDRESS NAME", "Switch a sensor off", "false"))
	cmd.Long =
		`List and switch the sensors of runs that go on. What they find are events of kind sensed, or records in the run
folder, which peregrine steer records prints. They take at most 1 % of the solver's time.`
	return cmd
}
