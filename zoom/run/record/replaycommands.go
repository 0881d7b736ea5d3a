package record

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// CommandsOf returns the commands that repeat the acts on a run, at the same iterations. The error names an act that
// cannot be repeated.
func CommandsOf(acts []event.Receipt) (list []steer.Command, err error) {
	for _, x := range acts {
		if x.State != event.Applied {
			return nil, fmt.Errorf("command %s was %s and left something changed: it cannot be done again", x.ID,
				x.State)
		}
		c := steer.Command{ID: x.ID, Verb: x.Verb, At: x.Iteration, By: x.By, From: x.From, Time: x.Time}
		for _, d := range x.Effects {
			v := d.New
			if c.Verb == steer.CallOf {
				v = d.Argument
			}
			c.Changes = append(c.Changes, steer.Change{Object: d.Object, Value: v})
		}
		list = append(list, c)
	}
	return list, nil
}
