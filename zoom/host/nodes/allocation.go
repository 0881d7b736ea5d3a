package nodes

// The keeper of blocks: as many as waiting and running tasks need, and no more than may be.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

const (
	keepTime   = 10 * time.Second // between two looks at the blocks
	gatherTime = 50 * time.Millisecond
	mostMissed = 3 // successive lists without a block before it counts as ended
	submitTime = time.Minute
	reachTime  = 5 * time.Minute  // of submissions that fail, before waiting tasks fail too
	mostPause  = 30 * time.Second // between two of them
)

// prod has the keeper look soon. The caller may hold the lock.
func (f *Fleet) prod() { signal(f.nudge) }

// lookSoon has the keeper query the state of the blocks.
func (f *Fleet) lookSoon() { signal(f.news) }

// signal wakes a reader of a channel, now or when it reads next.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// keep looks after the blocks until the fleet ends.
func (f *Fleet) keep() {
	if err := f.ask(); err != nil { // blocks of an earlier host
		f.tell(event.Message, "", "launcher %s: earlier blocks of this study are not known: %v", f.Name(), err)
	}
	var t tries
	tick := f.clock.NewTicker(keepTime)
	defer tick.Stop()
	for {
		if !f.clock.Now().Before(t.next) {
			if err := f.submitWanted(); err == nil {
				t = tries{}
			} else if f.ctx.Err() == nil {
				f.setProblem(&t, err)
			}
		}
		select {
		case <-f.ctx.Done():
			return
		case <-f.nudge:
			_ = clock.Sleep(f.ctx, f.clock, gatherTime) // other requests arrive meanwhile
		case <-f.news:
			f.listBlocks()
		case <-tick.C:
			f.listBlocks()
			f.giveBackUnwanted(f.ctx)
		}
		f.releaseIdle()
	}
}

// tries are successive submissions that failed.
type tries struct {
	n     int
	since time.Time // of the first without a node, and without a block that may bring one
	next  time.Time // when the next one is due
}

// setProblem records that a submission failed. An engine out of reach is tried again after growing pauses, for some
// minutes after the last node and the last block in the queue. A refusal is final unless there are any.
func (f *Fleet) setProblem(t *tries, err error) {
	now := f.clock.Now()
	t.n++
	pause := min(mostPause, time.Second<<min(t.n-1, 10))
	t.next = now.Add(pause)
	f.mu.Lock()
	defer f.mu.Unlock()
	hopes := len(f.members) > 0 || len(f.live()) > 0
	if t.n == 1 || hopes {
		t.since = now
	}
	_, refused := errors.AsType[*provider.Refusal](err)
	switch {
	case !hopes && refused:
		f.problem = fault.Machine(fmt.Errorf("launcher %s: %w: the engine refuses such blocks, so that it is not "+
			"tried again", f.Name(), err))
	case !hopes && t.next.Sub(t.since) > reachTime:
		f.problem = fault.Machine(fmt.Errorf("launcher %s: %w: no block could be had in %d tries within %v", f.Name(),
			err, t.n, reachTime))
	default:
		f.tell(event.Warning, "", "launcher %s: no block could be had: %v; the next try is in %v", f.Name(), err, pause)
		f.clock.AfterFunc(pause, f.prod)
		return
	}
	f.wakeAll()
}

// takeUp adopts a block unknown to this host: it belonged to an earlier host, or to a request that the engine accepted
// without an answer. The caller holds the lock.
func (f *Fleet) takeUp(s provider.State) {
	if s.Phase != provider.Running && s.Phase != provider.Waiting || slices.Contains(f.ledger.blocks, s.ID) {
		return
	}
	f.blocks[s.ID] = &block{state: s, since: f.clock.Now(), seen: f.clock.Now()}
	f.ledger.blocks = append(f.ledger.blocks, s.ID)
	f.sayBlock(s, f.clock.Now())
	f.tell(event.Message, "", "block %s of this study is there (%s): it is taken up", s.ID, s.Phase)
	if c, carries := f.provider.(provider.Carrier); carries {
		c.Resume(f.blockRequest(), []string{s.ID})
	}
}

// wanted is how many more blocks are to be submitted.
func (f *Fleet) wanted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	need := 0
	for _, r := range f.waiting {
		need += max(1, r.need.Cores)
	}
	if need == 0 || f.problem != nil || len(f.members) > 0 && f.clock.Now().Before(f.patient) {
		return 0
	}
	per := max(1, f.config.Hosts.Nodes) * max(1, f.config.leastCores(), f.smallest())
	if most := f.config.Hosts.RunsPerBlock; most > 0 {
		per = min(per, most)
	}
	coming := 0 // blocks without a relay yet, or whose node is about to get tasks
	for id, b := range f.blocks {
		if !b.unwanted && (!f.arrived(id) || f.opens(id)) {
			coming++
		}
	}
	more := int(math.Ceil(float64(need)/float64(per))) - coming
	return max(0, min(more, f.config.most()-len(f.live())))
}

// smallest returns the smallest number of cores of a member; 0: no members.
func (f *Fleet) smallest() (least int) {
	for _, m := range f.members {
		if n := f.cores(m); least == 0 || n < least {
			least = n
		}
	}
	return least
}

// arrived reports whether a relay of the block is connected. The caller holds the lock.
func (f *Fleet) arrived(id string) bool {
	for _, m := range f.members {
		if m.block == id {
			return true
		}
	}
	return false
}

// opens reports whether a node of the block has connected and gets tasks at once, since it has no processes of an
// earlier host. The caller holds the lock.
func (f *Fleet) opens(id string) bool {
	for _, m := range f.members {
		if m.block == id && !m.open && len(m.node.Left) == 0 {
			return true
		}
	}
	return false
}

// live returns the blocks that count. The caller holds the lock.
func (f *Fleet) live() (ids []string) {
	for id, b := range f.blocks {
		if !b.unwanted {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// blockRequest returns the request for a block.
func (f *Fleet) blockRequest() provider.Request {
	h := f.config.Hosts
	return provider.Request{
		Study: studyName(f.study), Nodes: max(1, h.Nodes), Cores: h.Cores, Memory: h.Memory, Time: h.Time,
		Licences: h.Licences,
		Command:  append(f.config.relayCommand(), f.homePath()),
		Folder:   filepath.Join(f.study, startFolder), There: h.Folder,
		Connected: f.connected, Changed: f.lookSoon,
	}
}

// submitWanted submits the missing blocks. After a failed request it first lists the engine's blocks: the engine may
// have accepted some.
func (f *Fleet) submitWanted() error {
	n := f.wanted()
	if n == 0 || f.ctx.Err() != nil {
		return nil
	}
	if f.doubt {
		if err := f.ask(); err != nil {
			return fmt.Errorf("whether the last request was accepted is not known: %w", err)
		}
		f.doubt = false
		if n = f.wanted(); n == 0 {
			return nil
		}
	}
	return f.submit(n)
}

// errSilent is why a call of the engine is given up.
var errSilent = fmt.Errorf("the engine did not answer within %v", submitTime)

// patience returns the context of a call of the engine, which may hang.
func (f *Fleet) patience() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(f.ctx)
	late := f.clock.AfterFunc(submitTime, func() { cancel(errSilent) })
	return ctx, func() {
		late.Stop()
		cancel(nil)
	}
}

// submit submits n blocks.
func (f *Fleet) submit(n int) error {
	ctx, cancel := f.patience()
	defer cancel()
	ids, err := f.provider.Submit(ctx, f.blockRequest(), n)
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh := false
	for _, id := range ids {
		if f.blocks[id] == nil {
			fresh = true
			f.blocks[id] = &block{state: provider.State{ID: id, Phase: provider.Waiting}, since: f.clock.Now()}
		}
		f.ledger.blocks = append(f.ledger.blocks, id)
		f.sayBlock(f.blocks[id].state, f.clock.Now())
	}
	if len(ids) > 0 {
		if fresh {
			f.problem = nil
		}
		f.tell(event.Message, "", "%s submitted by launcher %s: %s", plural(len(ids), "block", "blocks"), f.Name(),
			strings.Join(ids, ", "))
	}
	f.doubt = err != nil
	return err
}

// listBlocks queries the state of the blocks. A block with a connected relay is alive, whatever the engine reports.
func (f *Fleet) listBlocks() {
	f.mu.Lock()
	any := len(f.blocks) > 0 && (len(f.waiting) > 0 || len(f.placed) > 0)
	f.mu.Unlock()
	if !any {
		return
	}
	if err := f.ask(); err != nil {
		f.tell(event.Message, "", "launcher %s does not know the state of its blocks: %v", f.Name(), err)
		return
	}
	f.prod()
}

// ask queries the engine, and records its answer.
func (f *Fleet) ask() error {
	ctx, cancel := f.patience()
	defer cancel()
	states, err := f.provider.List(ctx, studyName(f.study))
	if err == nil {
		f.compare(states)
	}
	return err
}

// compare records the engine's list of blocks. Blocks that will never start become unwanted: others may be more
// successful.
func (f *Fleet) compare(states []provider.State) {
	now := f.clock.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = true
	listed := map[string]bool{}
	for _, s := range states {
		listed[s.ID] = true
		b := f.blocks[s.ID]
		if b == nil {
			f.takeUp(s)
			continue
		}
		if b.state.Phase != s.Phase || b.state.Reason != s.Reason {
			f.sayBlock(s, b.since)
		}
		b.state, b.seen, b.missed = s, now, 0
		switch {
		case b.unwanted && s.Phase == provider.Ended:
			delete(f.blocks, s.ID)
		case b.unwanted || f.arrived(s.ID):
		case s.Phase == provider.Ended:
			delete(f.blocks, s.ID)
			f.noteEnd(b, "it ended: "+s.Reason)
		case s.Phase == provider.Stuck:
			b.unwanted = true
			f.noteEnd(b, "it will not start: "+s.Reason)
		}
	}
	for id, b := range f.blocks {
		if listed[id] || f.arrived(id) {
			continue
		}
		if b.missed++; b.missed < mostMissed {
			continue
		}
		delete(f.blocks, id)
		if !b.unwanted {
			f.tell(event.Warning, "", "block %s is not known any more; another takes its place", id)
			f.sayGone(id, "not known any more")
			f.noteEnd(b, "the engine does not know it any more")
		}
	}
	f.wakeAll()
}

// giveBack ends a block that is not wanted any more. If the engine does not end it now, it is tried again at each query
// of the blocks, and when the fleet ends.
func (f *Fleet) giveBack(ctx context.Context, id string) {
	err := f.provider.Cancel(ctx, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.blocks[id]
	switch {
	case b == nil:
	case err == nil:
		delete(f.blocks, id)
	case errors.Is(err, context.Canceled): // the fleet ends: it is tried again
	case b.why != err.Error():
		b.why = err.Error()
		f.tell(event.Warning, "", "block %s could not be given back, and may continue: %v", id, err)
	}
}

// mostAtOnce is how many blocks are given back at a time.
const mostAtOnce = 8

// giveBackUnwanted ends the unwanted blocks, as far as the engine does that in time.
func (f *Fleet) giveBackUnwanted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	f.mu.Lock()
	var ids []string
	for id, b := range f.blocks {
		if b.unwanted {
			ids = append(ids, id)
		}
	}
	f.mu.Unlock()
	places := make(chan struct{}, mostAtOnce)
	var work sync.WaitGroup
	for _, id := range ids {
		places <- struct{}{}
		work.Go(func() {
			f.giveBack(ctx, id)
			<-places
		})
	}
	work.Wait()
}

// mostBarren is how many successive blocks may bring no node on which a solver starts, beyond the largest number of
// blocks at a time.
const mostBarren = 5

// mostPatience is the longest time without a request for a block while the fleet has nodes and new blocks are useless.
const mostPatience = 5 * time.Minute

// noteEnd counts a block that has ended, if no solver started on it. The caller holds the lock.
func (f *Fleet) noteEnd(b *block, why string) {
	if !b.used {
		f.noteBarren(why)
	}
}

// noteBarren counts a useless block. While the fleet has nodes the next request is delayed: an engine may give the same
// node again. The caller holds the lock.
func (f *Fleet) noteBarren(why string) {
	f.barren++
	f.tell(event.Warning, "", "a block of launcher %s was of no use: %s", f.Name(), why)
	f.patient = f.clock.Now().Add(min(time.Duration(f.barren)*keepTime, mostPatience))
	if f.barren >= mostBarren+f.config.most() && len(f.members) == 0 {
		f.problem = fault.Machine(
			fmt.Errorf("launcher %s: %d blocks in a row brought no node on which a solver starts; the last one: %s",
				f.Name(), f.barren, why))
		f.wakeAll()
	}
}

// queueState describes the state of the blocks; empty: none. The caller holds the lock.
func (f *Fleet) queueState() string {
	var parts []string
	for _, id := range f.live() {
		parts = append(parts, f.blocks[id].text())
	}
	if len(parts) == 0 {
		return ""
	}
	const most = 3
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return "block " + strings.Join(parts, ", ")
}

// releaseIdle lets nodes go that get no more runs, and gives back the blocks without other nodes.
func (f *Fleet) releaseIdle() {
	f.mu.Lock()
	_, starts := f.queue.Withdraw("") // no task: whether a node is lent for long enough may have changed
	f.start(starts)
	f.mu.Unlock()
	most := f.config.Hosts.RunsPerBlock
	for _, m := range f.list() {
		f.mu.Lock()
		if f.members[m.name] != m { // it has left meanwhile
			f.mu.Unlock()
			continue
		}
		banned := f.recordOf(m.node.Facts.GetNode()).banned
		if f.useless(m) {
			f.retire(m)
		}
		idle := m.tasks == 0 && (banned || most > 0 && m.runs >= most || m.retired() && m.open)
		if idle {
			delete(f.members, m.name)
		}
		b := f.blocks[m.block]
		last := idle && b != nil && !f.arrived(m.block)
		if last {
			b.unwanted = true
		}
		switch {
		case last && banned:
			f.noteBarren("no solver starts on its node " + m.name)
		case last && m.retired():
			f.noteEnd(b, "its time was over before a solver started")
		}
		f.mu.Unlock()
		if !idle {
			continue
		}
		ctx, cancel := context.WithTimeout(f.ctx, closeTime)
		m.node.Dismiss(ctx)
		if last {
			f.giveBack(ctx, m.block)
			f.sayGone(m.block, "given back")
		}
		cancel()
		f.prod()
	}
}

// giveBackAll ends all blocks. If a block cannot be ended, the study's results are not affected.
func (f *Fleet) giveBackAll(ctx context.Context) {
	f.mu.Lock()
	for _, b := range f.blocks {
		b.unwanted = true
	}
	f.mu.Unlock()
	f.giveBackUnwanted(ctx)
}

// giveUp ends a block whose relay was lost and did not come back, so that another replaces it: the engine may notice
// much later.
func (f *Fleet) giveUp(id string) {
	f.mu.Lock()
	b := f.blocks[id]
	gone := b != nil && !b.unwanted && !f.arrived(id) && f.ctx.Err() == nil
	if gone {
		b.unwanted = true
		f.noteEnd(b, "its relay was lost and did not come back")
	}
	f.mu.Unlock()
	if !gone {
		return
	}
	f.sayGone(id, "given up: its relay was lost and did not come back")
	ctx, cancel := context.WithTimeout(f.ctx, closeTime)
	defer cancel()
	f.prod() // before the engine answers, which may take long
	f.giveBack(ctx, id)
}

// connected takes a connection to a relay that the provider itself carries.
func (f *Fleet) connected(block, node string, conn io.ReadWriteCloser) {
	if !f.spawn(func() { f.meet(fmt.Sprintf("node %s of block %s", node, block), conn) }) {
		_ = conn.Close() // the relay waits for another host
	}
}
