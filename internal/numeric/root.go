package numeric

import (
	"errors"
	"fmt"
	"math"
)

// Line is a continuous function of one variable whose root is sought. F may fail: it need not be defined everywhere
// between the bounds.
type Line struct {
	F         func(x float64) (float64, error)
	Lo, Hi    float64 // bounds; may be infinite
	Typical   float64 // magnitude of x, above 0
	Tolerance float64 // largest |F| that counts as zero
}

// NoRootError reports where the search for a root ended without a root.
type NoRootError struct {
	X, F float64 // the least |F| that was found; X is NaN if F was defined nowhere
	// Beyond is why F is not defined beyond X, where that ended the search; otherwise
	// X is at a bound or at an extremum of F.
	Beyond error
	Bound  bool
	Across bool // F has both signs, but jumps between them or is not defined there
}

func (e *NoRootError) Error() string {
	switch {
	case math.IsNaN(e.X):
		return e.Beyond.Error()
	case e.Beyond != nil:
		return fmt.Sprintf("%.6g is left at %.6g, beyond which: %v", e.F, e.X, e.Beyond)
	}
	return fmt.Sprintf("%.6g is left at %.6g", e.F, e.X)
}

func (e *NoRootError) Unwrap() error { return e.Beyond }

// ErrStop, wrapped in an error of F, ends a search at once; Root then returns that error.
var ErrStop = errors.New("stopped")

// Root returns a root of l near x0. It follows secants. The step grows from secant to secant and stays where F is
// defined. Once the root is enclosed, it stays enclosed (see shrink). If secants fail, the whole range between the
// bounds is searched. The error is a *NoRootError, or an error of F that wraps ErrStop.
func (l *Line) Root(x0 float64) (float64, error) {
	s := &search{Line: l, wall: math.NaN()}
	x0 = max(l.Lo, min(l.Hi, x0))
	if _, ok := s.at(x0); !ok {
		s.spread(x0)
	}
	if s.open() {
		s.follow()
	}
	if s.open() {
		s.scan()
	}
	if s.enclosed() && !s.done() {
		s.shrink()
	}
	return s.end(x0)
}

// point is where F was evaluated.
type point struct {
	x, f  float64
	known bool
}

// search is the state of a search for a root.
type search struct {
	*Line
	below, above point // the last with F < 0 and with F > 0
	best         point
	fail         error   // last error of F
	wall         float64 // where that was
	stop         error
}

// at evaluates F and reports whether it is defined at x.
func (s *search) at(x float64) (point, bool) {
	if s.stop != nil {
		return point{}, false
	}
	f, err := s.F(x)
	if err == nil && !Finite(f) {
		err = errors.New("the value is not a number")
	}
	if err != nil {
		if s.fail, s.wall = err, x; errors.Is(err, ErrStop) {
			s.stop = err
		}
		return point{}, false
	}
	p := point{x, f, true}
	switch {
	case f < 0:
		s.below = p
	case f > 0:
		s.above = p
	}
	if !s.best.known || math.Abs(f) < math.Abs(s.best.f) {
		s.best = p
	}
	return p, true
}

func (s *search) done() bool     { return s.best.known && math.Abs(s.best.f) <= s.Tolerance }
func (s *search) enclosed() bool { return s.below.known && s.above.known }

// open reports whether the root is still to be enclosed, from a place where F is defined.
func (s *search) open() bool {
	return s.best.known && !s.done() && !s.enclosed() && s.stop == nil
}

// size is the magnitude of a change at x.
func (s *search) size(x float64) float64 {
	a := max(math.Abs(x), s.Typical)
	if w := s.Hi - s.Lo; Finite(w) {
		a = min(a, w)
	}
	return a
}

// spread looks for a place near x0 where F is defined, up to 85 times x0. A failure that is the same on both sides of
// x0 does not depend on x: then only far points are tried as well.
func (s *search) spread(x0 float64) {
	const steps, ratio = 18, 1.28
	first := s.fail.Error()
	same := true
	for i := 1; i <= steps; i++ {
		if i > 1 && i < steps && same {
			continue
		}
		d := math.Pow(ratio, float64(i)) - 1
		for _, x := range [...]float64{s.away(x0, d), s.away(x0, -d)} {
			if x = max(s.Lo, min(s.Hi, x)); x == x0 {
				continue
			}
			if _, ok := s.at(x); ok || s.stop != nil {
				return
			}
			same = same && s.fail.Error() == first
		}
	}
}

// away is x0 changed by d of its magnitude: by a factor where it is bounded by 0.
func (s *search) away(x0, d float64) float64 {
	if s.Lo >= 0 && x0 > 0 && d < 0 {
		return x0 / (1 - d)
	}
	return x0 + d*s.size(x0)
}

// follow takes secants' steps from the best point until the root is enclosed, or no step
// brings it nearer.
func (s *search) follow() {
	last := s.best
	h := 1e-3 * s.size(last.x)
	if last.x+h > s.Hi {
		h = -h
	}
	next, ok := s.at(last.x + h)
	if !ok {
		if next, ok = s.at(last.x - h); !ok {
			return
		}
	}
	grow := 0.5
	for range 40 {
		if !s.open() {
			return
		}
		d := -1.02 * next.f * (next.x - last.x) / (next.f - last.f) // a little more encloses the root
		if !Finite(d) {
			return
		}
		if most := grow * s.size(next.x); math.Abs(d) > most {
			d = math.Copysign(most, d)
		}
		if room := s.wall - next.x; room*d > 0 && math.Abs(d) > math.Abs(room)/2 {
			d = room / 2
		}
		x := max(s.Lo, min(s.Hi, next.x+d))
		if math.Abs(x-next.x) < 1e-6*s.size(x) {
			return
		}
		p, ok := s.at(x)
		if !ok {
			continue // half of the way to where it failed
		}
		if math.Abs(p.f) > 1.5*math.Abs(next.f) && !s.enclosed() {
			return // an extremum was passed
		}
		last, next, grow = next, p, grow*1.5
	}
}

// scan searches between the bounds for a change of sign: by factors if the bounds are far apart, and around the best
// point if there are no bounds.
func (s *search) scan() {
	const parts = 12
	lo, hi := s.Lo, s.Hi
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || hi-lo > 1e4*s.Typical {
		a := s.size(s.best.x)
		lo, hi = max(lo, s.best.x-20*a), min(hi, s.best.x+20*a)
	}
	from := lo
	if from <= 0 && hi > 0 {
		from = hi / 1e3
	}
	byFactor := lo >= 0 && hi > 30*from
	for i := range parts + 1 {
		t := float64(i) / parts
		x := lo + t*(hi-lo)
		if byFactor {
			x = max(lo, min(hi, from*math.Pow(hi/from, t)))
		}
		if s.at(x); !s.open() {
			return
		}
	}
	// The extremum nearest to a root lies about the best of them.
	for step := s.size(s.best.x) / 8; step > 1e-3*s.size(s.best.x) && s.open(); step /= 2 {
		x := s.best.x
		if up := min(s.Hi, x+step); up != x {
			s.at(up)
		}
		if down := max(s.Lo, x-step); down != x && s.open() {
			s.at(down)
		}
	}
}

// shrink closes in on the enclosed root by inverse quadratic interpolation where that is
// safe, and bisection elsewhere (Chandrupatla, Advances in Engineering Software 28, 1997).
func (s *search) shrink() {
	a, b := s.below, s.above // the newest and the other end
	t := a.f / (a.f - b.f)
	for range 100 {
		width := b.x - a.x
		if math.Abs(width) <= 1e-15*math.Abs(a.x) {
			return
		}
		t = max(1e-9, min(1-1e-9, t))
		x := a.x + t*width
		p, ok := s.at(x)
		for range 6 {
			if ok || s.stop != nil {
				break
			}
			x = s.best.x + (x-s.best.x)/8 // it is not defined all the way
			p, ok = s.at(x)
		}
		if !ok || s.done() {
			return
		}
		c := b
		if p.f < 0 == (a.f < 0) {
			c = a
		} else {
			b, c = a, b
		}
		a = p
		xi, phi := (a.x-b.x)/(c.x-b.x), (a.f-b.f)/(c.f-b.f)
		t = 0.5
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = a.f/(b.f-a.f)*c.f/(b.f-c.f) + (c.x-a.x)/(b.x-a.x)*a.f/(c.f-a.f)*b.f/(c.f-b.f)
		}
	}
}

// end returns the result of the search.
func (s *search) end(x0 float64) (float64, error) {
	switch {
	case s.stop != nil:
		return x0, s.stop
	case s.done():
		return s.best.x, nil
	case !s.best.known:
		return x0, &NoRootError{X: math.NaN(), Beyond: s.fail}
	case s.enclosed() && math.Abs(s.above.x-s.below.x) < 1e-13*s.size(s.best.x) && math.Abs(s.best.f) < 1e3*s.Tolerance:
		return s.best.x, nil // as near as rounding allows
	}
	e := &NoRootError{X: s.best.x, F: s.best.f, Bound: s.best.x <= s.Lo || s.best.x >= s.Hi}
	e.Across = s.enclosed()
	if !e.Bound && math.Abs(s.wall-s.best.x) < 1e-2*s.size(s.best.x) {
		e.Beyond = s.fail
	}
	return s.best.x, e
}

// Bisect returns a root of the rising function f between a and b, or the nearer end.
func Bisect(f func(float64) float64, a, b float64) float64 {
	for range 200 {
		mid := a + (b-a)/2
		if mid == a || mid == b {
			break
		}
		if f(mid) < 0 {
			a = mid
		} else {
			b = mid
		}
	}
	return a + (b-a)/2
}
