package throughflow

import (
	"math"

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
	least, first, third := 0.0, 4.0, 1.0
	o.AddObject(steer.Object{
		Name: "dissipation", Type: steer.Struct, Effect: steer.Numerics,
		Doc: "shares of the artificial dissipation of Jameson, Schmidt and Turkel",
		Fields: []steer.Part{{Name: "first", Type: steer.Float, Min: &least, Max: &first},
			{Name: "third", Type: steer.Float, Min: &least, Max: &third}},
	}, steer.Binding{Get: s.dissipation, Set: s.dissipate})
	s.steerEnds()
	o.Flow(&s.at, s.progress)
}

// steerEnds registers the exit condition, the speed and the calibration.
func (s *Solver) steerEnds() {
	o, e, k := &s.steering, &s.c.Exit, &s.c.Settings.Calibration
	o.Ends(e, o.Setting, steer.FloatAt(&e.Ps))
	if s.c.N > 0 {
		o.Guessed("N", steer.Float, steer.Binding{
			Get: func() steer.Value { return steer.FloatValue(s.c.N) },
			Set: func(v steer.Value) error { s.turnAt(v.Number); return nil },
		})
	}
	o.Model("deviation_offset", steer.Binding{
		Get: func() steer.Value { return steer.FloatValue(k.Deviation * 180 / math.Pi) },
		Set: func(v steer.Value) error { k.Deviation = v.Number * math.Pi / 180; return nil },
	})
	o.Model("loss_change", steer.FloatAt(&k.Loss))
}

// turnAt has the rows turn that do at another speed, rpm.
func (s *Solver) turnAt(n float64) {
	s.c.N = n
	for _, l := range s.levels {
		for _, row := range l.rows {
			if row.omega != 0 {
				row.omega = n * math.Pi / 30
			}
		}
	}
}

func (s *Solver) dissipation() steer.Value {
	d := s.c.Settings.Dissipation
	return steer.Value{
		Type: steer.Struct, Fields: []steer.Field{{Name: "first", Value: steer.FloatValue(d.First)},
			{Name: "third", Value: steer.FloatValue(d.Third)}},
	}
}

func (s *Solver) dissipate(v steer.Value) error {
	// in the order of the description
	d := Dissipation{First: v.Fields[0].Value.Number, Third: v.Fields[1].Value.Number}
	s.c.Settings.Dissipation = d
	for _, l := range s.levels {
		l.q.damping = d
	}
	return nil
}
