package run

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Job is one point to be computed.
type Job struct {
	Name      string         // names the run and its folder: letters, digits, - _ . +
	Request   plugin.Request // the pool sets Study, Run and Folder
	Component string         // of the engine; package schedule shares the cores among components, and events name it
	// Key is added to the cache key: data beyond the request on which the answer depends, such as the hash of a file.
	Key any

	Neighbour *Solution // of an earlier run, from which this run starts; part of the cache key; nil: none
	// GoOn is the solution of a run of the same request with fewer "orders". The run continues from it if the file
	// still exists.
	GoOn *Solution

	Group any           // identifies the requests that differ from this one only by Place; nil: the job has no group
	Place GroupPosition // in the group

	Seeks string // the end of a speed line to be found, "stall" or "choke"; empty: the job seeks no end

	Cause   *event.Ref // the event that led to the job; may be nil
	Planned *event.Ref // the event that announced the job; the pool sets it

	// Remote is the distance from the nearest operating point of the engine, in steps of the plan; the nearest points
	// are the most urgent.
	Remote float64

	Variation *Variation // by the policy on failures; nil: the request is as it was planned
}

// Orders is the name of a setting: the orders of magnitude by which a run's residual must fall. It may affect only when
// a run ends.
const Orders = "orders"

// GroupPosition is the position of a job in its group.
type GroupPosition struct {
	Inputs map[string]float64 `json:"inputs"` // in which the group's requests differ
	// of its request, if different from the group's; 0: they are equal
	Orders float64 `json:"orders,omitempty"`
}

var jobName = regex.Lazy(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)

// CheckName checks the name of a job.
func CheckName(name string) error {
	if !jobName().MatchString(name) || len(name) > 100 {
		return fmt.Errorf("job %q: a name names a folder: letters, digits and _ . + - , at most 100", name)
	}
	return nil
}

// CheckNames checks the names of jobs that are made together.
func CheckNames(jobs []Job) error {
	seen := map[string]bool{}
	for _, j := range jobs {
		if err := CheckName(j.Name); err != nil {
			return err
		}
		if seen[j.Name] {
			return fmt.Errorf("job %q is there twice", j.Name)
		}
		seen[j.Name] = true
	}
	return nil
}
