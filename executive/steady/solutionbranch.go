package steady

// An engine can have more than one operating point for the same targets. A given turbine inlet temperature has a second
// point below idle: speed and efficiency are so low that more fuel gives less power. A third point nearly windmills.
// The answer is the point reached from the base, the design point, first to the flight condition and then along the
// operating line. This file decides whether a solution is that point.
//
// Two tests are needed. Along a path of solutions the determinant of the Jacobian changes its sign at a fold, so that
// the second solution has the other sign. The third solution has the sign of the first, but a far lower or far higher
// speed. A solution with such a speed must be on the operating line, which is followed once for every flight condition.

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// mostSigns is how many signs are kept, with their maps, before all are forgotten.
const mostSigns = 256

// signAtBase is the sign of the determinant of a system's Jacobian at the base, 0 if undefined.
func (m *Solver) signAtBase(s *equations) (sign int, err error) {
	b := m.base
	if b == nil {
		return 0, nil
	}
	key, charts := s.signature(), m.ChartsInUse()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, known := range b.signs {
		if known.system == key && slices.Equal(known.charts, charts) {
			return known.sign, nil
		}
	}
	if sign, err = m.findSign(s); err != nil {
		return 0, err
	}
	if len(b.signs) == mostSigns {
		b.signs = nil
	}
	b.signs = append(b.signs, baseSign{key, charts, sign})
	return sign, nil
}

// findSign finds the sign for signAtBase.
func (m *Solver) findSign(s *equations) (sign int, err error) {
	c, err := m.sideModel()
	if err != nil {
		return 0, err
	}
	c.Restore(m.base.at)
	if c.Settle() != nil {
		return 0, nil
	}
	there, err := c.equations(s.Mode, c.targetsHere(s))
	if err != nil {
		return 0, err
	}
	var nw newton.Solver
	if nw.Linearize(there.Problem, there.InitialX(), func(int, float64) { m.base.shared.Add(1) }) == nil {
		sign = nw.Sign()
	}
	return sign, nil
}

// targetsHere are the balances of a system of another copy of the model, with the values
// that their targets have here.
func (m *Solver) targetsHere(s *equations) []*graph.Balance {
	var list []*graph.Balance
	for _, b := range s.Balances {
		here := graph.NewBalance(b.Balance)
		if read, err := m.Read(b.Until); err == nil {
			here.Current = read.Get()
		}
		list = append(list, here)
	}
	return list
}

// signature distinguishes systems by their unknowns and residuals.
func (s *equations) signature() uint64 {
	h := fnv.New64a()
	add := func(name string) {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	for i := range s.Unknowns {
		add(s.Unknowns[i].Name)
	}
	for i := range s.Residuals {
		add(s.Residuals[i].Name)
	}
	return h.Sum64()
}

// farthest is the largest ratio between a shaft's speed after a solve and its speed by similarity. Beyond it the solver
// may have passed from one branch to another.
const farthest = 2.5

// strayed reports whether some speed of a solution is far from where the solve started.
func (s *equations) strayed(start, x []float64) bool {
	for i, u := range s.Unknowns {
		if u.Scaling == components.AsSpeed && !(math.Abs(math.Log(x[i]/start[i])) < math.Log(farthest)) {
			return true
		}
	}
	return false
}

// astray reports whether the solution x, found by nw, is of another branch than the base, by the sign of the Jacobian's
// determinant. If the solver's own matrix has another sign, the Jacobian at the solution decides. A system with a held
// speed has no counterpart at the base to compare with.
func (m *Solver) astray(nw *newton.Solver, s *equations, x []float64) (bool, int, error) {
	is := nw.Sign()
	if is == 0 || s.held {
		return false, 0, nil
	}
	want, err := m.signAtBase(s)
	if err != nil || want == 0 || is == want {
		return false, 0, err
	}
	evaluations := 0
	err = nw.Linearize(s.Problem, x, func(int, float64) { evaluations++ })
	is = nw.Sign()
	if e := s.Eval(x, make([]float64, len(x))); e != nil {
		return true, evaluations, nil
	}
	return err != nil || is != want, evaluations + 1, nil
}

// A solution has to be shown to lie on the operating line if the corrected speed of the fastest free shaft,
// relative to the base, is below slowSpeed or above fastSpeed. Too fast is a power turbine whose load does not
// depend on the speed: far beyond its map it takes and gives the same power once more.
const (
	slowSpeed = 0.85
	fastSpeed = 1.5
)

// suspect reports whether the engine, at a solution, is slower than slowSpeed or faster than fastSpeed.
func (m *Solver) suspect(s *equations) bool {
	_, fastest := m.fastest(s)
	return fastest < slowSpeed && !math.IsInf(fastest, -1) || fastest > fastSpeed
}

// fastest returns the free shaft whose corrected speed is highest, relative to the base, and that speed; minus infinity
// without a free shaft.
func (m *Solver) fastest(s *equations) (name string, speed float64) {
	speed = math.Inf(-1)
	if m.base.speeds == nil {
		return "", speed
	}
	sqrtTheta := math.Sqrt(m.Perf.Face.Theta())
	for _, u := range s.Unknowns {
		if u.Scaling == components.AsSpeed && !s.targeted(u.Name) {
			if v := *u.At / sqrtTheta / m.base.speeds[u.Name]; v > speed {
				name, speed = u.Name, v
			}
		}
	}
	return name, speed
}

// tooFast returns an error for a solution with a shaft above fastSpeed that no operating line reaches, else nil.
func (m *Solver) tooFast(s *equations) error {
	if name, speed := m.fastest(s); speed > fastSpeed {
		return &graph.SolveError{
			Reason: fmt.Sprintf("the solution that was found has %s at %.3g times its corrected speed at the design, "+
				"and no operating line leads there", name, speed),
		}
	}
	return nil
}

// targeted reports whether a balance has an unknown as its target.
func (s *equations) targeted(name string) bool {
	return slices.ContainsFunc(s.Balances,
		func(b *graph.Balance) bool { return b.Until == name || b.Until == "shafts."+name })
}
