package steady

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// operatingLine is the operating line of an engine in one flight condition: a curve of solutions along which the
// throttle (the first varied parameter) and its target quantity change. It begins at the base's corrected speed, and is
// followed to both sides as far as a case needs. Its steps do not depend on the requested values.
type operatingLine struct {
	mu     sync.Mutex
	charts []any // the line's maps; kept, so that no other map can have their addresses
	known  bool  // its first point is known, or the reason why it has none
	none   error
	first  float64   // value of the quantity at the first point
	span   float64   // change of its quantity for lambda = 1, > 0
	names  []string  // of the system's unknowns
	w      []float64 // scales of the system's unknowns and lambda
	arms   [2]arm    // to falling and to rising values
}

// arm is the line on one side of its first point.
type arm struct {
	points [][]float64   // unknowns and lambda, rounded
	at     graph.Memory  // the model at the last point
	y, t   []float64     // that point, not rounded, and its tangent
	known  bool          // t is the tangent; else only its direction
	newton newton.Memory // the solver's state there
	h      float64       // length of the next step
	ended  error         // the reason for its end; nil: it can be followed further
}

// line returns the operating line of a lineCase.
func (m *Solver) line(r graph.ResolvedCase) *operatingLine {
	h := fnv.New64a()
	for _, set := range r.Set {
		fmt.Fprintf(h, "%s=%x;", set.Path, set.Value.Num)
	}
	for i, b := range r.Solve {
		fmt.Fprintf(h, "%s~%s;", b.Vary, b.Until)
		for _, bound := range []*float64{b.Min, b.Max} {
			if bound != nil {
				fmt.Fprintf(h, "%x", *bound)
			}
			fmt.Fprint(h, ";")
		}
		if i > 0 {
			fmt.Fprintf(h, "%x;", b.Target)
		}
	}
	charts := m.ChartsInUse()
	for _, c := range charts {
		fmt.Fprintf(h, "%p;", c)
	}
	l, known := m.base.lines.LoadOrStore(lineKey(h.Sum64()), &operatingLine{charts: charts})
	if !known && m.base.kept.Add(1) > mostLines {
		m.base.kept.Store(0)
		m.base.lines.Clear()
	}
	return l.(*operatingLine)
}

// mostLines is how many operating lines are kept, some 10 kB each, before all are forgotten.
const mostLines = 4096

// lineKey is a hash of the inputs of an operating line.
type lineKey uint64

// arm returns the side of a line for a value of its quantity, and the value's lambda.
func (l *operatingLine) arm(value float64) (a *arm, lambda float64) {
	if value <= l.first {
		return &l.arms[0], (l.first - value) / l.span
	}
	return &l.arms[1], (value - l.first) / l.span
}

// reach follows the line to the value that a case requests. It returns the points before and behind the value, and the
// share of the way between them. The error gives the reason if the line does not reach the value: with a *FoldError in
// it the line turns back.
func (l *operatingLine) reach(ctx context.Context, m *Solver,
	r graph.ResolvedCase) (a, b []float64, share float64, err error) {
	var total result.SolveInfo
	defer func() { m.base.shared.Add(int64(total.Evaluations)) }()
	side, err := m.sideModel()
	if err != nil {
		return nil, nil, 0, err
	}
	if !l.known {
		if err := l.begin(ctx, side, r, &total); err != nil {
			return nil, nil, 0, err
		}
	}
	if l.none != nil {
		return nil, nil, 0, l.none
	}
	arm, lambda := l.arm(r.Solve[0].Target)
	n := len(l.w) - 1
	if last := arm.points[len(arm.points)-1]; last[n] < lambda && arm.ended == nil {
		if err := l.extend(ctx, side, arm, lambda, r, &total); err != nil {
			return nil, nil, 0, err
		}
	}
	for i := 1; i < len(arm.points); i++ {
		if a, b := arm.points[i-1], arm.points[i]; lambda <= b[n] {
			return a, b, (lambda - a[n]) / (b[n] - a[n]), nil
		}
	}
	if lambda == 0 {
		return arm.points[0], arm.points[0], 0, nil
	}
	return nil, nil, 0, beyondFoldError(arm.ended, r.Solve[0].Target)
}

// beyondFoldError adds the requested value to the error of a fold.
func beyondFoldError(err error, target float64) error {
	var fold *FoldError
	if !errors.As(err, &fold) {
		return err
	}
	return &graph.SolveError{Reason: fmt.Sprintf("%s = %s is out of reach: it has %s", fold.Quantity,
		fold.unit.Format(target, 6), fold.extreme()), Err: fold}
}

// begin finds the line's first point.
func (l *operatingLine) begin(ctx context.Context, side *Solver, r graph.ResolvedCase, total *result.SolveInfo) error {
	err := side.fly(ctx, r, total)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.known = true
	if err != nil { // a fold on the way here is none of the line's
		l.none = &graph.SolveError{Reason: "the operating line cannot be begun: " + err.Error()}
		return nil
	}
	read, err := side.Read(r.Solve[0].Until)
	if err != nil {
		l.none = err
		return nil
	}
	l.first = read.Get()
	s, _, err := side.lineSystem(r, l.first)
	if err != nil {
		l.none = err
		return nil
	}
	l.span = math.Abs(l.first)
	if l.span == 0 {
		l.span = 1
	}
	n := len(s.Unknowns)
	for _, u := range s.Unknowns {
		l.names = append(l.names, u.Name)
	}
	y := append(s.InitialX(), 0)
	l.w = make([]float64, n+1)
	s.scales(l.w)
	l.w[n] = 1
	t := make([]float64, n+1)
	t[n] = 1
	for i := range l.arms {
		l.arms[i] = arm{points: [][]float64{rounded(y)}, at: side.Save(), y: y, t: t, h: firstStep}
	}
	return nil
}

// lineSystem returns the system of a case with its first target replaced by a value of the line.
func (m *Solver) lineSystem(r graph.ResolvedCase, value float64) (*equations, *graph.Balance, error) {
	var balances []*graph.Balance
	for _, b := range r.Solve {
		balances = append(balances, graph.NewBalance(b))
	}
	balances[0].Target, balances[0].Current = value, value
	s, err := m.equations(components.OffDesign, balances)
	return s, balances[0], err
}

// follower continues an arm on a model, as if it had not been interrupted.
func (l *operatingLine) follower(side *Solver, a *arm, r graph.ResolvedCase) (*follower, error) {
	side.Restore(a.at)
	if err := side.Settle(); err != nil {
		return nil, err
	}
	s, b, err := side.lineSystem(r, l.first)
	if err != nil {
		return nil, err
	}
	sign := -1.0
	if a == &l.arms[1] {
		sign = 1
	}
	set := func(lambda float64) { b.Current = l.first + sign*l.span*lambda }
	f := side.newFollower(s, set)
	f.w = l.w
	copy(f.y, a.y)
	copy(f.t, a.t)
	f.known = a.known
	f.nw.Restore(a.newton)
	f.fold = func(y []float64) error {
		set(y[len(y)-1])
		return foldError(s, b, y, sign < 0)
	}
	return f, nil
}

// extend follows an arm until it is beyond lambda, or ends. Every point is computed as if the arm were resumed there,
// so that it does not depend on the extent of earlier requests.
func (l *operatingLine) extend(ctx context.Context, side *Solver, a *arm, lambda float64, r graph.ResolvedCase,
	total *result.SolveInfo) error {
	for len(a.points) < mostPoints {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := l.follower(side, a, r)
		if err != nil {
			a.ended = err
			return nil
		}
		a.ended = a.next(f)
		total.Add(f.info)
		if a.ended != nil || f.y[len(f.y)-1] >= lambda {
			return nil
		}
	}
	a.ended = &graph.SolveError{Reason: "the operating line is too long to be followed there"}
	return nil
}

// next adds the next point, and returns the reason if the arm ends.
func (a *arm) next(f *follower) (ended error) {
	n := len(f.y) - 1
	ended = f.next(f.problem(), &a.h)
	if f.y[n] > a.points[len(a.points)-1][n] {
		a.points = append(a.points, rounded(f.y))
	} else if ended == nil { // a kink, whose tangent does not hold on the other side
		ended = f.fold(f.y)
	}
	if ended == nil {
		a.known, a.newton = true, f.nw.Save()
		f.put()
		a.at, a.y, a.t = f.s.Model.Save(), f.y, f.t
	}
	return ended
}

// rounded keeps nine digits: the last digits depend on earlier uses of the model.
func rounded(y []float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = numeric.Round(v, 9)
	}
	return out
}

// places returns the indices in the line's points of a system's unknowns, -1 for unknowns that the line lacks.
func (l *operatingLine) places(s *equations) []int {
	var list []int
	for _, u := range s.Unknowns {
		list = append(list, slices.Index(l.names, u.Name))
	}
	return list
}

// end is the last point of the line on the side of a value, in a system's unknowns; nil without a point.
func (l *operatingLine) end(s *equations, value float64) []float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.none != nil || len(l.arms[0].points) == 0 {
		return nil
	}
	a, _ := l.arm(value)
	last := a.points[len(a.points)-1]
	var x []float64
	for _, i := range l.places(s) {
		if i < 0 {
			return nil
		}
		x = append(x, last[i])
	}
	return x
}

// holds reports whether a model's solution of its system is on the line. The error is that of reach.
func (l *operatingLine) holds(ctx context.Context, m *Solver, s *equations, r graph.ResolvedCase) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, b, share, err := l.reach(ctx, m, r)
	if err != nil {
		return false, err
	}
	const near = 0.1 // of the speed; other branches are farther away
	for k, i := range l.places(s) {
		u := s.Unknowns[k]
		if u.Scaling != components.AsSpeed || i < 0 {
			continue
		}
		on := a[i] + share*(b[i]-a[i])
		if math.Abs(*u.At/on-1) > near+math.Abs(b[i]-a[i])/math.Abs(on)/4 {
			return false, nil
		}
	}
	return true, nil
}

// land solves a case from its lineCase, at, on the line. Near a fold a second solution is close to the one on the line:
// if the solve finds the second, the line is followed in smaller steps.
func (l *operatingLine) land(ctx context.Context, m *Solver, nw *newton.Solver, r, at graph.ResolvedCase,
	total *result.SolveInfo) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, b, share, err := l.reach(ctx, m, at)
	if err != nil {
		return err
	}
	s, way, err := m.prepareCase(r)
	if err != nil {
		return err
	}
	way.set(1)
	places := l.places(s)
	if slices.Contains(places, -1) {
		return &graph.SolveError{Reason: "the operating line has other unknowns"}
	}
	start := make([]float64, len(places))
	for try := range 5 {
		for k, i := range places {
			start[k] = a[i] + share*(b[i]-a[i])
		}
		nw.Forget()
		sol, info, err := s.Solve(ctx, nw, start)
		total.Add(info)
		if err == nil {
			near := true
			for k, i := range places {
				near = near && math.Abs(sol.X[k]-start[k]) <= longestStep*l.w[i]
			}
			off, evaluations, e := m.astray(nw, s, sol.X)
			total.Evaluations += evaluations
			if e != nil || near && !off {
				return e
			}
		}
		if try == 4 {
			break
		}
		if a, b, share, err = l.refine(m, a, b, at, total); err != nil {
			return err
		}
	}
	return &graph.SolveError{Reason: "no solution is found where the operating line leads"}
}

// refine follows the line from a towards b in smaller steps, to the value that a case asks for.
func (l *operatingLine) refine(m *Solver, a, b []float64, r graph.ResolvedCase,
	total *result.SolveInfo) (from, to []float64, share float64, err error) {
	side, err := m.sideModel()
	if err != nil {
		return nil, nil, 0, err
	}
	arm, lambda := l.arm(r.Solve[0].Target)
	f, err := l.follower(side, arm, r)
	if err != nil {
		return nil, nil, 0, err
	}
	defer func() { total.Add(f.info) }()
	h := 0.0
	for i := range f.y {
		f.t[i] = b[i] - a[i]
		h = max(h, math.Abs(f.t[i])/l.w[i])
	}
	if h == 0 {
		return nil, nil, 0, &graph.SolveError{Reason: "no solution is found where the operating line begins"}
	}
	for i := range f.t {
		f.t[i] /= h
	}
	copy(f.y, a)
	f.known = false
	f.nw.Forget()
	p := f.problem()
	h /= 4
	longest := h
	n := len(l.w) - 1
	for range 16 {
		if ended := f.next(p, &h); ended != nil && f.y[n] < lambda {
			return nil, nil, 0, ended
		}
		if f.y[n] >= lambda {
			break
		}
		h = min(h, longest)
	}
	from, to = rounded(f.last), rounded(f.y)
	return from, to, (lambda - from[n]) / (to[n] - from[n]), nil
}
