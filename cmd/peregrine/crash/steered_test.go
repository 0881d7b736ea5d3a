//go:build linux

package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Studies that are steered by several clients, while one of all who take part is killed.
//
// What must hold: nothing that was commanded is done twice to a run; whatever a client was told has been done stands
// in the run's events, at that iteration, and no command that it was told has been refused; an answer says all that
// was done for it; the study ends, so that no run is held by a client that is dead; nothing is left; and a study that
// nobody steers then has from the same cache what it always had.

// steeredKinds are those whose solvers can be steered.
var steeredKinds = []kind{kinds[0], kinds[3]}

// TestSteered is the suite.
func TestSteered(t *testing.T) {
	t.Parallel()
	s := newSuite(t, steeredKinds...)
	each(t, "steered", amount().steered, s.steered)
}

// killed are whom such a trial kills, besides clients that hold runs, each of which it kills.
var killed = []victim{aClient, executiveAlone, aSolver, executiveGroup, everybody}

// steered makes one trial.
func (s *suite) steered(t *testing.T, n int) {
	t.Parallel()
	rng := s.draw(t)
	k, v := steeredKinds[n%len(steeredKinds)], killed[(n/len(steeredKinds)+n)%len(killed)]
	want := s.truths[k]
	tr := newTrial(t, s.shop, k)
	tr.more = []string{"--held"}
	host := tr.start(study)
	c := &clients{trial: tr}
	c.untilBegun(host)
	after := share(rng, want.took+2*time.Second)
	t.Logf("%s: SIGKILL of %s, %.1f ms after the first run was there", k.name, v, after.Seconds()*1e3)
	var work sync.WaitGroup
	for who := range 2 {
		clientRNG := rand.New(rand.NewPCG(rng.Uint64(), 0))
		work.Go(func() { c.steer(clientRNG, fmt.Sprintf("c%d", who)) })
	}
	work.Go(func() {
		time.Sleep(after / 2)
		c.untilDone("release", study, "--id", "release")
	})
	time.Sleep(after)
	c.kill(host, v, rng)
	work.Wait()
	code, by := tr.exit(host)
	switch {
	case code == 0:
	case by == syscall.SIGKILL:
		tr.more = nil
		host = tr.start(study)
		if code, by = tr.exit(host); code != 0 {
			t.Errorf("the second command ended with %d %v", code, by)
		}
	default:
		t.Errorf("it ended with %d %v", code, by)
	}
	told := c.account()
	tr.more = nil
	plain := tr.start("plain")
	same := tr.holds(plain, want)
	for key, data := range want.entries {
		if got := tr.entries()[key]; got != data {
			same = false
			t.Errorf("cache entry %s is %q, want %q", key, got, data)
		}
	}
	s.count(tr, "SIGKILL of "+string(v)+", steered", same && told)
}

// clients are commands of people who steer one trial's study.
type clients struct {
	*trial
	mu    sync.Mutex
	told  []receipt // by their clients, of commands that had an end
	going []*command
}

// receipt is what a client printed.
type receipt struct {
	ID, Run   string
	Verb      steer.Verb
	State     event.State
	Iteration int64
}

// give runs a client, which is killed after a time, keeps what it was told, and reports whether it did what it was to.
func (c *clients) give(most time.Duration, verb, address string, args ...string) bool {
	one := c.call(append([]string{"steer", verb, address, "--json", "--work", c.work()}, args...)...)
	c.mu.Lock()
	c.going = append(c.going, one)
	c.mu.Unlock()
	if one.sleepUntil(time.Now().Add(most)) {
		_ = one.cmd.Process.Kill() // or it has just ended
		<-one.done
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.going = slices.DeleteFunc(c.going, func(g *command) bool { return g == one })
	for line := range strings.Lines(one.out.String()) {
		var r receipt
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &r) == nil && r.State.Final() {
			c.told = append(c.told, r)
		}
	}
	return one.err == nil
}

// untilBegun waits until a run can be steered.
func (c *clients) untilBegun(host *command) {
	c.Helper()
	for !host.ended() {
		if c.give(patience, "list", study) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.Fatal("the study ended before it could be steered")
}

// untilDone gives a command of an ID until somebody took it.
func (c *clients) untilDone(verb, address string, args ...string) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c.give(patience, verb, address, args...) {
			return
		}
	}
	c.Errorf("%s was not taken in %v", verb, patience)
}

// steer gives the study's runs some commands, one after the other. Every other one is given once more, by one who
// does not know what became of it.
func (c *clients) steer(rng *rand.Rand, who string) {
	for i := range 6 {
		id := []string{"--id", fmt.Sprintf("%s-%d", who, i)}
		most := patience
		var verb string
		var args []string
		switch rng.IntN(6) {
		case 0:
			verb, args = "set", []string{"cfl=+10 %"}
		case 1:
			verb, args = "set", []string{fmt.Sprintf("cfl=%d", 8+rng.IntN(8))}
		case 2:
			verb, args = "set", []string{fmt.Sprintf("cfl=%d", 8+rng.IntN(8)), "--at", fmt.Sprint(1 + rng.IntN(120)),
				"--no-wait"}
		case 3:
			verb, args = "checkpoint", []string{fmt.Sprintf("%s-%d", who, i)}
			most = share(rng, 2*time.Second) // it may wait in a run that is held
		case 4:
			verb, args = "pause", []string{"--attended"}
			most = share(rng, 500*time.Millisecond)
		case 5:
			verb, args = "set", []string{"cfl=9", "max_iterations=+50 %"}
			most = share(rng, 300*time.Millisecond)
		}
		if verb == "set" && most == patience && !slices.Contains(args, "--no-wait") {
			most = time.Second + share(rng, time.Second)
		}
		args = append(args, id...)
		c.give(most, verb, study, args...)
		if verb == "set" && rng.IntN(2) == 0 {
			c.give(share(rng, time.Second), verb, study, args...)
		}
	}
}

// aClient is one of those who steer.
const aClient victim = "a client"

// kill kills somebody, if he is there.
func (c *clients) kill(host *command, v victim, rng *rand.Rand) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var those []int
	switch v {
	case executiveAlone:
		those = []int{host.pid()}
	case executiveGroup:
		those = []int{-host.pid()}
	case aClient:
		for _, g := range c.going {
			those = append(those, g.pid())
		}
	case aSolver, everybody:
		for _, p := range c.processes() {
			if v == everybody || p.role == solver {
				those = append(those, p.pid)
			}
		}
	}
	if len(those) == 0 || host.ended() {
		return
	}
	if v != everybody {
		those = those[:1]
	}
	rng.Shuffle(len(those), func(i, j int) { those[i], those[j] = those[j], those[i] })
	for _, pid := range those {
		_ = syscall.Kill(pid, syscall.SIGKILL) // or it has just ended
	}
}

// account holds that what was told and answered is what was done.
func (c *clients) account() bool {
	c.Helper()
	was := c.Failed()
	folders, err := filepath.Glob(filepath.Join(c.work(), study, "*", plugin.EventsFile))
	if err != nil || len(folders) == 0 {
		c.Fatal("the study has no runs", err)
	}
	type done struct{ id, run string }
	acts := map[done]event.Receipt{}
	for _, file := range folders {
		folder := filepath.Dir(file)
		events, err := event.Read(file)
		if err != nil {
			c.Errorf("%s: %v", file, err)
		}
		var changed []string
		for _, e := range events {
			if e.Act == nil || e.Act.State != event.Applied {
				continue
			}
			d := done{e.Act.ID, filepath.Base(folder)}
			if before, twice := acts[d]; twice {
				c.Errorf("run %s was done %s %s twice, at iterations %d and %d", d.run, e.Act.Verb, d.id,
					before.Iteration, e.Act.Iteration)
			}
			acts[d] = *e.Act
			if e.Act.Changes() {
				changed = append(changed, d.id)
			}
		}
		var end plugin.Ending
		if plugin.ReadFile(folder, plugin.ResultFile, &end) == nil && end.Class == event.Converged {
			var said []string
			for _, a := range end.Steered {
				said = append(said, a.ID)
			}
			if !slices.Equal(said, changed) {
				c.Errorf("run %s was done %v, and its answer says %v", filepath.Base(folder), changed, said)
			}
		}
	}
	for _, r := range c.told {
		a, is := acts[done{r.ID, r.Run}]
		switch {
		case r.Run == "" || r.Verb == steer.Get:
		case r.State == event.Applied && (!is || a.Iteration != r.Iteration):
			c.Errorf("a client was told that %s %s was done to run %s at iteration %d; its events have %+v", r.Verb,
				r.ID, r.Run, r.Iteration, a)
		case r.State != event.Applied && r.State != event.Unconfirmed && is:
			c.Errorf("a client was told that %s %s was %s, and run %s was done it", r.Verb, r.ID, r.State, r.Run)
		}
	}
	c.Logf("%d acts, of %d ends that clients were told", len(acts), len(c.told))
	return c.Failed() == was
}
