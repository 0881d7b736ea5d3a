//go:build linux

package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Studies whose runs are made on other machines, of which something fails.

// TestNodes is the suite of nodes. What its studies must give is what this machine alone gives.
func TestNodes(t *testing.T) {
	t.Parallel()
	s := newSuite(t, nodesKind)
	want := s.truths[nodesKind]
	on := newSite(newTrial(t, s.shop, nodesKind))
	began := time.Now()
	on.holds(on.start(study), want)
	on.kept(want)
	on.gone(on.remains)
	want.took = time.Since(began)
	t.Logf("a study on nodes takes %v", want.took.Round(time.Millisecond))
	if t.Failed() {
		t.FailNow() // disturbed ones would say no more
	}
	on.discard()
	each(t, "node", amount().nodes, s.node)
}

// node disturbs a study on nodes by one fault at a random time, and holds what must hold. Most of its time is
// waiting, for leases and for machines that are free again: as many trials go on at once as there are cores.
func (s *suite) node(t *testing.T, n int) {
	t.Parallel()
	rng := s.draw(t)
	want := s.truths[nodesKind]
	apart := len(nodeFaults) / min(amount().nodes, len(nodeFaults)) // few trials have faults of different sorts
	f := nodeFaults[(uint64(n*apart)+s.seed)%uint64(len(nodeFaults))]
	for i := range tries {
		on := newSite(newTrial(t, s.shop, nodesKind))
		after := share(rng, want.took*time.Duration(tries-i)/tries)
		c := on.start(study)
		what, hit := "", false
		if c.sleepUntil(time.Now().Add(after)) {
			what, hit = f.hit(on, c, rng)
		}
		if !hit {
			on.holds(c, want)
			on.discard()
			continue
		}
		t.Logf("%s: %s, %.1f ms after its start", f.sort, what, after.Seconds()*1e3)
		if f.restartDelay != nil {
			on.after(c, fault{victim: executiveAlone, signal: syscall.SIGKILL}, want)
			time.Sleep(f.restartDelay(rng))
			c = on.start(study)
		}
		same := on.holds(c, want)
		on.explained(f.restartDelay != nil)
		on.sweep()
		s.count(on.trial, f.sort, on.kept(want) && same)
		return
	}
	t.Errorf("%d faults came too late", tries)
}

// hit does something to a study. It says what it did, and reports whether it came in time.
type hit func(*site, *command, *rand.Rand) (what string, hit bool)

// nodeFault is a sort of fault.
type nodeFault struct {
	sort string
	hit  hit
	// time from the host's death to the next start of the study; nil: the host lives
	restartDelay func(*rand.Rand) time.Duration
}

var nodeFaults = []nodeFault{
	{sort: "a node's solver killed", hit: killRole(solver)},
	{sort: "a relay killed", hit: killRole(relay)},
	{sort: "a node's watchdog killed", hit: killRole(watchdog)},
	{sort: "a node killed", hit: killNode},
	{sort: "a node frozen for longer than the lease", hit: freezeNode},
	{sort: "the host stopped for less than the lease", hit: lasting(0, 0.6, stopHost)},
	{sort: "the host stopped for longer than the lease", hit: lasting(1.2, 2, stopHost)},
	{
		sort: "the host killed, and begun again at once", hit: killHost,
		restartDelay: func(*rand.Rand) time.Duration { return 0 },
	},
	{
		sort: "the host killed, and begun again later", hit: killHost,
		restartDelay: func(rng *rand.Rand) time.Duration { return share(rng, 2*leases(siteGrace)) },
	},
	{sort: "a node on which no solver starts", hit: spoilNode},
	{sort: "a node whose blocks end at once", hit: breakNode},
	{sort: "the network cut, and back at once", hit: lasting(0, 0.1, cutLine)},
	{sort: "the network cut for longer than the lease", hit: lasting(1.2, 2, cutLine)},
	{sort: "the network silent for less than the lease", hit: lasting(0, 0.6, silentLine)},
	{sort: "the network silent for longer than the lease", hit: lasting(1.2, 2, silentLine)},
	{sort: "the time of a block over, after a warning", hit: endBlock},
	{sort: "a block ended by its owner", hit: preempt},
	{sort: "a node killed, whose owner answers no more", hit: hangOwner},
}

// leases is a time in leases of the site.
func leases(n float64) time.Duration { return time.Duration(n * siteLease * float64(time.Second)) }

// between draws a time between two numbers of leases.
func between(rng *rand.Rand, least, most float64) time.Duration {
	return leases(least) + share(rng, leases(most-least))
}

// victim waits for a machine on which a process of a role lives, and returns it with one of these.
func (s *site) victim(c *command, rng *rand.Rand, r role) (node int, p process, found bool) {
	s.Helper()
	for !c.ended() {
		for _, i := range rng.Perm(siteNodes) {
			if all := s.on(i+1, r); len(all) > 0 {
				return i + 1, all[rng.IntN(len(all))], true
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0, process{}, false
}

// onNode does something to a machine on which a process of a role lives. do says how, and reports whether it could.
func onNode(r role, do func(s *site, node int, p process, rng *rand.Rand) (how string, hit bool)) hit {
	return func(s *site, c *command, rng *rand.Rand) (string, bool) {
		node, p, found := s.victim(c, rng, r)
		if !found {
			return "", false
		}
		how, hit := do(s, node, p, rng)
		return fmt.Sprintf("node%d%s", node, how), hit
	}
}

func killRole(r role) hit {
	return onNode(r, func(_ *site, _ int, p process, _ *rand.Rand) (string, bool) {
		return fmt.Sprintf(", process %d", p.pid), syscall.Kill(p.pid, syscall.SIGKILL) == nil
	})
}

var killNode = onNode(relay, func(s *site, node int, _ process, _ *rand.Rand) (string, bool) {
	s.kill(node)
	return "", true
})

var freezeNode = onNode(relay, func(s *site, node int, _ process, rng *rand.Rand) (string, bool) {
	while := between(rng, 1.2, 3)
	s.freeze(node)
	time.Sleep(while)
	s.thaw(node)
	return fmt.Sprintf(" for %v", while), true
})

// spoilNode takes from a relay the folder in which its solvers have their sockets.
var spoilNode = onNode(relay, func(s *site, _ int, p process, _ *rand.Rand) (string, bool) {
	folders := s.scratchOf(p.pid)
	for _, f := range folders {
		if err := os.RemoveAll(f); err != nil {
			s.Error(err)
		}
	}
	return fmt.Sprintf(" has no %q any more", folders), len(folders) > 0
})

// breakNode ends the relay of a node on which no other can start.
var breakNode = onNode(relay, func(s *site, node int, _ process, _ *rand.Rand) (string, bool) {
	s.spoil(node)
	s.kill(node)
	return "", true
})

// endBlock warns a block, and ends it a while later.
var endBlock = onNode(relay, func(s *site, node int, p process, rng *rand.Rand) (string, bool) {
	if syscall.Kill(p.pid, syscall.SIGUSR1) != nil {
		return "", false
	}
	while := between(rng, 0.2, 2)
	time.Sleep(while)
	s.kill(node)
	return fmt.Sprintf(", warned %v before", while), true
})

// preempt ends a block as batch systems do: SIGTERM to all its processes, and SIGKILL later.
var preempt = onNode(relay, func(s *site, node int, _ process, rng *rand.Rand) (string, bool) {
	while := between(rng, 0, 2)
	s.signal(node, syscall.SIGTERM)
	time.Sleep(while)
	s.kill(node)
	return fmt.Sprintf(", killed %v later", while), true
})

// hangOwner kills a node, and has nothing come of the commands about blocks from then on.
func hangOwner(s *site, c *command, rng *rand.Rand) (string, bool) {
	s.shop.write(s.T, filepath.Join(s.dir, "hangs"), "")
	return killNode(s, c, rng)
}

func killHost(_ *site, c *command, _ *rand.Rand) (string, bool) {
	return "", !c.ended() && syscall.Kill(c.pid(), syscall.SIGKILL) == nil
}

// lasting does something for a time that is drawn between two numbers of leases.
func lasting(least, most float64, do func(s *site, c *command, while time.Duration) bool) hit {
	return func(s *site, c *command, rng *rand.Rand) (string, bool) {
		while := between(rng, least, most)
		return fmt.Sprintf("for %v", while), do(s, c, while)
	}
}

func stopHost(_ *site, c *command, while time.Duration) bool {
	if syscall.Kill(c.pid(), syscall.SIGSTOP) != nil {
		return false
	}
	time.Sleep(while)
	return syscall.Kill(c.pid(), syscall.SIGCONT) == nil
}

func cutLine(s *site, c *command, while time.Duration) bool {
	s.line.down(while)
	return !c.ended()
}

func silentLine(s *site, c *command, while time.Duration) bool {
	s.line.silent(while)
	return !c.ended()
}
