//go:build linux

package crash

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// 1994 again. NASA's prototype of a zoomed engine (Afjeh, Homer, Lewandowski, Reed, Schlichting: TESS; ADPAC on
// workstations under PVM) sent the runs of a fan to machines of which each might fail. Here 32 runs go to four nodes,
// and all of the nodes fail in turn.

func TestNineteenNinetyFour(t *testing.T) {
	s := newSuite(t, kind1994)
	if n := len(s.truths[kind1994].entries); n != 32 {
		t.Fatalf("the study has %d runs", n)
	}
	for name, play := range map[string]func(*trial){"slurm": s.again1994, "drained": s.drained} {
		t.Run(name, func(t *testing.T) { play(newTrial(t, s.shop, kind1994)) })
	}
}

// The nodes, by what befalls them. The one that fails every start does so from the beginning.
const (
	killedNode = 1 + iota
	frozenNode
	halfNode   // whose relay and watchdog are killed
	spoiltNode // the site offers it last
)

func (s *suite) again1994(t *trial) {
	t.Helper()
	m := onSlurm(t)
	m.Blackhole(spoiltNode)
	first := t.start(study)
	t.calm(first, m, watchdog, halfNode).kill()
	t.calm(first, m, relay, halfNode).kill()
	t.await1994(first, "the loss of a relay", says(halfNode, lostSays))
	t.calm(first, m, solver, killedNode)
	m.Kill(killedNode)
	t.await1994(first, "the loss of a node", says(killedNode, lostSays))
	t.calm(first, m, solver, frozenNode)
	m.Freeze(frozenNode)
	t.await1994(first, "the loss of a frozen node", says(frozenNode, lostSays))
	t.calm(first, m, solver, halfNode)
	must.OK(t, syscall.Kill(first.pid(), syscall.SIGKILL))
	t.after(first, fault{victim: executiveAlone, signal: syscall.SIGKILL}, s.truths[kind1994])
	second := t.start(study)
	m.Back(killedNode)
	m.Thaw(frozenNode)
	s.took1994(t, second, true, "1994 on Slurm")
}

// took1994 holds what must hold at the end of the scene.
func (s *suite) took1994(t *trial, c *command, killed bool, sort string) {
	t.Helper()
	want := s.truths[kind1994]
	same := t.holds(c, want)
	t.explained(killed)
	s.count(t, sort, t.kept(want) && same)
}

// lostSays is what the log says of a node that the lease has told to be lost: its owner may notice that minutes later.
const lostSays = `was lost: nothing was heard of its relay for`

// says is how the log says something of a node.
func says(n int, what string) *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`n(ode)?%d(\.\d+)? %s`, n, what))
}

// await1994 waits for words of the log.
func (t *trial) await1994(c *command, what string, words *regexp.Regexp) {
	t.Helper()
	t.until(c, what, func() bool { return words.Match(t.read(filepath.Join(t.work(), study, "study.jsonl"))) })
}

// until waits for something that is to come before the study's end.
func (t *trial) until(c *command, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if c.ended() || time.Now().After(end) {
			t.Fatalf("%s did not come before the study's end, or in %v\n%s", what, patience, c.log.String())
		}
	}
	t.Logf("%s", what)
}

// calm waits until all runs that were lost have been made by others, so that none is lost twice, and a process of a
// role lives on a node.
func (t *trial) calm(c *command, m *cluster, r role, n int) (p process) {
	t.Helper()
	t.until(c, fmt.Sprintf("a %s on node %d", r, n), func() bool {
		found := m.on(n, r)
		if len(found) > 0 {
			p = found[0]
		}
		return len(found) > 0 && len(t.open()) == 0
	})
	return p
}

func (p process) kill() { _ = syscall.Kill(p.pid, syscall.SIGKILL) } // or it has just ended

// open are the runs of the study that were lost, or go on where a node was, and whose answer is not in the cache yet.
func (t *trial) open() (names []string) {
	names = t.onLostNodes()
	folders, _ := filepath.Glob(filepath.Join(t.work(), study, "*")) // the pattern is right
	for _, f := range folders {
		var end plugin.Ending
		if plugin.ReadFile(f, plugin.ResultFile, &end) != nil ||
			!slices.Contains([]event.Class{event.Lost, event.Killed, event.Crashed}, end.Class) {
			continue
		}
		record, err := record.Read(f + record.AttemptMark + "2")
		if err != nil || len(record.Key) < 2 || !t.there(filepath.Join(t.cache(), record.Key[:2], record.Key)) {
			names = append(names, filepath.Base(f))
		}
	}
	return names
}

// onLostNodes are the runs that began on nodes that were lost and of whose end nobody has said anything.
func (t *trial) onLostNodes() (names []string) {
	events, _ := event.Read(filepath.Join(t.work(), study, "study.jsonl")) // a line may be being written
	lost, on := map[string]bool{}, map[string]string{}
	for _, e := range events {
		switch e.Kind {
		case event.NodeLost:
			lost[e.Host] = true
		case event.Started:
			on[e.Run] = e.Host
		case event.Ended:
			delete(on, e.Run)
		}
	}
	for name, node := range on {
		if lost[node] {
			names = append(names, name)
		}
	}
	return names
}

// cluster is nodes of Slurm.
type cluster struct {
	*slurmtest.Cluster
	t *trial
}

// onSlurm makes a cluster of Slurm, which notices no failed node in the time of the test.
func onSlurm(t *trial) *cluster {
	c := &cluster{slurmtest.Start(t.T, siteNodes, "SlurmdTimeout=300"), t}
	hosts := filepath.Join(t.dir, "hosts.yaml")
	t.shop.write(t.T, hosts, fmt.Sprintf(`launchers:
  cluster: {provider: slurm, blocks: %d, cores: 1, options: [--exclusive], lease: %g s, grace: 10 s}
`, siteNodes, 2.0))
	t.more = []string{"--hosts", hosts, "--launcher", "cluster"}
	return c
}

func (c *cluster) on(n int, roles ...role) (found []process) {
	c.t.Helper()
	all := c.t.processes()
	relays := map[int]bool{}
	for _, p := range all {
		relays[p.pid] = p.role == relay && p.node == fmt.Sprint("n", n)
	}
	for _, p := range all {
		if (relays[p.pid] || relays[p.parent]) && (len(roles) == 0 || p.role == roles[0]) {
			found = append(found, p)
		}
	}
	return found
}
