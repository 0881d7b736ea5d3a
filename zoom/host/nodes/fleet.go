// Package nodes is the launcher that puts runs into blocks of nodes, which a provider gets from Slurm, by ssh or by
// commands. On each node a relay starts solvers and the node's watchdog, and calls home.
//
//	Place -> waiting tasks -> blocks wanted -> Provider.Submit -> ... -> relay calls home -> member
//	  ^                                                                                        |
//	  +---- slot of package schedule <----------------------------- cores, memory, time left -----+
//
// # Lifetimes
//
// A Fleet keeps as many blocks as its waiting and running tasks need, up to the number in its hosts file, and gives
// them back at Close. A member is a node from the connection of its relay to its loss or dismissal. A relay that
// connects once more is a new member, and the tasks of the former member are lost. Blocks and relays outlive a killed
// host for their grace time: the next host of the same study finds the blocks by its name, and the relays find the host
// by a file in the study's folder.
//
// # Sharing of folders
//
// A member shares the study's folder if host and node each find a file that the other wrote there. Then its runs work
// in their folders like local runs. Otherwise they work in folders of the relay: the files of a request are sent there
// by their content, once a node, and the files of the run are copied back when it has ended.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	file "github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// Fleet is a launcher. Its methods may be called by several goroutines.
type Fleet struct {
	config Config
	clock  clock.Clock
	study  string // folder; empty: tasks can only be recovered
	ctx    context.Context
	end    context.CancelFunc // takes mu
	work   sync.WaitGroup     // see begin and spawn
	report func(event.Event)  // may be nil

	starting sync.Mutex // held while the fleet begins
	begun    bool
	provider provider.Provider
	certs    *certificate.Store
	door     *door
	bridge   *bridge
	watching *watches
	lines    agent.Exchange

	mu       sync.Mutex
	queue    schedule.Scheduler
	waiting  map[string]*request // by name in the queue
	placed   map[string]*request
	kinds    map[string]launch.Need // the latest of each kind of task
	requests int                    // number of requests queued so far, of which their names are made
	members  map[string]*member
	relays   map[string]string    // names of members, by relay
	named    map[string]bool      // these names
	lost     map[string]bool      // ... that were lost at least once
	opened   map[string]time.Time // ... when they first got tasks
	bad      map[string]*record   // by node
	blocks   map[string]*block
	changed  chan struct{} // closed and replaced when members change
	nudge    chan struct{} // wakes the keeper of blocks
	news     chan struct{} // makes it query their state
	problem  error         // why no block can be had; nil: none is known
	ledger   ledger
	former   time.Time // last sign of an earlier host of the study
	asked    bool      // the engine has listed the blocks
	doubt    bool      // the last request for blocks failed; only the keeper of blocks reads it
	barren   int       // successive blocks without a node on which a solver started
	patient  time.Time // until then no block is requested while the fleet has nodes
}

var (
	_ launch.Placer  = (*Fleet)(nil)
	_ launch.Watched = (*Fleet)(nil)
)

// New returns the fleet of the study in a folder. It has no effect before the first Place.
func New(study string, c Config) *Fleet {
	c.Clock = clock.Or(c.Clock)
	c.Terms.Clock = c.Clock
	if c.Hosts.Lease > 0 {
		c.Terms.Lease = c.Hosts.Lease
	}
	if c.Hosts.Grace > 0 {
		c.Terms.Grace = c.Hosts.Grace
	}
	c.Terms = c.Terms.WithDefaults()
	f := &Fleet{
		config: c, clock: c.Clock, study: study, waiting: map[string]*request{}, placed: map[string]*request{},
		kinds:   map[string]launch.Need{},
		members: map[string]*member{}, relays: map[string]string{}, named: map[string]bool{}, lost: map[string]bool{},
		opened: map[string]time.Time{},
		bad:    map[string]*record{}, blocks: map[string]*block{},
		changed: make(chan struct{}), nudge: make(chan struct{}, 1), news: make(chan struct{}, 1),
	}
	f.queue.Fits = f.fits
	var end context.CancelFunc
	f.ctx, end = context.WithCancel(context.Background())
	f.end = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		end()
	}
	f.watching = newWatches(f.ctx, study, c.Watchdog, c.Clock)
	return f
}

// Name implements launch.Launcher.
func (f *Fleet) Name() string { return f.config.Hosts.Name }

// Grace is how long nodes, and the runs there, wait for another host.
func (f *Fleet) Grace() time.Duration { return f.config.Terms.Grace }

// Report sends events of the fleet to a function: nodes that connect and are lost, blocks and their queue. Call it
// before the first Place.
func (f *Fleet) Report(to func(event.Event)) { f.report = to }

// Watches returns the watcher of the files of all runs in the fleet, for attempt.Host.Follow.
func (f *Fleet) Watches() launch.Watcher { return f.watching }

// tell reports a message or a warning.
func (f *Fleet) tell(kind event.Kind, node, format string, values ...any) {
	f.say(event.Event{Kind: kind, Host: node}, format, values...)
}

// homeFile is the file by which relays find the host, in the study's folder; startFolder has the blocks' scripts and
// logs.
const (
	homeFile    = "home.json"
	startFolder = ".blocks"
)

// Remains are the names of what a fleet makes in a study's folder.
func Remains() []string { return []string{homeFile, startFolder, signFile} }

// spawn runs a function in a goroutine for which Close waits, and reports false if the fleet has ended: Close may wait
// already, and does not see it.
func (f *Fleet) spawn(do func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		return false
	}
	f.work.Go(do)
	return true
}

// begin opens the door, adopts the blocks of an earlier host, and starts the keeper of blocks, once.
func (f *Fleet) begin() error {
	f.starting.Lock()
	defer f.starting.Unlock()
	if f.begun {
		return nil
	}
	if err := f.prepare(); err != nil {
		return fmt.Errorf("launcher %s: %w", f.Name(), err)
	}
	f.begun = true
	f.work.Go(f.keep)
	f.work.Go(f.sign)
	return nil
}

func (f *Fleet) prepare() (err error) {
	if f.study == "" {
		return errors.New("it has no study")
	}
	if err = folder.MakeAll(filepath.Join(f.study, startFolder)); err != nil {
		return err
	}
	if info, err := os.Stat(filepath.Join(f.study, signFile)); err == nil {
		f.former = info.ModTime()
	}
	if f.certs, err = certificate.Open(filepath.Join(f.study, local.CertificateDir)); err != nil {
		return err
	}
	if f.provider, err = f.config.Open(f.config.Hosts, f.clock); err != nil {
		return err
	}
	if f.bridge, err = openBridge(f.nodeOf); err != nil {
		return errors.Join(err, f.provider.Close())
	}
	if err = f.openDoor(); err != nil {
		return errors.Join(err, f.bridge.close(), f.provider.Close())
	}
	return nil
}

// openDoor has relays call, and writes where into the study's folder.
func (f *Fleet) openDoor() error {
	f.door = &door{given: f.config.Hosts.Listen, certs: f.certs, clock: f.clock, meet: f.meet,
		tell: func(kind event.Kind, format string, values ...any) { f.tell(kind, "", format, values...) }}
	if err := f.door.listen(f.ctx); err != nil {
		return err
	}
	keys, err := f.certs.Keys()
	if err == nil {
		err = agent.Home{Addresses: f.door.addresses(), Keys: keys, Lease: f.config.Terms.Lease.Seconds(),
			Grace: f.config.Terms.Grace.Seconds()}.Write(f.homePath())
	}
	if err != nil {
		return errors.Join(err, f.door.Close())
	}
	f.work.Go(func() { f.door.answer(f.ctx) })
	return nil
}

func (f *Fleet) homePath() string { return filepath.Join(f.study, homeFile) }

func (f *Fleet) removeHome() error {
	if err := os.Remove(f.homePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// closeTime is the time limit of Close for work on other machines.
const closeTime = 10 * time.Second

// Close implements launch.Launcher: nodes are dismissed, and blocks given back.
func (f *Fleet) Close() error {
	f.starting.Lock()
	defer f.starting.Unlock()
	if !f.begun {
		f.end()
		return f.clear()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	f.watching.close()
	var wg sync.WaitGroup
	for _, m := range f.list() {
		wg.Go(func() { m.node.Dismiss(ctx) })
	}
	wg.Wait()
	f.end()
	_ = f.door.Close() // no more relays are accepted
	err := f.bridge.close()
	f.work.Wait()
	if f.doubt {
		f.findLeft(ctx)
	}
	f.giveBackAll(ctx)
	f.account(ctx)
	return errors.Join(err, f.provider.Close(), f.removeHome())
}

// clear removes the remains of a killed host of the study, if the present host needed no node: its blocks, also waiting
// ones, its sockets, and the files by which relays and other processes find it.
func (f *Fleet) clear() error {
	if f.study == "" {
		return nil
	}
	hosting.Sweep()
	_ = os.Remove(filepath.Join(f.study, signFile)) // it seldom exists
	if _, err := os.Stat(f.homePath()); err != nil {
		return nil // that host had no block
	}
	return errors.Join(f.endLeft(), f.removeHome())
}

// endLeft ends the blocks of the study, as far as the engine does that in time.
func (f *Fleet) endLeft() (err error) {
	if f.provider, err = f.config.Open(f.config.Hosts, f.clock); err != nil {
		return fmt.Errorf("launcher %s: %w", f.Name(), err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	f.findLeft(ctx)
	f.giveBackAll(ctx)
	return f.provider.Close()
}

// findLeft records the blocks that are to end with the study.
func (f *Fleet) findLeft(ctx context.Context) {
	states, err := f.provider.List(ctx, studyName(f.study))
	if err != nil {
		f.tell(event.Warning, "",
			"launcher %s: the remaining blocks of this study are unknown, and may continue: %v", f.Name(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range states {
		if s.Phase != provider.Ended && !slices.Contains(f.ledger.blocks, s.ID) {
			f.blocks[s.ID] = &block{state: s, since: f.clock.Now()}
		}
	}
}

// The fleet's reports: events of its nodes and blocks, and at the end the study's use of them.

// say reports an event of the fleet.
func (f *Fleet) say(e event.Event, format string, values ...any) {
	if f.report == nil {
		return
	}
	e.Source, e.Time, e.Text, e.Name = event.Executive, f.clock.Now().UTC(), fmt.Sprintf(format, values...), f.Name()
	f.report(e)
}

// sayBlock reports the state of a block that has waited since a time.
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

// sayGone reports that a block does not exist any more.
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

// ledger records the study's use of its nodes. The fleet's lock guards it.
type ledger struct {
	nodes  map[string]*event.Usage // by member
	blocks []string                // submitted or adopted
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

// book records that a task had cores of a member until now.
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

// left records that a member has left: its cores were held since its relay began, and its block waited until then.
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

// account reports the study's use of resources, once, when all nodes have left. It queries the owner of the blocks
// first.
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
				used.Nodes[i].Held, used.Nodes[i].Waited = 0, 0 // included in theirs
			}
			used.Nodes = append(used.Nodes, theirs...)
		}
	}
	f.say(event.Event{Kind: event.Accounted, Used: used}, "%s", accountText(used))
}

// accountText describes the use of resources in a line.
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

// signFile shows by its modification time that the host of the study lives, which rewrites it: the state of the tasks
// of another host is unknown until the leases have expired.
const signFile = ".host-lives"

// lease is how long after the host's last sign one of its processes may live: until the relay notices, and for as long
// as a run may take to its next checkpoint, or the relay waits for another host.
func (f *Fleet) lease() time.Duration {
	return f.config.Terms.Lease + f.config.Terms.Grace
}

// sign writes the file that shows other processes that this host lives, until the fleet ends.
func (f *Fleet) sign() {
	path := filepath.Join(f.study, signFile)
	for {
		if err := file.WriteFile(path, []byte(process.Self().Tag()+"\n"), file.Mode(0o600)); err == nil {
			now := f.clock.Now()
			_ = os.Chtimes(path, now, now) // the file system has set the time as well as it can
		}
		if clock.Sleep(f.ctx, f.clock, signTime) != nil {
			_ = os.Remove(path) // its absence shows that no process was left
			return
		}
	}
}

// signTime is how often.
const signTime = 2 * time.Second
