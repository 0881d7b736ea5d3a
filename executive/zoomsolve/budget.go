package zoomsolve

// Shares of the error of a result. Each zoomed component contributes two parts to a case's error: at its operating
// point and, if its response is scaled to the design, at the design point. The parts are independent. The whole error
// is the root of the sum of their squares, each relative to the error that its zoom requests. A whole of 1 is the
// requested error, so no component needs higher accuracy because of another.
//
// A run leaves little of the part that it is made for. The fewest runs are therefore made for the largest parts, until
// the rest is at most 1. These parts are due. Each is due down to the share that the others leave of the whole, which
// is at least an equal share. All runs count as equally expensive: their times are known only afterwards, and must not
// change the choice of runs.

import (
	"cmp"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// budget is the share of a zoom in the errors of the cases.
type budget struct {
	goals   []config.Goal // errors that the zoom requests
	lacking []proposal    // possible next run of each case, as last appraised
	design  *proposal     // the design point to which the response is scaled; nil: not scaled
	cases   map[string]*caseState
	zooms   int // of the engine that have a budget

	improves func(p *proposal, goal int) bool // a run makes a part smaller
}

// caseState is the state of a case in a zoom.
type caseState struct {
	appraised bool
	error     float64 // as last estimated
	causes    result.ErrorCauses
	missed    estimate // difference between the case's last run, or a run near it, and its prediction; nil: no such run
	stuck     float64  // error by runs that settle no further
	whole     float64  // error by all zooms, if there are several
	short     bool     // that is larger than wanted
	next      nextRun
}

// nextRun is the point of a case's next run, with the expected decrease of the error; 0: no run.
type nextRun struct {
	at   machine.RunPoint
	gain float64
}

// of returns the state of a case.
func (b *budget) of(name string) *caseState {
	if b.cases[name] == nil {
		b.cases[name] = &caseState{}
	}
	return b.cases[name]
}

// copied is the budget with states of its own.
func (b *budget) copied() budget {
	c := *b
	c.cases = map[string]*caseState{}
	for name, s := range b.cases {
		own := *s
		c.cases[name] = &own
	}
	return c
}

// allot finds the due parts of all budgets, which are for the same cases.
func allot(all []*budget) {
	var paths []string
	for _, z := range all {
		z.zooms = len(all)
		for _, c := range z.cases {
			c.short, c.whole = false, 0
		}
		for _, g := range z.goals {
			if !slices.Contains(paths, g.Path) {
				paths = append(paths, g.Path)
			}
		}
	}
	for _, path := range paths {
		for i := range all[0].lacking {
			var parts []share
			of := make([][]share, len(all))
			for k, z := range all {
				of[k] = z.parts(i, path)
				parts = append(parts, of[k]...)
			}
			is, whole := wholeOf(parts)
			for k, z := range all {
				z.note(all[0].lacking[i].name, of[k], is, whole)
			}
			shareOut(parts)
		}
	}
}

// parts returns the component's parts of a result's error in the i-th case. It returns none if the case did not
// converge, or for a result that the zoom does not request.
func (b *budget) parts(i int, path string) (list []share) {
	for k, g := range b.goals {
		if g.Path != path || b.lacking[i].gains == nil {
			continue
		}
		for _, p := range []*proposal{&b.lacking[i], b.design} {
			if p != nil {
				list = append(list, share{of: &p.due, goal: k, error: p.appraisal[k].error, wanted: g.Error,
					can: func() bool { return b.improves(p, k) }})
			}
		}
	}
	return list
}

// note sets the whole error of a case if there are several zooms. It sets short if the whole is larger than requested
// and the component contributes at least an equal share.
func (b *budget) note(name string, parts []share, is, whole float64) {
	if len(parts) == 0 {
		return
	}
	c := b.of(name)
	if b.zooms > 1 {
		c.whole = max(c.whole, is)
	}
	if _, by := wholeOf(parts); whole > 1 && by*by*float64(b.zooms) >= (1-1e-9)*whole*whole {
		c.short = true
	}
}

// due is the required decrease of a part, for any result.
type due struct {
	excess float64 // whole error without the parts that fall before this part; at most 1: no decrease is due
	goal   int     // goal of the zoom that is missed most
	wanted float64 // allowed rest of the part, for the result of that goal
	ratio  float64 // of the part to that
}

// share is a part of the error of one result in one case.
type share struct {
	of     *due
	goal   int
	error  float64
	wanted float64     // by the zoom, of the whole
	can    func() bool // a run would make it smaller
}

func (s *share) size() float64 { return s.error / s.wanted }

// wholeOf returns the error of all parts, absolute and relative to the requested error.
func wholeOf(parts []share) (is, over float64) {
	for _, s := range parts {
		is, over = math.Hypot(is, s.error), math.Hypot(over, s.size())
	}
	return is, over
}

// shareOut finds the due parts of a result's error. A part that no run can make smaller stays as it is if the other
// parts can compensate for it.
func shareOut(parts []share) {
	_, whole := wholeOf(parts)
	if whole <= 1 {
		return
	}
	slices.SortStableFunc(parts, func(a, b share) int { return cmp.Compare(b.size(), a.size()) })
	left, fixed := whole*whole, 0.0 // squares
	can := make([]bool, len(parts))
	for i, s := range parts {
		if can[i] = s.can(); !can[i] {
			fixed += s.size() * s.size()
		}
	}
	var chosen []share
	var before []float64 // the whole, before each of them falls
	for i, s := range parts {
		if left > 1 && (can[i] || fixed > 1) {
			chosen, before = append(chosen, s), append(before, math.Sqrt(left))
			left -= s.size() * s.size()
		}
	}
	may := math.Sqrt(max((1-left)/float64(len(chosen)), 1/float64(len(parts))))
	for i, s := range chosen {
		if d := s.of; s.size()/may > d.ratio {
			d.goal, d.wanted, d.ratio = s.goal, may*s.wanted, s.size()/may
		}
		s.of.excess = max(s.of.excess, before[i])
	}
}

// planned is a run that a case needs.
type planned struct {
	name string // of the case; empty: the design point of a scaled response
	zoom.Planned
	serves []string // other cases near the point that need a run
	repeat bool     // added by a user, and not made at first
}

// proposal is a run that may be needed, with the estimated errors at its point.
type proposal struct {
	name      string // of the case; empty: the design point of a scaled response
	At        machine.RunPoint
	appraisal appraisal
	gains     []estimate // of each goal; nil: the case did not converge
	due       due
}

// greatest is the larger size of each number.
func (e estimate) greatest(other estimate) estimate {
	out := slices.Clone(other)
	for i := range e {
		out[i] = max(math.Abs(e[i]), math.Abs(other[i]))
	}
	return out
}

// appraised is the estimated relative error of a requested result, with its causes and its two parts: the uncertainty
// of the model between runs, and the unsettled part of the runs.
type appraised struct {
	error              float64
	causes             result.ErrorCauses
	between, unsettled float64
}

// appraisal has the estimated error of each goal.
type appraisal []appraised

// worst returns the estimated error of the goal with the largest.
func (a appraisal) worst() (w appraised) {
	for _, e := range a {
		if e.error >= w.error {
			w = e
		}
	}
	return w
}

// with is the sum with errors of the same goals that are independent of these.
func (a appraisal) with(other appraisal) appraisal {
	sum := make(appraisal, len(a))
	for i, e := range a {
		o := other[i]
		sum[i] = appraised{math.Hypot(e.error, o.error), e.causes.With(o.causes), math.Hypot(e.between, o.between),
			math.Hypot(e.unsettled, o.unsettled)}
	}
	return sum
}

// estimate holds a number for every quantity of a response.
type estimate []float64

// inTransient is the name of no case: in a transient no case's last miss counts.
const inTransient = "\x00"
