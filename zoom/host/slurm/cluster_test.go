package slurm_test

// What a cluster does to blocks: nodes are lost, fail every start, are drained; the controller is away; time ends.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
)

// reach is the time in which a cluster does what a test waits for.
const reach = 3 * time.Minute

// await waits until a block is as it should be.
func await(t *testing.T, p *slurm.Provider, id, what string, is func(provider.State) bool) (s provider.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), reach)
	defer cancel()
	for {
		states, err := p.List(ctx, "study")
		for _, s = range states {
			if s.ID == id && is(s) {
				return s
			}
		}
		if clock.Sleep(ctx, clock.Real, 100*time.Millisecond) != nil {
			t.Fatalf("block %s is not %s within %v: %+v, %v", id, what, reach, states, err)
		}
	}
}

func awaitPhase(t *testing.T, p *slurm.Provider, id string, phase provider.Phase) provider.State {
	t.Helper()
	return await(t, p, id, string(phase), func(s provider.State) bool { return s.Phase == phase })
}

// submit submits one block of a shell script, which finds the folder in $1.
func submit(t *testing.T, p *slurm.Provider, nodes int, limit time.Duration, script string) (id, folder string) {
	t.Helper()
	folder = t.TempDir()
	ids, err := p.Submit(t.Context(), provider.Request{Study: "study", Nodes: nodes, Cores: 2, Memory: 1 << 30,
		Time:     limit,
		Licences: map[string]int{"solver": 1}, Folder: folder, Command: []string{"sh", "-c", script, "sh", folder}}, 1)
	must.OK(t, err)
	return ids[0], folder
}

// up submits a block of one node that goes on, and waits until it runs.
func up(t *testing.T, p *slurm.Provider) (id, folder string) {
	t.Helper()
	id, folder = submit(t, p, 1, 0, `echo up >"$1/up"; exec sleep 1000`)
	awaitFile(t, folder, "up")
	awaitPhase(t, p, id, provider.Running)
	return id, folder
}

// awaitFile waits until a script has written a file, and returns what.
func awaitFile(t *testing.T, folder, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), reach)
	defer cancel()
	for {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
		if clock.Sleep(ctx, clock.Real, 100*time.Millisecond) != nil {
			names, _ := filepath.Glob(filepath.Join(folder, "*"))
			var said strings.Builder
			for _, name := range names {
				text, _ := os.ReadFile(name)
				fmt.Fprintf(&said, "== %s\n%s\n", filepath.Base(name), text)
			}
			t.Fatalf("no %s within %v:\n%s", name, reach, said.String())
		}
	}
}

// node is the number of a node in its name.
func node(t *testing.T, name string) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(name, "n%d", &n); err != nil {
		t.Fatalf("node %q: %v", name, err)
	}
	return n
}

// A block whose node dies begins anew on another one, under its old ID, and says so; one that may not ends, and says
// of what.
func TestNodeDies(t *testing.T) {
	c := slurmtest.Start(t, 3)
	p, once := open(t), open(t, "--no-requeue")
	const script = `echo $SLURMD_NODENAME >"$1/node.$PEREGRINE_RESTARTS"; exec sleep 1000`
	id, folder := submit(t, p, 1, 0, script)
	first := awaitFile(t, folder, "node.0")
	onceID, onceFolder := submit(t, once, 1, 0, script)
	second := awaitFile(t, onceFolder, "node.0")
	if first == second {
		t.Fatalf("both blocks have %s", first)
	}
	c.Kill(node(t, first))
	c.Kill(node(t, second))
	restarted := await(t, p, id, "begun anew",
		func(s provider.State) bool { return s.Phase == provider.Running && s.Restarts == 1 })
	if third := awaitFile(t, folder, "node.1"); third == first || third == second || len(restarted.Nodes) != 1 ||
		restarted.Nodes[0] != third {
		t.Errorf("it begins anew on %s as %+v; %s and %s are dead", third, restarted, first, second)
	}
	if s := awaitPhase(t, once, onceID, provider.Ended); !strings.HasPrefix(s.Reason, "NODE_FAIL") {
		t.Errorf("the block that may not begin anew: %+v", s)
	}
}

// A block of several nodes goes on without one that dies: Slurm lists what is left, and the commands on the others
// live.
func TestOneNodeOfBlockDies(t *testing.T) {
	c := slurmtest.Start(t, 2)
	p := open(t)
	id, folder := submit(t, p, 2, 0,
		`echo $$ >"$1/$SLURMD_NODENAME"; while :; do echo >"$1/alive.$SLURMD_NODENAME"; sleep 0.2; done`)
	awaitFile(t, folder, "n1")
	awaitFile(t, folder, "n2")
	head := c.Command("squeue", "--noheader", "--format=%B")
	dies, stays := 2, "n1"
	if strings.TrimSpace(head) == "n2" { // where the batch script runs
		dies, stays = 1, "n2"
	}
	c.Kill(dies)
	c.AwaitNodes("down", 1)
	for range 2 { // the job's other node writes on
		must.OK(t, os.Remove(filepath.Join(folder, "alive."+stays)))
		awaitFile(t, folder, "alive."+stays)
	}
	if s := awaitPhase(t, p, id, provider.Running); s.Restarts != 0 {
		t.Errorf("block %+v", s)
	}
}

// A block that a node does not start waits once more, and runs when the node is a good one.
func TestBlackhole(t *testing.T) {
	c := slurmtest.Start(t, 1)
	c.Blackhole(1)
	c.AwaitNodes("idle", 1)
	p := open(t)
	id, folder := submit(t, p, 1, 0, `echo up >"$1/up"; exec sleep 1000`)
	await(t, p, id, "begun anew", func(s provider.State) bool { return s.Restarts > 0 && s.Phase != provider.Ended })
	c.Back(1)
	awaitFile(t, folder, "up")
	awaitPhase(t, p, id, provider.Running)
}

// A block whose node fails to start it is held by Slurm; that is said, with what to do, which helps.
func TestHeld(t *testing.T) {
	folder := t.TempDir()
	bad, prolog := filepath.Join(folder, "bad"), filepath.Join(folder, "prolog")
	must.OK(t,
		errors.Join(os.WriteFile(bad, nil, 0o644),
			os.WriteFile(prolog, []byte("#!/bin/sh\n[ ! -e "+bad+" ]\n"), 0o755)))
	c := slurmtest.Start(t, 1, "Prolog="+prolog)
	p := open(t)
	id, out := submit(t, p, 1, 0, `echo up >"$1/up"; exec sleep 1000`)
	s := awaitPhase(t, p, id, provider.Stuck)
	if !strings.HasPrefix(s.Reason, "launch failed requeued held: ") ||
		!strings.Contains(s.Reason, "scontrol release "+id) {
		t.Errorf("reason %q", s.Reason)
	}
	must.OK(t, os.Remove(bad))
	c.Command("scontrol", "update", "NodeName=n1", "State=RESUME")
	c.Command("scontrol", "release", id)
	awaitFile(t, out, "up")
	awaitPhase(t, p, id, provider.Running)
}

// While the controller is away nothing is known of any block; when it is back they are as before.
func TestControllerAway(t *testing.T) {
	c := slurmtest.Start(t, 1)
	p := open(t)
	id, _ := up(t, p)
	c.StopController()
	var err error
	for range 100 { // the first answers may be from before
		if _, err = p.List(t.Context(), "study"); err != nil {
			break
		}
		_ = clock.Sleep(t.Context(), clock.Real, 100*time.Millisecond)
	}
	if err == nil || !strings.Contains(err.Error(), "squeue") || !strings.Contains(err.Error(), "ontroller") {
		t.Errorf("error %v, want that squeue finds no controller", err)
	}
	t.Log(err)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := p.Cancel(ctx, id); !errors.Is(err, context.DeadlineExceeded) && err == nil {
		t.Error("a block is cancelled without a controller")
	}
	c.StartController()
	if s := awaitPhase(t, p, id, provider.Running); s.Restarts != 0 {
		t.Errorf("block %+v", s)
	}
}

// Before its time ends a block's command is warned, and it alone: what it has started goes on until then.
func TestTimeEnds(t *testing.T) {
	slurmtest.Start(t, 2)
	p := open(t, "--signal=B:USR1@110") // later than Peregrine's own, and so the one that counts: 10 s after the start
	id, folder := submit(t, p, 2, 2*time.Minute, `
		(trap 'echo hit >"$1/hit.$SLURMD_NODENAME"' USR1; while [ ! -e "$1/stop" ]; do sleep 0.1; done) &
		warned() { echo yes >"$1/warned.$SLURMD_NODENAME"; sleep 1; echo yes >"$1/stop"; }
		trap 'warned "$1"' USR1
		echo "$PEREGRINE_ENDS" >"$1/ends.$SLURMD_NODENAME"
		while [ ! -e "$1/stop" ]; do sleep 0.1; done`)
	ends := awaitFile(t, folder, "ends.n1")
	s := awaitPhase(t, p, id, provider.Running)
	if fmt.Sprint(s.Ends.Unix()) != ends {
		t.Errorf("the block ends at %d, its command was told %s", s.Ends.Unix(), ends)
	}
	awaitFile(t, folder, "warned.n1")
	awaitFile(t, folder, "warned.n2")
	if s := awaitPhase(t, p, id, provider.Ended); !strings.HasPrefix(s.Reason, "COMPLETED") {
		t.Errorf("block %+v", s)
	}
	if hit, _ := filepath.Glob(filepath.Join(folder, "hit.*")); len(hit) > 0 {
		t.Errorf("what the command has started was signalled as well: %q", hit)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".*.pid")); len(left) > 0 {
		t.Errorf("the block left %q", left)
	}
}

// A block waits for a node that is drained, and for a licence; one that can never be had is stuck.
func TestDrained(t *testing.T) {
	c := slurmtest.Start(t, 1)
	c.Command("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test")
	p := open(t)
	id, folder := submit(t, p, 1, 0, `echo up >"$1/up"; exec sleep 1000`)
	s := await(t, p, id, "waiting for the node",
		func(s provider.State) bool { return s.Reason != "submitted" && s.Reason != "" })
	if s.Phase != provider.Waiting || s.Nodes != nil {
		t.Errorf("block %+v", s)
	}
	t.Log(s.Reason)
	c.Command("scontrol", "update", "NodeName=n1", "State=RESUME")
	awaitFile(t, folder, "up")
	c.Command("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=test") // what runs there goes on
	_ = clock.Sleep(t.Context(), clock.Real, time.Second)
	awaitPhase(t, p, id, provider.Running)
	never, _ := submit(t, open(t, "--hold"), 1, 0, "true")
	if s := awaitPhase(t, p, never, provider.Stuck); !strings.Contains(s.Reason, "JobHeldUser") ||
		!strings.Contains(s.Reason, "scontrol release "+never) {
		t.Errorf("a held block: %+v", s)
	}
	c.Command("scancel", never) // by somebody else; of an element that never ran Slurm keeps nothing
	awaitPhase(t, p, never, provider.Ended)
	c.Command("scancel", id)
	if s := awaitPhase(t, p, id, provider.Ended); !strings.HasPrefix(s.Reason, "CANCELLED") {
		t.Errorf("a cancelled block: %+v", s)
	}
}

// A cluster that keeps accounts says what its blocks have used: one that ended by itself, and one that was cancelled.
func TestClusterWithAccounts(t *testing.T) {
	slurmtest.StartAccounted(t, 2)
	p := open(t)
	first, _ := submit(t, p, 2, time.Hour, "sleep 2")
	cancelled, folder := submit(t, p, 1, time.Hour, "sleep 2; echo on > $1/on; sleep 600")
	awaitPhase(t, p, first, provider.Ended)
	awaitFile(t, folder, "on")
	must.OK(t, p.Cancel(t.Context(), cancelled))
	awaitPhase(t, p, cancelled, provider.Ended)
	ctx, enough := context.WithTimeout(t.Context(), reach)
	defer enough()
	for {
		list := must.Value(p.Accounts(ctx, []string{first, cancelled}))(t)
		if len(list) == 2 && !list[0].Ended.IsZero() && !list[1].Ended.IsZero() { // the database is told a while later
			a, b := list[0], list[1]
			if a.ID != first || a.State != "COMPLETED" || len(a.Nodes) != 2 || a.CoreTime < 8*time.Second ||
				a.CoreTime > time.Minute || a.Restarts != 0 {
				t.Errorf("%+v", a)
			}
			if b.ID != cancelled || b.State != "CANCELLED" || len(b.Nodes) != 1 || b.CoreTime <= 0 ||
				b.Begun.After(b.Ended) {
				t.Errorf("%+v", b)
			}
			return
		}
		if clock.Sleep(ctx, clock.Real, time.Second) != nil {
			t.Fatalf("the database has %+v", list)
		}
	}
}

// A cluster without accounts says so, and what cannot be submitted is an error in Slurm's words. What a user has set
// for commands of Slurm sends no block elsewhere, has sbatch not wait for its end, and changes no form of the queue.
// What a block prints is in its folder, or where the user wants it.
func TestSimpleCluster(t *testing.T) {
	slurmtest.Start(t, 1)
	p := open(t)
	if accounts, err := p.Accounts(t.Context(), []string{"1_0"}); !errors.Is(err, slurm.ErrNoAccounts) {
		t.Errorf("%v, %v", accounts, err)
	}
	if calls := p.Calls(); calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	r := provider.Request{Study: "study", Nodes: 1, Command: []string{"true"}, Folder: t.TempDir()}
	ids, err := open(t, "--partition=nowhere").Submit(t.Context(), r, 1)
	if len(ids) > 0 || err == nil || !strings.Contains(err.Error(), "invalid partition") {
		t.Errorf("%q, %v", ids, err)
	}
	other := filepath.Join(t.TempDir(), "out")
	id, folder := submit(t, p, 1, 0, "echo printed")
	awaitPhase(t, p, id, provider.Ended)
	q := open(t, "--output="+other)
	second, _ := submit(t, q, 1, 0, "echo printed")
	awaitPhase(t, q, second, provider.Ended)
	for _, file := range []string{filepath.Join(folder, "block-"+id+".txt"), other} {
		if text, err := os.ReadFile(file); err != nil || !strings.HasSuffix(string(text), "printed\n") {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
	t.Setenv("SBATCH_CLUSTERS", "other")
	t.Setenv("SBATCH_WAIT", "1")
	t.Setenv("SQUEUE_FORMAT", "%i")
	up(t, p)
}

// The start of a block as Slurm estimates it: now on idle nodes, after the job that has them, never on more than there
// are.
func TestBegin(t *testing.T) {
	slurmtest.Start(t, 2)
	p := open(t)
	begin := func(nodes int) (time.Duration, error) {
		at, err := p.Begin(t.Context(), provider.Request{Nodes: nodes, Cores: 2, Time: time.Hour})
		return at.Sub(clock.Real.Now()), err
	}
	if wait := must.Value(begin(2))(t); wait > 5*time.Minute {
		t.Errorf("idle nodes begin in %v", wait)
	}
	id, folder := submit(t, p, 1, time.Hour, `echo up >"$1/up"; exec sleep 1000`)
	awaitFile(t, folder, "up")
	awaitPhase(t, p, id, provider.Running)
	if wait := must.Value(begin(2))(t); wait < 50*time.Minute || wait > 70*time.Minute {
		t.Errorf("with one of the nodes taken for an hour both begin in %v", wait)
	}
	_, err := begin(3)
	must.Fail(t, err, "sbatch --test-only printed")
}
