package nodes

import (
	"encoding/json"
	"errors"
	"net"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// A task of an earlier host goes on in its process, also if its relay comes while the fleet looks for it.
func TestTaskReturnsToItsRelay(t *testing.T) {
	t.Parallel()
	f := New(t.TempDir(), Config{Hosts: &hosts.Launcher{}})
	t.Cleanup(f.end)
	f.former = clock.Real.Now()
	need := launch.Need{Handle: must.Value(json.Marshal(Handle{Boot: "1", Number: 7, Study: f.study, Lease: 3600}))(t)}
	m := &member{name: "node", offers: true, over: map[uint64]bool{},
		node: &agent.Node{Facts: &pb.Facts{Boot: "1"}, Left: []*pb.Process{{Number: 7}}}}
	var found *member
	testenv.Between(&f.mu, func() { found = f.returns(t.Context(), &request{need: need}, nil) }, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.members[m.name] = m
		f.wakeAll()
	})
	if found != m {
		t.Error("the task counts as ended, though its relay has it")
	}
}

// callers is a fleet with a relay of this process, which connects as often as connect is called.
type callers struct {
	*testing.T
	*Fleet
	relay   *agent.Relay
	opening chan struct{} // a node opens when it is sent to
	served  sync.WaitGroup
}

func newCallers(t *testing.T) *callers {
	t.Helper()
	f := New(t.TempDir(), Config{Hosts: &hosts.Launcher{Cores: 1, Blocks: 2}})
	c := &callers{T: t, Fleet: f, opening: make(chan struct{})}
	c.relay = must.Value(agent.New(agent.NodeInfo{Node: "ada", Block: "b1", Folder: t.TempDir()}, clock.Real))(t)
	c.Report(func(e event.Event) {
		if e.Kind == event.NodeCame {
			<-c.opening
		}
	})
	t.Cleanup(func() {
		close(c.opening)
		c.end()
		c.work.Wait()
		c.served.Wait()
		must.OK(t, c.relay.Close())
	})
	return c
}

func (c *callers) connect() {
	c.Helper()
	here, there := net.Pipe()
	c.served.Go(func() { _ = c.relay.Serve(c.Context(), there) }) // until the node is let go
	c.join(c.Context(), must.Value(agent.Meet(c.Context(), here, c.config.Terms))(c.T))
}

// await returns the member when it is as wanted; nil: there is none.
func (c *callers) await(wanted func(m *member) bool) *member {
	for {
		c.mu.Lock()
		m, changed := c.members["ada"], c.changed
		done := wanted(m)
		c.mu.Unlock()
		if done {
			return m
		}
		<-changed
	}
}

// hasRoom reports whether a task finds room at once.
func (c *callers) hasRoom() bool {
	c.Helper()
	err := c.queueUp(&request{need: launch.Need{Component: "c", Cores: 1, Now: true}, placed: make(chan *member, 1)})
	if err != nil && !errors.Is(err, launch.ErrNoRoom) {
		c.Error(err)
	}
	return err == nil
}

func isOpen(m *member) bool { return m != nil && m.open }
func isLost(m *member) bool { return m == nil }

// A connection in place of another of the same relay gets tasks when it is open, and not before.
func TestTasksWaitForTheNextConnection(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	c.connect()
	c.opening <- struct{}{}
	c.await(isOpen)
	c.connect()
	if c.hasRoom() {
		t.Error("a task went to a node whose processes of an earlier connection have not ended")
	}
	c.opening <- struct{}{}
	c.await(isOpen)
	if !c.hasRoom() {
		t.Error("the node has no room when it is open")
	}
}

// The end of a task that was lost with a connection leaves the room of the next connection as it is.
func TestLostTaskEndsAfterTheNextConnection(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	c.connect()
	c.opening <- struct{}{}
	m := c.await(isOpen)
	r := &request{name: "c/0", stays: true} // an earlier host left it there
	c.placed[r.name] = r
	m.node.Close()
	c.await(isLost)
	c.connect()
	c.opening <- struct{}{}
	c.await(isOpen)
	c.free(r, m)
	if !c.hasRoom() {
		t.Error("the node gets no tasks any more")
	}
}

// While the node of a block connects, no other block is requested for the task that waits for the node.
func TestConnectingNodeCounts(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	c.blocks["b1"] = &block{}
	must.OK(t, c.queueUp(&request{need: launch.Need{Component: "c", Cores: 1}, placed: make(chan *member, 1)}))
	c.connect()
	if n := c.wanted(); n != 0 {
		t.Errorf("%d more blocks are wanted", n)
	}
	c.opening <- struct{}{}
	c.await(isOpen)
	if c.hasRoom() {
		t.Error("the task has not taken the node's room")
	}
}

// A relay that connects while the fleet ends is not met: Close would not wait for that.
func TestConnectionAtTheEnd(t *testing.T) {
	t.Parallel()
	f := New(t.TempDir(), Config{Hosts: &hosts.Launcher{}})
	f.Report(func(e event.Event) { t.Errorf("it says: %s", e.Text) })
	f.end()
	here, there := net.Pipe()
	f.connected("b1", "ada", here)
	if _, err := there.Write([]byte("x")); err == nil {
		t.Error("the connection is open")
	}
	f.work.Wait()
}
