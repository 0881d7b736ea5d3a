package zoom

// Answers of earlier studies of the same machine, from the cache. A study first makes its rounds as if the cache had
// none. As long as the earlier studies left all its requests, it repeats one of them, and its answer is theirs to the
// last bit. The first round that needs a new run is not made. From then on all that the earlier studies left counts as
// if this study had found it, and planning starts anew on the model of that.
//
// The set of earlier answers is fixed when the study begins; see study.Study.Earlier. So the result depends neither on
// the workers, nor on the order in which runs end, nor on a kill.

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// mostEarlier is the greatest number of earlier answers that count, the nearest to the engine's operating points. The
// work of a model grows with the cube of its answers, and distant answers add little.
const mostEarlier = 40

// Begin collects the answers of earlier studies. It comes before the first round.
func (r *Rounds) Begin() error {
	list, err := r.Study.Earlier(r.Machine.Group(), r.Machine.Name)
	if err != nil || len(list) == 0 {
		return err
	}
	r.before = &before{list: map[string]study.Earlier{}, wants: map[string]bool{}}
	for _, e := range list {
		r.before.list[e.Key] = e
	}
	return nil
}

// recall lets the answers of earlier studies count if they lack any of some runs. It reports whether this changes the
// model. From then on no further answers are recalled.
func (r *Rounds) recall(list []machine.Wanted) (more bool) {
	if r.before == nil || len(list) == 0 {
		return false
	}
	b := r.before
	keys, err := r.keysOf(list)
	if err != nil {
		return false // who makes the runs reports it
	}
	if lacks := slices.ContainsFunc(keys, func(key string) bool { _, there := b.list[key]; return !there }); !lacks {
		for _, key := range keys {
			b.wants[key] = true
		}
		return false
	}
	r.before = nil
	others := maps.Clone(b.list)
	maps.DeleteFunc(others, func(key string, _ study.Earlier) bool {
		return b.wants[key] || slices.Contains(keys, key)
	})
	if len(others) == 0 {
		return false // they are of this very study, by another name
	}
	all := recollection{r: r, list: b.list, found: map[string]*entry{}}
	chosen := all.nearest(b.wants)
	all.count(chosen)
	return len(chosen) > 0
}

// keysOf returns the cache keys of runs.
func (r *Rounds) keysOf(list []machine.Wanted) (keys []string, err error) {
	jobs, err := r.jobs(list)
	for _, j := range jobs {
		key, err := r.Study.Key(j)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key.String())
	}
	return keys, err
}

// recollection finds answers of earlier studies in the cache.
type recollection struct {
	r     *Rounds
	list  map[string]study.Earlier
	found map[string]*entry          // by key; nil: it cannot be had
	make  func(run.Job) *run.Outcome // for answers missing from the cache; nil: such an answer is left out
}

// get returns the answer of a key, if this machine would make exactly this request.
func (c *recollection) get(key string) *entry {
	if t, known := c.found[key]; known {
		return t
	}
	c.found[key] = nil
	e, ok := c.list[key]
	if _, err := cache.ParseKey(key); !ok || err != nil {
		return nil
	}
	t := &entry{past: &Recalled{Earlier: e}}
	t.Name, t.Inputs, t.Orders = c.r.Machine.Name+"-"+key[:16], e.Inputs, e.Orders
	j, err := c.r.Machine.Job(&t.Wanted)
	if err != nil {
		return nil
	}
	if e.Neighbour != "" {
		from := c.get(e.Neighbour)
		if from == nil || from.outcome.Solution == nil {
			return nil
		}
		j.Neighbour = from.outcome.Solution
	}
	if requested, err := c.r.Study.Key(j); err != nil || requested.String() != key {
		return nil
	}
	o := c.r.Study.Recall(j)
	if o == nil && c.make != nil {
		o = c.make(j)
	}
	if o == nil {
		return nil
	}
	t.outcome, c.found[key] = *o, t
	return t
}

// understand reads an answer, and gives its run the name that it has in this study.
func (c *recollection) understand(t *entry) (ok bool) {
	m, err := &c.r.Machine, error(nil)
	if t.answer, t.uncertainty, err = m.Answer(&t.outcome); err != nil {
		return false
	}
	var there [machine.Outputs]surrogate.Value
	for k, y := range t.answer.Y {
		there[k].V = y
	}
	names := []machine.Wanted{m.Want(machine.PointAt(t.answer.X), there[:])}
	if w, ok := m.HoldDesign(); ok {
		names = append(names, w)
	}
	for _, w := range names {
		if maps.Equal(w.Inputs, t.Inputs) {
			t.Name = w.Name
		}
	}
	t.answer.Key = t.Run()
	t.outcome.Job.Name = t.answer.Key
	return true
}

// nearest returns the answers nearest to the engine's operating points, without the given keys and this study's own. Of
// several for the same point it returns the most settled.
func (c *recollection) nearest(without map[string]bool) []*entry {
	best := map[string]*entry{}
	for _, key := range slices.Sorted(maps.Keys(c.list)) {
		t := c.get(key)
		if t == nil || without[key] || !c.understand(t) || c.r.requested(t.Name) {
			continue
		}
		if other := best[t.Name]; other == nil || t.Orders > other.Orders {
			best[t.Name] = t
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(a, b *entry) int {
		return cmp.Or(
			cmp.Compare(c.r.distance(a.answer.X), c.r.distance(b.answer.X)),
			cmp.Compare(a.past.Key, b.past.Key),
		)
	})
	return list[:min(len(list), mostEarlier)]
}

// distance returns the distance of a place from the nearest operating point.
func (r *Rounds) distance(x []float64) float64 {
	least, distance := math.Inf(1), r.Machine.Distance()
	for _, p := range append([]machine.RunPoint{r.Machine.DesignPoint(), r.Origin}, r.Works...) {
		least = min(least, distance(x, p.Coordinates(len(x))))
	}
	return least
}

// count lets answers count, with the answers from which they started.
func (c *recollection) count(chosen []*entry) {
	for _, t := range chosen {
		t.past.Counts = true
	}
	taken := map[string]bool{}
	var take func(t *entry)
	take = func(t *entry) {
		if taken[t.past.Key] {
			return
		}
		taken[t.past.Key] = true
		if t.past.Neighbour != "" {
			from := c.found[t.past.Neighbour]
			take(from)
			t.From = from.Run()
		}
		c.r.entries = append(c.r.entries, t)
		c.r.response = nil
	}
	for _, t := range chosen {
		take(t)
	}
}

// recalls returns the answers of earlier studies that this study has taken, each after the answer from which it
// started.
func (r *Rounds) recalls() (list []Recalled) {
	for _, e := range r.entries {
		if e.past != nil {
			list = append(list, *e.past)
		}
	}
	return list
}

// restore takes exactly the answers of earlier studies that a plan has. Answers that the cache has lost are made again.
// If this study has taken others, all its runs are made again.
func (r *Rounds) restore(ctx context.Context, plan []Recalled) error {
	r.before = nil
	same := func(a, b Recalled) bool { return a.Key == b.Key && a.Counts == b.Counts }
	if slices.EqualFunc(r.recalls(), plan, same) {
		return nil
	}
	r.ledger = ledger{Machine: r.Machine, Study: r.Study, Most: r.Most, Cause: r.Cause}
	r.orders, r.missed, r.response = 0, nil, nil
	var failed error
	c := recollection{r: r, list: map[string]study.Earlier{}, found: map[string]*entry{}}
	c.make = func(j run.Job) *run.Outcome {
		outs, err := r.Study.Evaluate(ctx, []run.Job{j})
		if err != nil || !outs[0].OK() {
			failed = cmp.Or(failed, err, outs[0].Err)
			return nil
		}
		return &outs[0]
	}
	var chosen []*entry
	for _, p := range plan {
		c.list[p.Key] = p.Earlier
		if t := c.get(p.Key); t != nil && p.Counts && c.understand(t) {
			chosen = append(chosen, t)
		}
	}
	c.count(chosen)
	return failed
}
