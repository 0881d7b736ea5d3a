package main

// The sensors of runs that go on.

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// sensors begins the names of the objects by which a run's sensors are switched.
const sensors = "sensors."

func newSteerSensor(at clock.Clock) *cobra.Command {
	cmd := cli.Group("sensor", "List and switch the sensors of runs that go on",
		newObjectList(at, "List the switches of the sensors of runs that go on", sensors),
		newSensorSwitch(at, "on ADDRESS NAME", "Switch a sensor on", "true"),
		newSensorSwitch(at, "off ADDRESS NAME", "Switch a sensor off", "false"))
	cmd.Long =
		`List and switch the sensors of runs that go on. What they find are events of kind sensed, or records in the run
folder, which peregrine steer records prints. They take at most 1 % of the solver's time.`
	return cmd
}

// newSensorSwitch is a verb that gives the switch of a sensor a value.
func newSensorSwitch(at clock.Clock, use, short, value string) *cobra.Command {
	g := &giving{}
	every := 0
	file := false
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.begin(cmd, at, args[0]); err != nil {
				return err
			}
			defer func() { g.reached.Close() }()
			wishes := []client.Wish{{Object: sensors + args[1] + ".on", Value: value}}
			if cmd.Flags().Changed("every") {
				wishes = append(wishes, client.Wish{Object: sensors + args[1] + ".every", Value: fmt.Sprint(every)})
			}
			if cmd.Flags().Changed("file") {
				wishes = append(wishes, client.Wish{Object: sensors + "file", Value: fmt.Sprint(file)})
			}
			return g.set(cmd, steer.Set, steer.Actuate, wishes)
		},
	}
	g.flags(cmd.Flags())
	if value == "true" {
		cmd.Flags().IntVar(&every, "every", 1, "take every so many-th record")
		cmd.Flags().BoolVar(&file, "file", false,
			"write what sensors find into sensors.bin of the run folder, and not as events")
	}
	return cmd
}
