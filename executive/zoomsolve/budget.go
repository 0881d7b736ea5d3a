package zoomsolve

// How the error of a result is shared out. A case's error is what its zoomed components bring to it, each where it
// works and, where its response is scaled to the design, by that point: these are the parts. They are independent,
// and the whole is the root of the sum of their squares, each over the error that its zoom wants. A whole of 1 is
// what is wanted; so no component has to be known better because another one is.
//
// A run leaves little of the part that it is made for. The fewest runs are those for the largest parts, until what is
// left is no more than 1: these are due, each to what the others leave of the whole, which is no less than an equal
// share. All runs count as equally dear: what they take in time is known only when they are there, and must not
// change which are made.

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
	goals   []config.Goal // what the zoom wants
	lacking []proposal    // what each case may need, as last appraised
	design  *proposal     // and the design point to which the response is scaled; nil: it is not
	cases   map[string]*caseState
	zooms   int // of the engine that have a budget

	improves func(p *proposal, goal int) bool // a run makes a part smaller
}

// caseState is what a zoom knows of a case.
type caseState struct {
	appraised bool
	error     float64 // as last estimated
	causes    result.ErrorCauses
	missed    estimate // by what the last run of the case, or near it, missed its prediction; nil: there was none
	stuck     float64  // error by runs that settle no further
	whole     float64  // error by all zooms, where there are several
	short     bool     // that is larger than wanted
	next      nextRun
}

// nextRun is where a case's next run would be, and by how much the estimated error would fall; 0: there is none.
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

// allot finds what is due of all budgets, which are for the same cases.
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

// parts are those that the component brings to a result's error in the i-th case. There are none where the case did
// not converge, and of a result that the zoom does not want.
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

// note notes the whole error of a case, where there are several zooms, and that it is larger than wanted, where the
// component brings an equal share of it or more.
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

// due is what is to fall of a part, whatever the result.
type due struct {
	excess float64 // of the whole, without the parts that are to fall before this one; at most 1: nothing is to fall
	goal   int     // of the zoom, the one that is missed most
	wanted float64 // what may be left of the part, of that goal's result
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

// wholeOf is the error of all parts, as it is and over what is wanted.
func wholeOf(parts []share) (is, over float64) {
	for _, s := range parts {
		is, over = math.Hypot(is, s.error), math.Hypot(over, s.size())
	}
	return is, over
}

// shareOut finds which parts of a result's error are due. Those that no run makes smaller stay, if the others can
// make up for them.
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
	name string // of the case; empty: the design point to which the response is scaled
	zoom.Planned
	serves []string // cases near it that need a run as well
	repeat bool     // somebody added it, and it was not made at first
}

// named is the proposal for a case.
func (p proposal) named(name string) *proposal {
	p.name = name
	return &p
}

// proposal is a run that may be needed, with the estimated errors there.
type proposal struct {
	planned
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

// appraised is the estimated error of a result that is wanted, relative, with its causes and its parts: what the
// model does not know, and what runs have that had not settled.
type appraised struct {
	error              float64
	causes             result.ErrorCauses
	between, unsettled float64
}

// appraisal has that of each goal.
type appraisal []appraised

// worst is that of the goal with the largest error.
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
