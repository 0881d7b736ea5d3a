package nodes

import (
	"encoding/json"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
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
