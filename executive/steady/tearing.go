package steady

// This file finds the order in which the equations of a design can be closed one after another. In the order of flow
// most of them need one unknown each: the burner's temperature its fuel, a shaft's balance its turbine's pressure
// ratio. An unknown fed back from downstream is torn, such as the engine's inlet flow from thrust or a recuperator's
// heat to its cold side. It is assumed first and corrected once all others are closed (Steward, "Partitioning and
// tearing systems of equations", SIAM J. Numerical Analysis 2, 1965).

import (
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/graph"
)

// closingOrder pairs the unknowns of a system with its residuals.
type closingOrder struct {
	residual []int    // by unknown: the residual that it closes
	reach    [][]bool // by unknown: its dependent steps
	need     [][]bool // by residual: the steps needed to read it
	affects  [][]bool // by unknown, by unknown: whether the first changes the solution for the second
	inner    []int    // unknowns solved one by one, in this order
	torn     []int    // the other unknowns, those of the least reach first
}

// order finds the closing order of a design's system.
func (s *equations) order() *closingOrder {
	n := len(s.Unknowns)
	o := &closingOrder{residual: s.pairs()}
	o.affects = make([][]bool, n)
	for i := range n {
		o.reach = append(o.reach, s.Model.StepsReached(s.Unknowns[i].At, false))
		o.need = append(o.need, s.Model.StepsNeeded(s.sources(&s.Residuals[i])))
	}
	for i := range n {
		o.affects[i] = make([]bool, n)
		p := s.Model.ReadersOf(s.Unknowns[i].At)
		for j := range n {
			before := s.ahead(&s.Residuals[o.residual[j]])
			o.affects[i][j] = overlap(o.reach[i], o.need[o.residual[j]]) &&
				!(before != nil && len(p) == 1 && p[0] == before)
		}
	}
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		if free := firstFree(left, o.affects); free >= 0 {
			o.inner = append(o.inner, free)
			left = slices.DeleteFunc(left, func(i int) bool { return i == free })
			continue
		}
		tear := worstKnot(left, o.affects)
		o.torn = append(o.torn, tear)
		left = slices.DeleteFunc(left, func(i int) bool { return i == tear })
	}
	for _, k := range o.inner { // effects are transitive
		for i := range n {
			for j := range n {
				o.affects[i][j] = o.affects[i][j] || o.affects[i][k] && o.affects[k][j]
			}
		}
	}
	slices.SortStableFunc(o.torn, func(a, b int) int { return count(o.reach[a]) - count(o.reach[b]) })
	return o
}

// firstFree is an unknown whose residual none of the others that are left affects; -1: none.
func firstFree(left []int, affects [][]bool) int {
	for _, j := range left {
		if !slices.ContainsFunc(left, func(i int) bool { return i != j && affects[i][j] }) {
			return j
		}
	}
	return -1
}

// worstKnot is the unknown in the largest number of cycles.
func worstKnot(left []int, affects [][]bool) int {
	tear, most := left[0], -1
	for _, j := range left {
		in, out := 0, 0
		for _, i := range left {
			if i != j && affects[i][j] {
				in++
			}
			if i != j && affects[j][i] {
				out++
			}
		}
		if in*out > most {
			tear, most = j, in*out
		}
	}
	return tear
}

func overlap(a, b []bool) bool {
	for i := range a {
		if a[i] && b[i] {
			return true
		}
	}
	return false
}

func count(mask []bool) int {
	n := 0
	for _, b := range mask {
		if b {
			n++
		}
	}
	return n
}

// pairs gives each unknown a residual: a target to its varied parameter, and to a component's unknown a balance of its
// component or of its shaft.
func (s *equations) pairs() []int {
	n := len(s.Unknowns)
	residual, taken := make([]int, n), make([]int, n)
	for i := range n {
		residual[i], taken[i] = -1, -1
	}
	suits := func(i, r int) bool {
		u, res := &s.Unknowns[i], &s.Residuals[r]
		if res.Of == nil {
			return res.Vary == u.At
		}
		p := s.Model.ReadersOf(u.At)
		return len(p) > 0 && (p[0] == res.Of || s.Model.OnShaft(res.Of, p[0]))
	}
	var place func(i int, seen []bool) bool
	place = func(i int, seen []bool) bool {
		for r := range n {
			if seen[r] || !suits(i, r) {
				continue
			}
			seen[r] = true
			if taken[r] < 0 || place(taken[r], seen) {
				residual[i], taken[r] = r, i
				return true
			}
		}
		return false
	}
	for i := range n {
		place(i, make([]bool, n))
	}
	for i := range n { // pair the rest in any way: torn or failed, they are solved together in the end
		if residual[i] < 0 {
			r := slices.Index(taken, -1)
			residual[i], taken[r] = r, i
		}
	}
	return residual
}

// sources are the parts of whose results a residual is made; nil: of all.
func (s *equations) sources(r *graph.Residual) []*graph.Part {
	if r.Of != nil {
		return []*graph.Part{r.Of}
	}
	name, field, _ := strings.Cut(strings.TrimPrefix(r.Until, "shafts."), ".")
	if name == "performance" {
		return s.Model.ContributorsTo(field)
	}
	p := s.Model.Index[name]
	if read, err := s.Model.Read(r.Until); p == nil || err != nil || read.Statics || read.Margins {
		return nil
	}
	return []*graph.Part{p}
}

// ahead is the part within which a residual is read, ahead of all effects of its parameters; nil: none.
func (s *equations) ahead(r *graph.Residual) *graph.Part {
	name, rest, _ := strings.Cut(r.Until, ".")
	p := s.Model.Index[name]
	port, _, ok := strings.Cut(rest, ".")
	if p == nil || !ok {
		return nil
	}
	if o := p.Outlet(port); o != nil && o.Ahead || o == nil && p.Inlet(port) != nil {
		return p
	}
	return nil
}
