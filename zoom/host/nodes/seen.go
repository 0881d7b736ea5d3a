package nodes

// What others see of the fleet: events of its nodes and blocks, and in the end what the study has used of them.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// say reports an event of the fleet.
func (f *Fleet) say(e event.Event, format string, values ...any) {
	if f.report == nil {
		return
	}
	e.Source, e.Time, e.Text, e.Name = event.Executive, f.clock.Now().UTC(), fmt.Sprintf(format, values...), f.Name()
	f.report(e)
}

// sayBlock reports what became of a block, which waited since a time.
func (f *Fleet) sayBlock(s provider.State, since time.Time) {
	text := fmt.Sprintf("block %s: %s", s.ID, s.Phase)
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	if s.Restarts > 0 {
		text += fmt.Sprintf(", begun anew %d times", s.Restarts)
	}
	b := &event.Block{ID: s.ID, Phase: string(s.Phase), Reason: s.Reason}
	if since.Before(f.clock.Now()) {
		b.Waited = clock.Since(f.clock, since).Seconds()
	}
	f.say(event.Event{Kind: event.BlockState, Block: b}, "%s", text)
}

// sayGone reports that a block is no more.
func (f *Fleet) sayGone(id, why string) {
	f.sayBlock(provider.State{ID: id, Phase: provider.Ended, Reason: why}, f.clock.Now())
}

// blockOf names a member's block in an event.
func (m *member) blockOf() *event.Block {
	if m.block == "" {
		return nil
	}
	return &event.Block{ID: m.block}
}

// ledger is what the study uses of its nodes. The fleet's lock guards it.
type ledger struct {
	nodes  map[string]*event.Usage // by member
	blocks []string                // that were submitted or taken up
}

// of returns the account of a member.
func (l *ledger) of(m *member) *event.Usage {
	if l.nodes == nil {
		l.nodes = map[string]*event.Usage{}
	}
	if l.nodes[m.name] == nil {
		l.nodes[m.name] = &event.Usage{Node: m.name, Block: m.block}
	}
	return l.nodes[m.name]
}

// book notes that a task had cores of a member until now.
func (f *Fleet) book(r *request, m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.placed[r.name] == nil {
		return
	}
	u := f.ledger.of(m)
	u.Runs++
	u.Cores += float64(max(1, r.need.Cores)) * clock.Since(f.clock, r.since).Hours()
}

// left notes that a member has gone: its cores were held since its relay began, and its block waited until then.
func (f *Fleet) left(m *member, lost bool) {
	u := f.ledger.of(m)
	if lost {
		u.Lost++
	}
	began := f.came(m)
	u.Held += float64(f.cores(m)) * clock.Since(f.clock, began).Hours()
	if b := f.blocks[m.block]; b != nil && u.Waited == 0 {
		u.Waited = max(0, began.Sub(b.since).Seconds())
	}
}

// came is when a member's relay began, by the host's clock.
func (f *Fleet) came(m *member) time.Time {
	ahead, _ := m.node.Offset()
	return time.Unix(0, int64(m.node.Facts.GetStarted()*1e9)).Add(-ahead)
}

// account reports what the study has used, once, when all nodes have gone. What owns the blocks is asked first.
func (f *Fleet) account(ctx context.Context) {
	f.mu.Lock()
	used := &event.Account{By: "relays"}
	for _, name := range slices.Sorted(maps.Keys(f.ledger.nodes)) {
		used.Nodes = append(used.Nodes, *f.ledger.nodes[name])
	}
	blocks := slices.Clone(f.ledger.blocks)
	f.mu.Unlock()
	if len(used.Nodes) == 0 && len(blocks) == 0 {
		return
	}
	if ask := f.config.Accounts; ask != nil {
		theirs, err := ask(ctx, f.provider, blocks)
		if err != nil {
			f.tell(event.Message, "", "launcher %s: the relays' own figures count: %v", f.Name(), err)
		} else if len(theirs) > 0 {
			used.By = string(f.config.Hosts.Provider)
			for i := range used.Nodes {
				used.Nodes[i].Held, used.Nodes[i].Waited = 0, 0 // which theirs have
			}
			used.Nodes = append(used.Nodes, theirs...)
		}
	}
	f.say(event.Event{Kind: event.Accounted, Used: used}, "%s", accountText(used))
}

// accountText says in a line what was used.
func accountText(a *event.Account) string {
	var sum event.Usage
	nodes := 0
	for _, u := range a.Nodes {
		sum.Runs += u.Runs
		sum.Cores += u.Cores
		sum.Held += u.Held
		sum.Lost += u.Lost
		sum.Waited = max(sum.Waited, u.Waited)
		if u.Node != "" && u.Runs > 0 {
			nodes++
		}
	}
	text := fmt.Sprintf("%s on %s: %.3g core hours of %.3g that the blocks held, longest wait for a block %v",
		plural(sum.Runs, "attempt", "attempts"), plural(nodes, "node", "nodes"), sum.Cores, sum.Held,
		time.Duration(sum.Waited*float64(time.Second)).Round(time.Second/10))
	if sum.Lost > 0 {
		text += fmt.Sprintf("; nodes were lost %d times", sum.Lost)
	}
	return text
}
