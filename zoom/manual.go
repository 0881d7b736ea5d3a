package zoom

// User commands on a component's runs while its map is made: added runs and excluded answers.

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// bounds of added runs: far beyond any map that runs can make.
const (
	leastSpeed, mostSpeed       = 0.1, 1.5
	leastThrottle, mostThrottle = 0.05, 50.0
	mostAlpha                   = 90.0
)

// checkAdded reports a run that no map of a component's has room for.
func checkAdded(m *machine.Machine, a live.Added) error {
	switch {
	case !machine.Gridded(m.Type) && m.Type != "":
		return fmt.Errorf("%s is a %s: runs can be added to fans and compressors", m.Name, m.Type)
	case !(a.Speed >= leastSpeed && a.Speed <= mostSpeed):
		return fmt.Errorf("n = %g %%: want %g to %g %%", 100*a.Speed, 100*leastSpeed, 100*mostSpeed)
	case a.Alpha != 0 && !m.Settable:
		return fmt.Errorf("alpha = %g: no vane or blade of %s turns in this zoom; leave alpha out", a.Alpha, m.Name)
	case !(math.Abs(a.Alpha) < mostAlpha):
		return fmt.Errorf("alpha = %g: want -%g to %[2]g deg", a.Alpha, mostAlpha)
	case !(a.Throttle >= leastThrottle && a.Throttle <= mostThrottle):
		return fmt.Errorf("throttle = %g: want %g to %g, over the one that passes the design's flow at a pressure "+
			"ratio of 1", a.Throttle, leastThrottle, mostThrottle)
	}
	return nil
}

// Adds returns a function that checks an added run. Its error is the reason why the map cannot take the run.
func (r *Rounds) Adds() func(live.Added) error {
	m := r.Machine
	return func(a live.Added) error { return checkAdded(&m, a) }
}

// Added returns the plan of a run that a user has added. Its point follows from the design's efficiency and the
// throttle.
func (r *Rounds) Added(a live.Added) Planned {
	w := r.Machine.WantAt(a.Speed, a.Alpha, math.Log(a.Throttle))
	k := math.Log(machine.ExitStaticShare*flow.Pref) - math.Log(flow.Pref/(r.Machine.Wc*r.Machine.Wc)*a.Throttle)
	return Planned{At: machine.RunPoint{Nu: a.Speed, Kappa: k, Alpha: a.Alpha}, Exactly: &w}
}

// offGrid is by how much of a step a point may be off the grid.
const offGrid = 0.02

// Adds returns a function that checks an added run. Its error is the reason why the map cannot take the run: a new line
// would need more than one run.
func (b *Grid) Adds() func(live.Added) error {
	m, lines, grid := b.Machine, b.lines(), b.lattice
	return func(a live.Added) error {
		if err := checkAdded(&m, a); err != nil {
			return err
		}
		s, k := a.Speed/SpeedStep, grid.stepsOf(a.Throttle)
		var names []string
		on := false
		for _, line := range lines {
			names = append(names, fmt.Sprintf("%.1f", 100*SpeedStep*float64(line)))
			on = on || math.Abs(s-float64(line)) <= offGrid
		}
		if !on {
			return fmt.Errorf("n = %g %%: a map of fixed lines (runs:) takes runs on its lines, at %s %%, as a line "+
				"needs %d answers; one with an error (to:) takes any", 100*a.Speed, strings.Join(names, ", "),
				leastAnswers)
		}
		if near := math.Round(k); math.Abs(k-near) > offGrid {
			step := math.Pow(ThrottleStep, 1/float64(grid.parts))
			lo, hi := math.Pow(step, math.Floor(k)), math.Pow(step, math.Ceil(k))
			return fmt.Errorf("throttle = %g: a map of fixed lines (runs:) has throttles a factor of %g apart, such "+
				"as %.4g and %.4g; one with an error (to:) takes any", a.Throttle, step, lo, hi)
		}
		return nil
	}
}

// Add plans a run that a user has added, and reports whether it is new.
func (b *Grid) Add(a live.Added) bool {
	return b.planned.add(gridPoint{
		int(math.Round(a.Speed / SpeedStep)), int(math.Round(b.lattice.stepsOf(a.Throttle))),
	})
}
