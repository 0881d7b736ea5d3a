package main

// Reaching into runs that go on. What a verb is given, it gives to all runs of an address, and says what becomes of
// it in each.

import (
	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

func newSteer(at clock.Clock) *cobra.Command {
	cmd := cli.Group("steer", "See and change solver runs while they go on", newSteerList(at), newSteerGet(at),
		newSteerSet(at), newSteerWatch(at),
		newSteerPause(at), newSteerStep(at), newSteerResume(at), newSteerStop(at), newSteerCheckpoint(at),
		newSteerRewind(at), newSteerBranch(at), newSteerSync(at), newSteerRelease(at), newSteerCall(at),
		newSteerRule(at), newSteerSensor(at), newSteerScript(at),
		newSteerLog(at), newSteerRecords(at), newSteerReplay(at))
	cmd.Long = `See and change solver runs, studies and transients while they go on: settings, ends,
inputs, pauses, checkpoints.

ADDRESS is STUDY (all its runs that go on), STUDY/RUN or a pattern as 'STUDY/fan-*',
STUDY/study (the study as a whole) or STUDY/CASE (a transient of the engine's);
the beginning of a study's name does, if it is the only one that begins so.
peregrine help steer says what can be done, and what is kept of it.`
	return cmd
}
