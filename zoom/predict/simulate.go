package predict

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// condition is a change of the graph for a simulation.
type condition struct {
	noFailures bool
	notice     float64 // factor of the time to notice failures; 0: 1
}

// sample is one course of a study.
type sample struct {
	end                     float64   // makespan, s
	ends                    []float64 // of runs and transfers, s
	took                    []float64 // times of runs at speed 1, all attempts together, s
	coreTime, busy          float64   // core s: held by runs, and computing
	lent                    float64   // core s: of nodes that are there
	cut                     bool      // a run would have been longer than a block
	queue, licence, network float64   // s, summed over the runs
	moved                   float64   // B
	path                    []int32   // critical, the latest last
}

// simulation is a sample in the making.
type simulation struct {
	graph   *Graph
	cluster *Cluster
	time    schedule.Timeline
	net     *virtual.Transfers
	paths   [][]int32       // of the transfers
	sent    map[int32]int32 // runs and transfers by their data under way
	free    map[string]int  // licences
	held    []*queue        // runs that wait for licences
	silent  []int32         // runs that may get another attempt beside the one that hangs
	answers bool            // a run has ended: for how long runs may be silent is known
	holds   int32           // runs that had to wait for licences
	state   []state
	upTo    []int // number of nodes of a group and those before it
	ready   []int32
	now     float64
	last    int32     // the run or transfer that ended last
	left    int       // runs and transfers that have not ended
	began   []float64 // of blocks, s; NaN: it waits in the queue
	wait    func(block int, again bool) float64
	sample
}

// state is the state of a run or transfer.
type state struct {
	wait           int32 // for others
	node           int
	ready, started float64
	licensed       float64 // when it had its licences
	drawn
	due   float64 // end of the attempt under way, or of both, s; 0: of all
	cause int32   // that it waited for last; -1: none
	phase phase
}

// phase is the part of a run that is under way.
type phase uint8

const (
	waits phase = iota
	fetches
	computes
	returns
)

// firstSlot is the name of the slot of node 0.
const firstSlot = 100_000

func newSimulation(g *Graph, c *Cluster) *simulation {
	s := &simulation{graph: g, cluster: c, net: c.transfers(), sent: map[int32]int32{}, free: maps.Clone(c.Licences),
		state: make([]state, len(g.wait)), last: -1}
	s.ends = make([]float64, len(g.wait))
	nodes := 0
	for _, of := range c.Groups {
		nodes += of.Number
		s.upTo = append(s.upTo, nodes)
	}
	if s.left = len(g.wait); c.Blocks == nil {
		s.lend(0, nodes)
	} else {
		s.time.Fits = s.lasts
	}
	for i := range g.Transfers {
		path, _ := s.net.Path(g.Transfers[i].Route) // it was checked
		s.paths = append(s.paths, path)
	}
	for i := range s.state {
		s.state[i] = state{wait: g.wait[i], cause: -1}
		if g.wait[i] == 0 {
			s.ready = append(s.ready, int32(i))
		}
	}
	return s
}

// lend adds nodes to the schedule.
func (s *simulation) lend(first, number int) {
	for node := first; node < first+number; node++ {
		of := s.group(node)
		memory := of.Memory
		memory = cmp.Or(memory, math.MaxInt64)
		// slots are taken in the order of their names, of six digits each
		starts, _ := s.time.AddSlot(schedule.Slot{Name: strconv.Itoa(firstSlot + node), Runs: of.Runs,
			Amount: schedule.Amount{Cores: of.Cores, Memory: memory}}) // amounts are not negative
		s.begin(starts)
	}
}

// group returns the nodes to which a node belongs.
func (s *simulation) group(node int) *Nodes {
	k, _ := slices.BinarySearch(s.upTo, node+1)
	return &s.cluster.Groups[k]
}

// submit puts a block into the queue, for the first time or once more.
func (s *simulation) submit(block int, again bool) {
	s.began[block] = math.NaN()
	s.time.EndAt(s.now+s.wait(block, again), strconv.Itoa(-1-block))
}

// turn lets a block begin, or ends it and submits it once more. When the study has ended no block is needed.
func (s *simulation) turn(block int) {
	b := s.cluster.Blocks
	switch {
	case s.left == 0:
	case math.IsNaN(s.began[block]):
		s.began[block] = s.now
		s.time.EndAt(s.now+b.Time, strconv.Itoa(-1-block))
		s.lend(block*b.Nodes, b.Nodes)
	default:
		s.lent += b.Time * s.blockCores(block)
		s.submit(block, true)
		for node := range b.Nodes {
			s.begin(s.time.RemoveSlot(strconv.Itoa(firstSlot + block*b.Nodes + node)))
		}
	}
}

// blockCores returns the cores of a block.
func (s *simulation) blockCores(block int) (cores float64) {
	n := s.cluster.Blocks.Nodes
	for node := range n {
		cores += float64(s.group(block*n + node).Cores)
	}
	return cores
}

// kindStep is the ratio of the times of two kinds of runs, which the schedule distinguishes.
const kindStep = 1.01

// kind returns the kind of a run by its time; runs of a kind take no longer than lasts supposes.
func (s *simulation) kind(length float64) string {
	if s.cluster.Blocks == nil || length <= 0 {
		return ""
	}
	return strconv.Itoa(int(math.Ceil(math.Log(length) / math.Log(kindStep))))
}

// lasts reports whether a node's block lasts as long as a run of a kind takes. A run that would be longer than a block
// takes all of it.
func (s *simulation) lasts(kind, slot string) bool {
	if kind == "" {
		return true
	}
	power, _ := strconv.Atoi(kind)
	node, _ := strconv.Atoi(slot)
	node -= firstSlot
	b := s.cluster.Blocks
	takes := min(b.Time, math.Pow(kindStep, float64(power))/s.group(node).Speed)
	return s.now+takes <= s.began[node/b.Nodes]+b.Time*(1+1e-9)
}

// simulate returns the course of a study whose runs take these times at speed 1, s; if ctx ends, as far as it came. The
// waits of blocks are random, or without random numbers the median.
func (g *Graph) simulate(ctx context.Context, c *Cluster, lengths []drawn, random *rand.Rand) *sample {
	s := newSimulation(g, c)
	if c.Blocks != nil {
		nodes, _ := c.Size()
		s.began, s.wait = make([]float64, nodes/c.Blocks.Nodes), c.Blocks.waits(random)
		for block := range s.began {
			s.submit(block, false)
		}
	}
	for i := range g.Runs {
		s.state[i].drawn = lengths[i]
	}
	for n := 1; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return &s.sample
		}
		for len(s.ready) > 0 {
			i := s.ready[0]
			s.ready = s.ready[1:]
			s.enter(i)
		}
		s.double()
		at, running := s.time.Due()
		due, moving := s.net.Due()
		switch {
		case moving && (!running || due <= at):
			var id int32
			var arrived bool
			if s.now, id, arrived = s.net.Next(); arrived {
				of := s.sent[id]
				delete(s.sent, id)
				s.arrive(of)
			}
		case running:
			i, _ := strconv.Atoi(s.time.Next())
			if s.now = at; i < 0 {
				s.time.Now = at
				s.turn(-1 - i)
				continue
			}
			switch n := len(g.Runs); {
			case i >= 2*n:
				s.silent = append(s.silent, int32(i-2*n))
			case i >= n:
				s.spare(int32(i - n))
			default:
				s.computed(int32(i))
			}
		default:
			s.follow()
			return &s.sample
		}
	}
}

// enter lets a run or transfer begin that waits for no other.
func (s *simulation) enter(i int32) {
	x := &s.state[i]
	x.ready = s.now
	if n := int32(len(s.graph.Runs)); i >= n {
		t := &s.graph.Transfers[i-n]
		s.send(i, max(s.now, t.Start), t.Route[0], t.Route[len(t.Route)-1], s.paths[i-n], t.Bytes)
		return
	}
	r := &s.graph.Runs[i]
	switch {
	case r.Cached || x.length < 0:
		s.finish(i)
	case r.Cores == 0:
		x.phase, x.node = computes, -1
		s.time.EndAt(s.now+x.length, s.graph.numbers[i])
	case s.fits(s.cluster.needed(r)):
		s.queueUp(i)
	default:
		s.hold(i)
	}
}

// fits reports whether licences are free.
func (s *simulation) fits(needs map[string]int) bool {
	for name, n := range needs {
		if s.free[name] < n {
			return false
		}
	}
	return true
}

// queueUp takes the licences of a run, then queues it for a node: no core is held idle.
func (s *simulation) queueUp(i int32) {
	x, r := &s.state[i], &s.graph.Runs[i]
	for name, n := range s.cluster.needed(r) {
		s.free[name] -= n
	}
	x.licensed = s.now
	s.licence += s.now - x.ready
	starts, _ := s.time.Add(schedule.Job{Name: s.graph.numbers[i], Component: r.Component,
		Kind: s.kind(x.length), Needs: schedule.Amount{Cores: r.Cores, Memory: r.Memory}}) // names differ
	s.begin(starts)
}

// queue is runs that wait for the same licences, in order.
type queue struct {
	needs map[string]int
	key   string // of the needs
	runs  []held
}

// held is a run that waits, and its place among all that ever did.
type held struct {
	run, order int32
}

func (s *simulation) hold(i int32) {
	needs := s.cluster.needed(&s.graph.Runs[i])
	key := fmt.Sprint(needs)
	k := slices.IndexFunc(s.held, func(q *queue) bool { return q.key == key })
	if k < 0 {
		k = len(s.held)
		s.held = append(s.held, &queue{needs: needs, key: key})
	}
	s.held[k].runs = append(s.held[k].runs, held{i, s.holds})
	s.holds++
}

func (s *simulation) send(i int32, at float64, from, to int, path []int32, bytes int64) {
	s.moved += float64(bytes)
	s.sent[s.net.Send(at, from, to, path, bytes)] = i
}

// begin lets runs begin in their slots.
func (s *simulation) begin(starts []schedule.Start) {
	for _, start := range starts {
		k, _ := strconv.Atoi(start.Job)
		i := int32(k)
		x := &s.state[i]
		slot, _ := strconv.Atoi(start.Slot)
		if x.started, x.node = s.now, slot-firstSlot; s.now > x.licensed {
			x.cause = s.last
		}
		s.queue += s.now - x.licensed
		s.fetch(i)
	}
}

// license gives free licences to the runs that wait for them, first to those that waited first.
func (s *simulation) license() {
	for {
		var first *queue
		for _, q := range s.held {
			if len(q.runs) > 0 && (first == nil || q.runs[0].order < first.runs[0].order) && s.fits(q.needs) {
				first = q
			}
		}
		if first == nil {
			return
		}
		i := first.runs[0].run
		first.runs = first.runs[1:]
		if s.now > s.state[i].ready {
			s.state[i].cause = s.last
		}
		s.queueUp(i)
	}
}

// fetch moves the data of a run to its node, then lets it compute.
func (s *simulation) fetch(i int32) {
	x := &s.state[i]
	x.phase = fetches
	if r := &s.graph.Runs[i]; r.In > 0 && x.node > 0 {
		s.network -= s.now
		s.carry(i, 0, x.node, r.In)
		return
	}
	s.compute(i)
}

func (s *simulation) carry(i int32, from, to int, bytes int64) {
	path, _ := s.net.Path([]int{from, to}) // nodes of the cluster
	s.send(i, s.now, from, to, path, bytes)
}

func (s *simulation) compute(i int32) {
	x := &s.state[i]
	x.phase = computes
	if x.trials != nil && s.cluster.Blocks == nil {
		s.try(i)
		return
	}
	length := x.length / s.group(x.node).Speed
	if b := s.cluster.Blocks; b != nil && length > b.Time {
		length, s.cut = b.Time, true
	}
	s.busy += length * float64(s.graph.Runs[i].Cores)
	s.time.EndAt(s.now+length, s.graph.numbers[i])
}

// computed ends the computation of a run. Its licences are free, and its data return.
func (s *simulation) computed(i int32) {
	x, r := &s.state[i], &s.graph.Runs[i]
	if x.due > 0 {
		if x.phase != computes || s.now != x.due { // another attempt beside it has changed its end
			return
		}
		s.silent = slices.DeleteFunc(s.silent, func(k int32) bool { return k == i })
		if x.trials = x.trials[1:]; len(x.trials) > 0 {
			s.try(i)
			return
		}
	}
	if x.node < 0 {
		s.finish(i)
		return
	}
	s.release(i)
	x.phase = returns
	if r.Out > 0 && x.node > 0 {
		s.network -= s.now
		s.carry(i, x.node, 0, r.Out)
		return
	}
	s.leave(i)
}

// arrive ends a transfer, or lets a run go on whose data arrived.
func (s *simulation) arrive(i int32) {
	switch {
	case int(i) >= len(s.graph.Runs):
		s.finish(i)
	case s.state[i].phase == fetches:
		s.network += s.now
		s.compute(i)
	default:
		s.network += s.now
		s.leave(i)
	}
}

// leave frees the slot of a run that has ended.
func (s *simulation) leave(i int32) {
	x := &s.state[i]
	s.coreTime += (s.now - x.started) * float64(s.graph.Runs[i].Cores)
	s.answers = true
	s.finish(i)
	s.time.Now = s.now
	s.begin(s.time.Ended(s.graph.numbers[i]))
}

func (s *simulation) finish(i int32) {
	s.ends[i], s.last = s.now, i
	s.left--
	s.end = max(s.end, s.now)
	for _, k := range s.graph.after[i] {
		if s.state[k].wait--; s.state[k].wait == 0 {
			s.state[k].cause = i
			s.ready = append(s.ready, k)
		}
	}
}

// follow fills in the critical path, from the last end backwards over what each waited for last, and the time for which
// nodes are there.
func (s *simulation) follow() {
	if _, cores := s.cluster.Size(); s.cluster.Blocks == nil {
		s.lent = s.end * float64(cores)
	}
	for block, began := range s.began {
		if began < s.end { // not NaN: it was there at the end
			s.lent += (s.end - began) * s.blockCores(block)
		}
	}
	s.took = make([]float64, len(s.graph.Runs))
	for i := range s.took {
		s.took[i] = s.state[i].length
	}
	for i := s.last; i >= 0; i = s.state[i].cause {
		s.path = append(s.path, i)
	}
}

// The attempts at a run: their times are drawn, and a second one may begin beside the first, as in package pool.

// drawn is the times of all attempts at a run, at speed 1.
type drawn struct {
	length float64 // one after the other, s; below 0: it is not needed
	trials []trial // nil: none may be beside another
}

// trial is the time of an attempt.
type trial struct {
	time    float64 // s
	hung    bool
	doubles bool // the next may begin beside it
}

// lengths draws the times of all attempts at each run.
func (g *Graph) lengths(random *rand.Rand, c condition) []drawn {
	common, need := map[string]float64{}, -1.0
	list := make([]drawn, len(g.Runs))
	var source rand.PCG
	own := rand.New(&source)
	for i := range g.Runs {
		r := &g.Runs[i]
		// All numbers are drawn in any case, so that runs keep theirs under other conditions.
		source.Seed(random.Uint64(), random.Uint64())
		z, known := common[r.Solver]
		if !known {
			z = random.NormFloat64()
			common[r.Solver] = z
		}
		if r.Cached {
			continue
		}
		if r.Share > 0 && need < 0 { // for all runs: a study with a late round has all rounds before it
			need = random.Float64()
		}
		if r.Share > 0 && need >= r.Share {
			list[i].length = -1
			continue
		}
		list[i].length = r.Time.draw(own, z)
		if !c.noFailures {
			list[i] = r.attempts(own, z, list[i].length, c)
		}
	}
	return list
}

// mostAttempts ends a run whose policy retries for ever.
const mostAttempts = 1000

// attempts returns the times of all attempts at a run by its policy, where one that answers takes a given time.
func (r *Run) attempts(own *rand.Rand, common, answer float64, c condition) (all drawn) {
	if len(r.Failures) == 0 {
		return drawn{length: answer}
	}
	doubles := false
	add := func(t trial) {
		doubles = doubles || t.doubles
		all.length += t.time
		if r.Second > 0 {
			all.trials = append(all.trials, t)
		}
	}
	defer func() {
		if !doubles {
			all.trials = nil
		}
	}()
	failed, used := map[int]int{}, map[int]int{}
	for range mostAttempts {
		k, u := 0, own.Float64()
		for ; k < len(r.Failures) && u >= r.Failures[k].Rate; k++ {
			u -= r.Failures[k].Rate
		}
		if k == len(r.Failures) {
			add(trial{time: answer})
			return all
		}
		f := &r.Failures[k]
		lost := f.Time.draw(own, common)
		if c.notice > 0 {
			lost *= c.notice
		}
		failed[k]++
		action, step := r.Policy.Next(f.Class, failed[k], used[k])
		hung := f.Class == event.Hung
		add(trial{lost, hung, hung && action == run.Retry && lost > r.Second && r.Second > 0})
		switch action {
		case run.Change:
			used[k] = step + 1
			clear(failed) // another request, without failures so far
		case run.Retry:
		default:
			return all
		}
	}
	return all
}

// release frees the licences of an attempt at a run.
func (s *simulation) release(i int32) {
	if needs := s.cluster.needed(&s.graph.Runs[i]); needs != nil {
		for name, n := range needs {
			s.free[name] += n
		}
		s.last = i
		s.license()
	}
}

// try begins the next attempt at a run.
func (s *simulation) try(i int32) {
	x, r, n := &s.state[i], &s.graph.Runs[i], int32(len(s.graph.Runs))
	speed := s.group(x.node).Speed
	t := &x.trials[0]
	x.due = s.now + t.time/speed
	s.busy += t.time / speed * float64(r.Cores)
	s.time.EndAt(x.due, s.graph.numbers[i])
	if t.doubles {
		s.time.EndAt(s.now+r.Second/speed, strconv.Itoa(int(i+2*n)))
	}
}

// double starts the second attempt at silent runs, beside the first, while nothing waits and there is room: see package
// pool. The one that answers first decides; with the first that hangs the second ends if it is silent for long, too.
func (s *simulation) double() {
	for len(s.silent) > 0 && s.answers && s.time.Idle() {
		i := s.silent[0]
		x, r := &s.state[i], &s.graph.Runs[i]
		needs := s.cluster.needed(r)
		if !s.fits(needs) {
			return
		}
		name := strconv.Itoa(int(i) + len(s.graph.Runs))
		starts, _ := s.time.Add(schedule.Job{Name: name, Component: r.Component,
			Needs: schedule.Amount{Cores: r.Cores, Memory: r.Memory}}) // names differ
		if len(starts) == 0 {
			s.time.Withdraw(name)
			return
		}
		for name, n := range needs {
			s.free[name] -= n
		}
		s.silent = s.silent[1:]
		slot, _ := strconv.Atoi(starts[0].Slot)
		speed := s.group(slot - firstSlot).Speed
		second, first := x.trials[1], x.due
		end := s.now + second.time/speed
		switch {
		case second.hung && first-s.now >= r.Second/speed:
			end, x.due = min(end, first), first
		case second.hung || len(x.trials) == 2:
			x.due = end
		default:
			x.due = max(first, end)
		}
		x.trials = x.trials[1:]
		cores := float64(r.Cores)
		s.busy += (end - s.now + min(0, x.due-first)) * cores
		s.coreTime += (end - s.now) * cores
		x.length -= (first-x.due)*s.group(x.node).Speed + second.time
		s.time.EndAt(x.due, s.graph.numbers[i])
		s.time.EndAt(end, name)
	}
}

// spare ends an attempt beside another.
func (s *simulation) spare(i int32) {
	s.release(i)
	s.time.Now = s.now
	s.begin(s.time.Ended(strconv.Itoa(int(i) + len(s.graph.Runs))))
}
