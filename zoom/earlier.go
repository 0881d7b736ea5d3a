package zoom

// Answers of earlier studies of the same machine, from the cache. A study first makes its rounds as if there were
// none: as long as the earlier studies left all that it requests, it is one of them over again, and its answer is
// theirs to the last bit. The first round of which a run would have to be made is not made; all that they left counts
// from there on, as if this study had found it, and what is wanted is found anew on the model of that.
//
// Which answers there are is settled when the study begins; see run.Study.Earlier. So neither workers, nor who ends
// first, nor a kill changes anything.

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// mostEarlier is the greatest number of earlier answers that count, those nearest to where the engine works. The work
// of a model goes with the cube of its answers, and what is far away says little.
const mostEarlier = 40

// before are the answers of earlier studies, by key.
type before struct {
	list  map[string]run.Earlier
	wants map[string]bool // that this study has requested, too
}

// recalled is an answer of an earlier study with what the cache has of it.
type recalled struct {
	Recalled
	outcome *run.Outcome
	wanted  Wanted
	answer  surrogate.Answer
	doubt   doubt
}

// group identifies the requests for the machine, whatever its name. Those made for another design flow are of the
// group, too, but as their inlet profiles are not this machine's, they do not count: see recollection.get.
func (m *Machine) group() any {
	return map[string]any{
		"type": m.Type, "geometry": m.Geometry, "gamma": m.Gamma, "R": m.R, "Pt": m.Pt, "Tt": m.Tt,
		"boundary": m.Boundary,
		"settings": m.Settings, "texts": m.Texts,
	}
}

// job is that of a run, but for the runs from which it starts.
func (m *Machine) job(w *Wanted) (run.Job, error) {
	request, err := m.kind().request(m, w.Inputs)
	if err != nil {
		return run.Job{}, err
	}
	if w.Orders > 0 {
		request.Numbers[run.Orders] = w.Orders
	}
	return run.Job{Name: w.run(), Request: request, Component: m.Name, Group: m.group(),
		Place: run.Place{Inputs: w.Inputs, Orders: w.Orders}}, nil
}

// Begin finds out which answers of earlier studies there are. It comes before the first round.
func (r *Rounds) Begin() error {
	list, err := r.Study.Earlier(r.Machine.group(), r.Machine.Name)
	if err != nil || len(list) == 0 {
		return err
	}
	r.before = &before{list: map[string]run.Earlier{}, wants: map[string]bool{}}
	for _, e := range list {
		r.before.list[e.Key] = e
	}
	return nil
}

// Earlier are the outcomes of earlier studies that count.
func (r *Rounds) Earlier() (list []run.Outcome) {
	for _, t := range r.taken {
		if t.Counts {
			list = append(list, *t.outcome)
		}
	}
	return list
}

// recall lets the answers of earlier studies count if they lack one of some runs, and reports whether the model has
// become another by that. From then on there are no others.
func (r *Rounds) recall(list []Wanted) (more bool) {
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
	maps.DeleteFunc(others, func(key string, _ run.Earlier) bool { return b.wants[key] || slices.Contains(keys, key) })
	if len(others) == 0 {
		return false // they are of this very study, by another name
	}
	all := recollection{r: r, list: b.list, found: map[string]*recalled{}}
	for _, w := range list { // is to be found anew
		if w.After == "" {
			delete(r.requested, w.Name)
		}
	}
	chosen := all.nearest(b.wants)
	all.count(chosen)
	if len(chosen) == 0 {
		for _, w := range list {
			r.requested[w.Name] = true
		}
	}
	return len(chosen) > 0
}

// keysOf are those of runs in the cache.
func (r *Rounds) keysOf(list []Wanted) (keys []string, err error) {
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
	list  map[string]run.Earlier
	found map[string]*recalled       // by key; nil: it cannot be had
	make  func(run.Job) *run.Outcome // for what the cache lacks; nil: that is left out
}

// get is the answer of a key, if this machine would request it just so.
func (c *recollection) get(key string) *recalled {
	if t, known := c.found[key]; known {
		return t
	}
	c.found[key] = nil
	e, ok := c.list[key]
	if _, err := cache.ParseKey(key); !ok || err != nil {
		return nil
	}
	t := &recalled{
		Recalled: Recalled{Earlier: e}, wanted: Wanted{Name: c.r.Machine.Name + "-" + key[:16], Inputs: e.Inputs,
			Further: Further{Orders: e.Orders}},
	}
	j, err := c.r.Machine.job(&t.wanted)
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
	t.outcome = c.r.Study.Recall(j)
	if t.outcome == nil && c.make != nil {
		t.outcome = c.make(j)
	}
	if t.outcome == nil {
		return nil
	}
	c.found[key] = t
	return t
}

// understand reads an answer, and gives its run the name that it has in this study.
func (c *recollection) understand(t *recalled) (ok bool) {
	m, err := &c.r.Machine, error(nil)
	if t.answer, t.doubt, err = m.answer(t.outcome); err != nil {
		return false
	}
	var there [modelOutputs]surrogate.Value
	for k, y := range t.answer.Y {
		there[k].V = y
	}
	names := []Wanted{m.kind().want(m, pointAt(t.answer.X), there[:])}
	if k, ok := m.kind().(holding); ok {
		names = append(names, k.holdDesign(m))
	}
	for _, w := range names {
		if maps.Equal(w.Inputs, t.Inputs) {
			t.wanted.Name = w.Name
		}
	}
	t.answer.Key = t.wanted.run()
	t.outcome.Job.Name = t.answer.Key
	return true
}

// nearest are the answers nearest to where the engine works, without some keys and what this study has: of several
// for one point the one that has settled furthest.
func (c *recollection) nearest(without map[string]bool) []*recalled {
	best := map[string]*recalled{}
	for _, key := range slices.Sorted(maps.Keys(c.list)) {
		t := c.get(key)
		if t == nil || without[key] || !c.understand(t) || c.r.requested[t.wanted.Name] {
			continue
		}
		if other := best[t.wanted.Name]; other == nil || t.Orders > other.Orders {
			best[t.wanted.Name] = t
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(a, b *recalled) int {
		return cmp.Or(cmp.Compare(c.r.distance(a.answer.X), c.r.distance(b.answer.X)), cmp.Compare(a.Key, b.Key))
	})
	return list[:min(len(list), mostEarlier)]
}

// distance is that of a place from where the engine works, over what the model bends.
func (r *Rounds) distance(x []float64) float64 {
	lengths := r.Machine.kind().outputs(&r.Machine)[0].Prior.Lengths
	least := math.Inf(1)
	for _, p := range append([]Point{r.Machine.DesignPoint(), r.Origin}, r.Works...) {
		sum := 0.0
		for i, at := range p.coordinates(len(x)) {
			sum = math.Hypot(sum, (x[i]-at)/lengths[i])
		}
		least = min(least, sum)
	}
	return least
}

// count lets answers count, with those from which they started.
func (c *recollection) count(chosen []*recalled) {
	r := c.r
	for _, t := range chosen {
		t.Counts = true
	}
	taken := map[string]bool{}
	var take func(t *recalled)
	take = func(t *recalled) {
		if taken[t.Key] {
			return
		}
		taken[t.Key] = true
		if t.Neighbour != "" {
			from := c.found[t.Neighbour]
			take(from)
			t.wanted.From = from.wanted.run()
		}
		if t.outcome.Solution != nil {
			r.starts[t.wanted.run()] = t.outcome.Solution
		}
		r.taken = append(r.taken, t)
		if t.Counts {
			r.requested[t.wanted.Name] = true
			r.add(t.wanted, t.answer, t.doubt)
		}
	}
	for _, t := range chosen {
		take(t)
	}
}

// recalls are the answers of earlier studies that this one has taken, each behind that from which it started.
func (r *Rounds) recalls() (list []Recalled) {
	for _, t := range r.taken {
		list = append(list, t.Recalled)
	}
	return list
}

// restore takes the answers of earlier studies that a plan has, and no others. Those that the cache no longer has are
// made anew. Where others were taken, all runs are to be made anew.
func (r *Rounds) restore(ctx context.Context, plan []Recalled) error {
	r.before = nil
	same := func(a, b Recalled) bool { return a.Key == b.Key && a.Counts == b.Counts }
	if slices.EqualFunc(r.recalls(), plan, same) {
		return nil
	}
	fresh := NewRounds(r.Machine, r.Study, r.Method)
	fresh.Most, fresh.Cause, fresh.EngineMap, fresh.Origin, fresh.Works = r.Most, r.Cause, r.EngineMap, r.Origin,
		r.Works
	fresh.Priors, fresh.suffix = r.Priors, r.suffix
	*r = *fresh
	var failed error
	c := recollection{r: r, list: map[string]run.Earlier{}, found: map[string]*recalled{}}
	c.make = func(j run.Job) *run.Outcome {
		outs, err := r.Study.Evaluate(ctx, []run.Job{j})
		if err != nil || !outs[0].OK() {
			failed = cmp.Or(failed, err, outs[0].Err)
			return nil
		}
		return &outs[0]
	}
	var chosen []*recalled
	for _, p := range plan {
		c.list[p.Key] = p.Earlier
		if t := c.get(p.Key); t != nil && p.Counts && c.understand(t) {
			chosen = append(chosen, t)
		}
	}
	c.count(chosen)
	return failed
}
