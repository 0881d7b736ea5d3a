// Package nodes is the launcher that puts runs into blocks of nodes, which a provider has from Slurm, by ssh or by
// commands. On each node a relay starts solvers and the node's watchdog, and calls home.
//
//	Place -> waiting tasks -> blocks wanted -> Provider.Submit -> ... -> relay calls home -> member
//	  ^                                                                                        |
//	  +---- slot of package place <----------------------------- cores, memory, time left -----+
//
// # Lifetimes
//
// A Fleet keeps as many blocks as its waiting and running tasks need, up to the number that its hosts file allows,
// and gives them back at Close. A member is a node from the connection of its relay to its loss or dismissal; a relay
// that connects once more is a new member, and what the former one had is lost. Blocks and relays outlive a host that
// was killed for their grace time: the next host of the same study finds the blocks by its name, and the relays find
// it by a file in the study's folder.
//
// # What is shared
//
// A member sees the study's folder if each finds what the other wrote there; then its runs work in their folders as
// local ones do. Otherwise they work in folders of the relay: the files that a request names go there by their
// content, once a node, and what the run leaves comes back when it has ended.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// Config is what a fleet needs besides its study.
type Config struct {
	Hosts    *hosts.Launcher
	Open     func(*hosts.Launcher, clock.Clock) (provider.Provider, error)
	Relay    []string // command of this machine that starts a relay, before the path of its file
	Watchdog []string // command of this machine that starts a watchdog
	Terms    agent.Terms
	Clock    clock.Clock // default: the real one

	// Accounts asks once, in the end, what blocks have used, of whatever accounts for them; nil: nothing does.
	Accounts func(ctx context.Context, p provider.Provider, blocks []string) ([]event.Usage, error)
}

// Fleet is a launcher. Its methods may be called by several goroutines.
type Fleet struct {
	config Config
	clock  clock.Clock
	study  string // folder; empty: tasks can only be recovered
	ctx    context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	report func(event.Event) // may be nil

	starting  sync.Mutex // held while the fleet begins
	begun     bool
	provider  provider.Provider
	certs     *certificate.Store
	door      net.Listener
	strangers atomic.Int64 // who have come to it
	bridge    *bridge
	watching  *watches
	lines     agent.Exchange

	mu       sync.Mutex
	queue    schedule.Place
	waiting  map[string]*request // by name in the queue
	placed   map[string]*request
	requests int // counts those queued so far, and makes their names
	members  map[string]*member
	relays   map[string]string  // names of members, by relay
	named    map[string]bool    // these names
	lost     map[string]bool    // ... of those that were lost once
	bad      map[string]*record // by node
	blocks   map[string]*block
	changed  chan struct{} // closed and replaced when members change
	nudge    chan struct{} // wakes the keeper of blocks
	news     chan struct{} // has it ask what became of them
	problem  error         // why no block can be had; nil: none is known
	ledger   ledger
	doubt    bool      // the last request for blocks failed; only the keeper of blocks looks at it
	barren   int       // blocks in a row that brought no node on which a solver started
	patient  time.Time // until then no block is asked for, while there are nodes
}

var (
	_ launch.Placer  = (*Fleet)(nil)
	_ launch.Watched = (*Fleet)(nil)
)

// New returns the fleet of the study in a folder. Nothing begins before the first Place.
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
		members: map[string]*member{}, relays: map[string]string{}, named: map[string]bool{}, lost: map[string]bool{},
		bad: map[string]*record{}, blocks: map[string]*block{},
		changed: make(chan struct{}), nudge: make(chan struct{}, 1), news: make(chan struct{}, 1),
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.watching = newWatches(f.ctx, study, c.Watchdog, c.Clock)
	return f
}

// Name implements launch.Launcher.
func (f *Fleet) Name() string { return f.config.Hosts.Name }

// Report has events of the fleet go to a function: nodes that come and go, blocks and their queue. Call it before the
// first Place.
func (f *Fleet) Report(to func(event.Event)) { f.report = to }

// Watches returns the watcher of the files of all runs in the fleet, for run.Host.Follow.
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

// begin opens the door, takes up the blocks of a host before this one, and starts the keeper of blocks, once.
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
	if f.certs, err = certificate.Open(filepath.Join(f.study, local.CertificateDir)); err != nil {
		return err
	}
	if f.provider, err = f.config.Open(f.config.Hosts, f.clock); err != nil {
		return err
	}
	if f.bridge, err = openBridge(f.nodeOf); err != nil {
		return err
	}
	if err = f.openDoor(); err != nil {
		return errors.Join(err, f.bridge.close())
	}
	return nil
}

// closeTime bounds what Close does on other machines.
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
	_ = f.door.Close() // nobody is wanted any more
	err := f.bridge.close()
	f.work.Wait()
	if f.doubt {
		f.findLeft(ctx)
	}
	f.giveBackAll(ctx)
	f.account(ctx)
	return errors.Join(err, f.provider.Close(), f.removeHome())
}

// clear ends and removes what a host of the study left that was killed, where this one needed no node: its blocks,
// also those that still wait, its sockets, and the files by which relays and others find it.
func (f *Fleet) clear() error {
	if f.study == "" {
		return nil
	}
	hosting.Sweep()
	_ = os.Remove(filepath.Join(f.study, signFile)) // it is seldom there
	if _, err := os.Stat(f.homePath()); err != nil {
		return nil // that host had no block
	}
	return errors.Join(f.endLeft(), f.removeHome())
}

// endLeft ends the blocks that the study has, as far as the engine does that in time.
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

// findLeft notes the blocks that are to end with the study.
func (f *Fleet) findLeft(ctx context.Context) {
	states, err := f.provider.List(ctx, f.studyName())
	if err != nil {
		f.tell(event.Warning, "",
			"launcher %s: blocks of this study that may be left are not known, and may go on: %v", f.Name(), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range states {
		if s.Phase != provider.Ended && !slices.Contains(f.ledger.blocks, s.ID) {
			f.blocks[s.ID] = &block{state: s, since: f.clock.Now()}
		}
	}
}
