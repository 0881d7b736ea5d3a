package zoom

// Runs that use earlier runs: a new run starts from its nearest neighbour's flow, and a run that had not settled enough
// continues from its end. Both follow from the answers of earlier rounds alone, and so do not depend on the order in
// which runs end.

import (
	"cmp"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// ready reports whether the runs exist from which a run starts.
func (r *Rounds) ready(w machine.Wanted) bool {
	return (w.From == "" || r.solution(w.From) != nil) && (w.After == "" || r.of(w.After) != nil)
}

// neighbour returns the nearest run of earlier rounds, empty if none exists or the solver does not start from other
// runs. Of two equally near runs it returns the run with the smaller key. Runs a tenth apart in speed or throttle are
// near.
func (r *Rounds) neighbour(p machine.RunPoint) (nearest string) {
	if !run.TakesNeighbour(&r.Study.Description) {
		return ""
	}
	reach := machine.RunPoint{Nu: 0.1, Kappa: 0.3, Alpha: 20}
	least := 1.0
	byKey := func(a, b surrogate.Observation) int { return cmp.Compare(a.Key, b.Key) }
	for _, a := range slices.SortedFunc(slices.Values(r.counted()), byKey) {
		d := machine.PointAt(a.X).Less(p).Over(reach)
		if r.solution(a.Key) != nil && d < least {
			nearest, least = a.Key, d
		}
	}
	return nearest
}

// Settling is the effect of continuing the run of an answer.
type Settling struct {
	Key         string
	Point       machine.RunPoint
	Convergence []float64 // by how much the quantities at a point may be off for this answer's convergence
	Stated      []float64 // by how much they may be off where it was found
}

// Unsettled lists for a point the contribution of each answer that can settle further to its convergence error, by key.
func (r *Rounds) Unsettled(p machine.RunPoint) []Settling {
	response, err := r.Response()
	if err != nil {
		return nil
	}
	var list []Settling
	shares := map[int][]float64{} // of all answers, by quantity
	for _, k := range response.machine.Seen() {
		shares[k] = response.model.Shares(k, p.Coordinates(response.dimension))
	}
	for i, a := range response.model.Answers() {
		if r.of(a.Key).final {
			continue
		}
		s := Settling{Key: a.Key, Point: machine.PointAt(a.X)}
		for _, k := range response.machine.Seen() {
			stated := response.uncertainties[a.Key].Convergence[k]
			s.Stated = append(s.Stated, stated)
			s.Convergence = append(s.Convergence, math.Abs(shares[k][i])*stated)
		}
		list = append(list, s)
	}
	return list
}

// ordersOf returns the orders of magnitude by which the residual of a run had to fall, and the greatest possible
// number; false: the solver has no such setting.
func (r *Rounds) ordersOf(w machine.Wanted) (orders, most float64, ok bool) {
	settings := r.Study.Description.Settings
	i := slices.IndexFunc(settings, func(q plugin.Quantity) bool {
		return q.Name == run.Orders && q.Shape == plugin.Scalar
	})
	if i < 0 || settings[i].Default == nil {
		return 0, 0, false
	}
	orders, most = *settings[i].Default, math.Inf(1)
	if given, set := r.Machine.Settings[run.Orders]; set {
		orders = given
	}
	if w.Orders > 0 {
		orders = w.Orders
	}
	if settings[i].Max != nil {
		most = *settings[i].Max
	}
	return orders, most, true
}

// CanSettle reports whether the run of an answer can continue until it is times nearer to its settled value. It raises
// the orders of all later runs accordingly: the distance falls as the residual does.
func (r *Rounds) CanSettle(key string, times float64) bool {
	now, most, _ := r.ordersOf(r.of(key).Wanted)
	to := math.Min(now+math.Ceil(math.Log10(times)), most)
	if !r.Settles(key) || !(to > now) {
		return false
	}
	r.orders = max(r.orders, to)
	return true
}

// Settles reports whether the run of an answer can be continued at all.
func (r *Rounds) Settles(key string) bool {
	e := r.of(key)
	now, most, ok := r.ordersOf(e.Wanted)
	return ok && !e.final && most > now && !r.full(0)
}

// onward returns the run that continues the run of an answer. It is equal to a run that falls by as many orders at
// once.
func (r *Rounds) onward(key string) machine.Wanted {
	w := r.of(key).Wanted
	w.Orders, w.After = r.orders, key
	return w
}
