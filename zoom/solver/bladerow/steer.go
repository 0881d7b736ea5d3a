package bladerow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Steer registers the values that can be read and changed in the next run, which made before iterations with another
// solver. Settings and inputs have their names in a request; describe adds their properties. A nil registry disables
// steering.
func (s *Solver) Steer(r *steer.Registry, before int64, describe march.Describe) {
	o, set := &s.steering, &s.c.Settings
	o.Open(r, before, describe)
	o.Course(&set.CFL, &set.Tolerance, &set.MaxIterations, &set.Steady, &set.MassError)
	o.Setting("workers", steer.Int, steer.Binding{
		Get: func() steer.Value { return steer.IntValue(int64(set.Workers)) },
		Set: func(v steer.Value) error { s.employ(int(v.Number)); return nil },
	})
	least, most := 1.0, float64(len(s.levels))
	o.AddObject(steer.Object{Name: "multigrid.meshes", Type: steer.Int, Min: &least, Max: &most,
		Effect: steer.Numerics, Doc: "meshes of a multigrid cycle, the finest among them"}, steer.Binding{
		Get: func() steer.Value { return steer.IntValue(int64(s.c.Settings.Levels - s.coarsest)) },
		Set: func(v steer.Value) error { s.coarsest = s.c.Settings.Levels - int(v.Number); return nil },
	})
	s.steerEnds()
	o.Flow(&s.at, s.progress)
	o.See(steer.Object{
		Name: "load", Type: steer.Array, Shape: []int{set.Workers},
		Doc: "planes of cells of each worker, on the finest mesh",
	}, s.load)
}

// steerEnds registers the exit condition and the speed.
func (s *Solver) steerEnds() {
	o, e := &s.steering, &s.c.Exit
	o.Ends(e, o.Guessed, steer.Binding{
		Get:   func() steer.Value { return steer.FloatValue(e.Ps) },
		Set:   func(v steer.Value) error { e.Ps = v.Number; s.press(e.Ps); return nil },
		Check: func(v steer.Value) error { return s.checkPressure(v.Number) },
	})
	if s.speed() > 0 {
		o.Guessed("N", steer.Float, steer.Binding{
			Get: func() steer.Value { return steer.FloatValue(s.speed()) },
			Set: func(v steer.Value) error { s.turnAt(v.Number); return nil },
		})
	}
}

// checkPressure checks the precondition of another exit pressure.
func (s *Solver) checkPressure(ps float64) error {
	c := s.c
	c.Exit.Ps = ps
	if err := c.checkExit(); err != nil {
		return fmt.Errorf("%s: %w", c.Exit.At, err)
	}
	return nil
}

// speed returns the speed of the rotating rows, rpm; 0: none rotates.
func (s *Solver) speed() float64 {
	fastest := 0.0
	for _, r := range s.c.rows() {
		fastest = max(fastest, r.N)
	}
	return fastest
}

// turnAt has the rows turn that do at another speed, rpm.
func (s *Solver) turnAt(n float64) {
	if s.c.N > 0 {
		s.c.N = n
	}
	for i := range s.c.Behind {
		if s.c.Behind[i].N > 0 {
			s.c.Behind[i].N = n
		}
	}
	for i, row := range s.c.rows() {
		for _, l := range s.rows[i] {
			l.spin(row.N * math.Pi / 30 / l.ref.v)
		}
	}
}

// spin sets the speed of a row's frame, and of the walls that turn with it.
func (l *level) spin(omega float64) {
	if l.omega == omega {
		return
	}
	l.omega = omega
	for i := range l.patches {
		if wall, ok := l.patches[i].cond.(*noSlip); ok && wall.spin != 0 {
			wall.spin, wall.v = omega, nil
		}
	}
}

// employ has so many goroutines compute. The flow does not depend on it.
func (s *Solver) employ(workers int) {
	s.c.Settings.Workers = workers
	for _, levels := range s.rows {
		for _, l := range levels {
			l.block.employ(workers)
		}
	}
	s.watch()
}

// load returns the number of planes of cells of each worker on the finest mesh.
func (s *Solver) load() steer.Value {
	l := s.levels[len(s.levels)-1]
	planes := make([]float64, s.c.Settings.Workers)
	for w := range l.workers {
		lo, hi := share(l.n[2], w, l.workers)
		planes[w] = float64(hi - lo)
	}
	return steer.ArrayValue(planes)
}

// marched returns the meshes of the cycle, of each row from the coarsest on, and the number of the marched mesh among
// them.
func (s *Solver) marched() (rows [][]*level, at int) {
	from := min(s.coarsest, s.at)
	if from == 0 {
		return s.rows, s.at
	}
	return convert.All(s.rows, func(levels []*level) []*level { return levels[from:] }), s.at - from
}

// watch connects the meshes with the run's sensors.
func (s *Solver) watch() {
	for r, levels := range s.rows {
		for k, l := range levels {
			of, first := fmt.Sprintf("row %d, mesh %d", r, k), march.Worker(0)
			w := &regions{level: s.steering.Region(march.LevelRegion, first, of),
				exchange: s.steering.Region(march.ExchangeRegion, first, of)}
			for n := range l.workers {
				w.sweep = append(w.sweep, s.steering.Region(march.SweepRegion, march.Worker(n), of))
				w.barrier = append(w.barrier, s.steering.Region(march.BarrierRegion, march.Worker(n), of))
			}
			l.regions = w
		}
	}
}
