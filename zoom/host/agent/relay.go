package agent

// A relay from its start to its end, and the times after which it gives up a host and itself.

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Relay starts processes on this machine for hosts on other machines, one host at a time.
type Relay struct {
	pb.UnimplementedRelayServer
	clock    clock.Clock
	machine  *hosting.Machine
	scratch  string // of sockets and keys
	unshared bool   // as in NodeInfo
	facts    *pb.Facts

	starting sync.WaitGroup // calls that start a process

	mu        sync.Mutex
	closed    bool
	files     string // folder of the files that hosts have brought; empty: none yet
	bodies    map[uint64]*body
	last      uint64
	endsSoon  bool
	heard     time.Time     // time of the host's last pulse
	lease     time.Duration // silence after which the host is given up
	grace     time.Duration // for which it waits for another host
	dismissed bool
}

// New returns a relay. Close it in the end.
func New(place NodeInfo, at clock.Clock) (*Relay, error) {
	hosting.Sweep()
	scratch, err := hosting.MakeScratch()
	if err != nil {
		return nil, err
	}
	facts, err := factsOf(place, at)
	if err != nil {
		return nil, errors.Join(err, os.Remove(scratch))
	}
	process.RemoveLeft(facts.GetFolder(), filesPrefix+"-") // of relays that were killed
	name := filepath.Base(scratch)
	return &Relay{clock: at, machine: hosting.NewMachine(name, at), scratch: scratch, unshared: place.Unshared,
		facts: facts, bodies: map[uint64]*body{}, lease: DefaultLease, grace: DefaultGrace}, nil
}

// Warn records that the block is about to end. The next pulse reports it to the host.
func (r *Relay) Warn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endsSoon = true
}

// Busy reports whether a process started for a host lives.
func (r *Relay) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies) > 0
}

// Dismissed reports whether a host has dismissed the relay.
func (r *Relay) Dismissed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dismissed
}

// terms returns the present lease and grace.
func (r *Relay) terms() Terms {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Terms{Lease: r.lease, Grace: r.grace}
}

// agree sets lease and grace, in seconds, at a host's request; 0: unchanged. It reports whether the lease has changed.
func (r *Relay) agree(lease, grace float64) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if lease > 0 {
		changed = r.lease != seconds(lease)
		r.lease = seconds(lease)
	}
	if grace > 0 {
		r.grace = seconds(grace)
	}
	return changed
}

// Settle waits until all processes of the relay have ended by themselves, at most for a while.
func (r *Relay) Settle(while time.Duration) {
	until := r.clock.Now().Add(while)
	for r.Busy() && r.clock.Now().Before(until) {
		_ = clock.Sleep(context.Background(), r.clock, leaveTime) // its context never ends
	}
}

// errClosed is the answer to calls while the relay closes.
var errClosed = errors.New("the relay has closed")

// Close kills the relay's processes, and removes the files that hosts have brought and its scratch folder.
func (r *Relay) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.starting.Wait() // the end of a connection does not wait for its calls
	r.mu.Lock()
	bodies := make([]*body, 0, len(r.bodies))
	for _, b := range r.bodies {
		bodies = append(bodies, b)
	}
	files := r.files
	r.mu.Unlock()
	for _, b := range bodies {
		b.Kill()
		<-b.gone
	}
	var err error
	if files != "" {
		err = os.RemoveAll(files)
	}
	return errors.Join(err, os.RemoveAll(r.scratch))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
