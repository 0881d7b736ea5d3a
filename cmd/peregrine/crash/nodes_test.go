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
	s := newSuite(t)
	here := newTrial(t, s.shop, nodesKind)
	want := here.undisturbed()
	here.discard()
	tr := newTrial(t, s.shop, nodesKind)
	on := newSite(tr)
	began := time.Now()
	c := tr.start(study)
	tr.holds(c, want)
	tr.kept(want)
	on.gone(on.remains)
	want.took = time.Since(began)
	t.Logf("a study on nodes takes %v", want.took.Round(time.Millisecond))
	if t.Failed() {
		t.Fatalf("an undisturbed study on nodes printed\n%s", c.log.String())
	}
	tr.discard()
	s.truths[nodesKind] = want
	t.Cleanup(func() { t.Logf("counts:\n%s", &s.table) }) // when the trials have ended
	each(t, "node", amount().nodes, s.node)
}

// node disturbs a study on nodes by one fault at a random time, and holds what must hold. Most of its time is waiting, for leases and for machines that are
// free again: as many trials go on at once as there are cores.
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
		log := c.log.String
		if f.restartDelay != nil {
			on.after(c, fault{victim: executiveAlone, signal: syscall.SIGKILL}, want)
			time.Sleep(f.restartDelay(rng))
			c = on.start(study)
		}
		same := on.holds(c, want)
		on.explained(f.restartDelay != nil)
		on.sweep()
		s.count(on.trial, f.sort, on.kept(want) && same)
		if t.Failed() {
			t.Logf("the first command printed\n%s", log())
			t.Logf("the last command printed\n%s", c.log.String())
		}
		return
	}
	t.Errorf("%d faults came too late", tries)
}

// nodeFault is a sort of fault. It says what it did, and reports whether it came in time.
type nodeFault struct {
	sort         string
	hit          func(*site, *command, *rand.Rand) (what string, hit bool)
	restartDelay func(*rand.Rand) time.Duration // time from the host's death to the next start of the study; nil: the host lives
}

var nodeFaults = []nodeFault{
	{sort: "a node's solver killed", hit: killRole(solver)},
	{sort: "a relay killed", hit: killRole(relay)},
	{sort: "a node's watchdog killed", hit: killRole(watchdog)},
	{sort: "a node killed", hit: killNode},
	{sort: "a node frozen for longer than the lease", hit: freezeNode},
	{sort: "the host stopped for less than the lease", hit: stopHost(0, 0.6)},
	{sort: "the host stopped for longer than the lease", hit: stopHost(1.2, 2)},
	{sort: "the host killed, and begun again at once", hit: killHost, restartDelay: func(*rand.Rand) time.Duration { return 0 }},
	{sort: "the host killed, and begun again later", hit: killHost, restartDelay: func(rng *rand.Rand) time.Duration { return share(rng, 2*leases(siteGrace)) }},
	{sort: "a node on which no solver starts", hit: spoilNode},
	{sort: "a node whose blocks end at once", hit: breakNode},
	{sort: "the network cut, and back at once", hit: cutLine(0, 0.1)},
	{sort: "the network cut for longer than the lease", hit: cutLine(1.2, 2)},
	{sort: "the network silent for less than the lease", hit: silentLine(0, 0.6)},
	{sort: "the network silent for longer than the lease", hit: silentLine(1.2, 2)},
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

func killRole(r role) func(*site, *command, *rand.Rand) (string, bool) {
	return func(s *site, c *command, rng *rand.Rand) (string, bool) {
		node, p, found := s.victim(c, rng, r)
		return fmt.Sprintf("process %d of node%d", p.pid, node), found && syscall.Kill(p.pid, syscall.SIGKILL) == nil
	}
}

func killNode(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, _, found := s.victim(c, rng, relay)
	if found {
		s.kill(node)
	}
	return fmt.Sprintf("node%d", node), found
}

func freezeNode(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, _, found := s.victim(c, rng, relay)
	while := between(rng, 1.2, 3)
	if found {
		s.freeze(node)
		time.Sleep(while)
		s.thaw(node)
	}
	return fmt.Sprintf("node%d for %v", node, while), found
}

func stopHost(least, most float64) func(*site, *command, *rand.Rand) (string, bool) {
	return func(_ *site, c *command, rng *rand.Rand) (string, bool) {
		while := between(rng, least, most)
		if syscall.Kill(c.pid(), syscall.SIGSTOP) != nil {
			return "", false
		}
		time.Sleep(while)
		return fmt.Sprintf("for %v", while), syscall.Kill(c.pid(), syscall.SIGCONT) == nil
	}
}

func killHost(_ *site, c *command, _ *rand.Rand) (string, bool) {
	return "", !c.ended() && syscall.Kill(c.pid(), syscall.SIGKILL) == nil
}

// spoilNode takes from a relay the folder in which its solvers have their sockets.
func spoilNode(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, p, found := s.victim(c, rng, relay)
	if !found {
		return "", false
	}
	folders := s.scratchOf(p.pid)
	for _, f := range folders {
		if err := os.RemoveAll(f); err != nil {
			s.Error(err)
		}
	}
	return fmt.Sprintf("node%d has no %q any more", node, folders), len(folders) > 0
}

// breakNode ends the relay of a node on which no other can start.
func breakNode(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, _, found := s.victim(c, rng, relay)
	if found {
		s.spoil(node)
		s.kill(node)
	}
	return fmt.Sprintf("node%d", node), found
}

func cutLine(least, most float64) func(*site, *command, *rand.Rand) (string, bool) {
	return func(s *site, c *command, rng *rand.Rand) (string, bool) {
		while := between(rng, least, most)
		s.line.down(while)
		return fmt.Sprintf("for %v", while), !c.ended()
	}
}

func silentLine(least, most float64) func(*site, *command, *rand.Rand) (string, bool) {
	return func(s *site, c *command, rng *rand.Rand) (string, bool) {
		while := between(rng, least, most)
		s.line.silent(while)
		return fmt.Sprintf("for %v", while), !c.ended()
	}
}

// endBlock warns a block, and ends it a while later.
func endBlock(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, p, found := s.victim(c, rng, relay)
	if !found || syscall.Kill(p.pid, syscall.SIGUSR1) != nil {
		return "", false
	}
	while := between(rng, 0.2, 2)
	time.Sleep(while)
	s.kill(node)
	return fmt.Sprintf("node%d, warned %v before", node, while), true
}

// preempt ends a block as batch systems do: SIGTERM to all its processes, and SIGKILL later.
func preempt(s *site, c *command, rng *rand.Rand) (string, bool) {
	node, _, found := s.victim(c, rng, relay)
	while := between(rng, 0, 2)
	if found {
		s.signal(node, syscall.SIGTERM)
		time.Sleep(while)
		s.kill(node)
	}
	return fmt.Sprintf("node%d, killed %v later", node, while), found
}

// hangOwner kills a node, and has nothing come of the commands about blocks from then on.
func hangOwner(s *site, c *command, rng *rand.Rand) (string, bool) {
	s.shop.write(s.T, filepath.Join(s.dir, "hangs"), "")
	return killNode(s, c, rng)
}
