// Package providertest tests a provider of blocks against package provider, with any engine.
package providertest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Subject is a provider under test. Its nodes see the files of this machine.
type Subject struct {
	// Open returns another provider of the same engine at each call. The provider queries the engine at each call.
	Open func(t *testing.T) provider.Provider

	Nodes   int    // of a block
	Room    int    // number of blocks of Nodes nodes that run at a time, after which the next block waits; 0: no limit
	Unknown string // a possible ID that the engine has not given
}

// Quick is a clock that runs faster from now on, so that a test need not wait ten seconds for each query of an engine.
type Quick struct {
	clock.Clock
	begun time.Time
}

// NewQuick returns such a clock.
func NewQuick() Quick { return Quick{clock.Real, clock.Real.Now()} }

// Now is fifty times as far from the clock's beginning.
func (q Quick) Now() time.Time { return q.begun.Add(50 * clock.Since(clock.Real, q.begun)) }

const (
	within = 2 * time.Minute // time in which an engine does the accepted work
	pause  = 100 * time.Millisecond
)

// Conform tests a provider. It takes as long as its engine needs to start and end four blocks.
func Conform(t *testing.T, s Subject) {
	t.Run("life", s.life)
	t.Run("waiting", s.waiting)
	t.Run("ended context", s.endedContext)
}

// life follows two blocks from their submission to their end, one by Cancel, one by itself.
func (s Subject) life(t *testing.T) {
	t.Setenv("PEREGRINE_PLUGIN_KEY", "nobody's business")
	p := s.open(t)
	study := strings.Repeat("s-t.u_D9", 7) + "long" // 60 characters
	probe := newProbe(t)
	ids, err := p.Submit(t.Context(), s.request(probe, study), 2)
	if err != nil || len(ids) != 2 || ids[0] == ids[1] {
		t.Fatalf("two blocks: %q, %v", ids, err)
	}
	slices.Sort(ids)
	for _, id := range ids {
		state := awaitPhase(t, p, study, id, provider.Running)
		probe.check(t, state, s.Nodes)
	}
	other := s.open(t)
	if found := listed(t, other, study); !slices.Equal(slices.Sorted(maps.Keys(found)), ids) {
		t.Errorf("another provider lists %v, want %q", found, ids)
	}
	if found := listed(t, other, study[:59]); len(found) != 0 {
		t.Errorf("of another study it lists %v", found)
	}
	if err := p.Cancel(t.Context(), s.Unknown); err != nil {
		t.Errorf("an unknown block: %v", err)
	}
	for i, canceller := range []provider.Provider{other, other, p} {
		if err := canceller.Cancel(t.Context(), ids[0]); err != nil {
			t.Errorf("call %d to cancel: %v", i+1, err)
		}
	}
	awaitPhase(t, p, study, ids[0], provider.Ended)
	probe.awaitEnd(t, ids[0])
	if state := listed(t, p, study)[ids[1]]; state.Phase != provider.Running ||
		len(probe.living(t, ids[1])) != s.Nodes {
		t.Errorf("the block that nobody cancelled is %+v", state)
	}
	probe.end(t)
	awaitPhase(t, p, study, ids[1], provider.Ended)
	awaitPhase(t, other, study, ids[1], provider.Ended)
	if n := len(probe.runs(t, ids[1])); n != s.Nodes {
		t.Errorf("the command ran %d times on %d nodes", n, s.Nodes)
	}
}

// waiting cancels a waiting block: it is never started.
func (s Subject) waiting(t *testing.T) {
	if s.Room == 0 {
		testenv.NotHere(t, "the provider starts every block at once")
	}
	p, probe := s.open(t), newProbe(t)
	ids, err := p.Submit(t.Context(), s.request(probe, "queue"), s.Room+1)
	if err != nil {
		t.Fatal(err)
	}
	var last string
	await(t, fmt.Sprintf("%d of %d blocks that run", s.Room, s.Room+1), func() (any, bool) {
		states := listed(t, p, "queue")
		running := 0
		for _, id := range ids {
			switch states[id].Phase {
			case provider.Running:
				running++
			case provider.Waiting:
				last = id
			}
		}
		return states, running == s.Room && last != ""
	})
	if err := p.Cancel(t.Context(), last); err != nil {
		t.Error(err)
	}
	awaitPhase(t, p, "queue", last, provider.Ended)
	probe.end(t)
	for _, id := range ids {
		awaitPhase(t, p, "queue", id, provider.Ended)
	}
	if n := len(probe.runs(t, last)); n > 0 {
		t.Errorf("the block that was cancelled while it waited ran %d commands", n)
	}
}

// endedContext calls with a context that has ended: the calls have no effect and return an error.
func (s Subject) endedContext(t *testing.T) {
	p, probe := s.open(t), newProbe(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ids, err := p.Submit(ctx, s.request(probe, "late"), 1); err == nil || len(ids) > 0 {
		t.Errorf("Submit: %q, %v", ids, err)
	}
	if states, err := p.List(ctx, "late"); err == nil {
		t.Errorf("List: %v", states)
	}
	if err := p.Cancel(ctx, s.Unknown); err == nil {
		t.Error("Cancel: no error")
	}
	if states := listed(t, p, "late"); len(states) > 0 {
		t.Errorf("blocks %v", states)
	}
}

// open opens a provider until the test ends.
func (s Subject) open(t *testing.T) provider.Provider {
	p := s.Open(t)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// request requests blocks that start a probe, in a folder whose path is as awkward as a user's may be.
func (s Subject) request(p *probe, study string) provider.Request {
	return provider.Request{Study: study, Nodes: s.Nodes, Cores: 1, Command: p.command(), Folder: p.folder,
		There: p.folder}
}

// listed returns the blocks of a study by ID. They must be in order.
func listed(t *testing.T, p provider.Provider, study string) map[string]provider.State {
	t.Helper()
	states, err := p.List(t.Context(), study)
	if err != nil {
		t.Fatal(err)
	}
	found, last := map[string]provider.State{}, ""
	for _, s := range states {
		if s.ID <= last {
			t.Errorf("block %s is listed behind %s", s.ID, last)
		}
		found[s.ID], last = s, s.ID
	}
	return found
}

// awaitPhase waits until a block is in a phase. A block that is not listed has ended.
func awaitPhase(t *testing.T, p provider.Provider, study, id string, want provider.Phase) (s provider.State) {
	t.Helper()
	await(t, fmt.Sprintf("block %s %s", id, want), func() (any, bool) {
		var there bool
		if s, there = listed(t, p, study)[id]; !there {
			s.Phase = provider.Ended
		}
		if s.Phase == provider.Stuck && want != provider.Stuck {
			t.Fatalf("block %s is stuck: %s", id, s.Reason)
		}
		if s.Phase == provider.Ended && want != provider.Ended {
			t.Fatalf("block %s has ended, want %s: %+v", id, want, s)
		}
		return s, s.Phase == want
	})
	return s
}

// await waits for a condition, which also returns the present state.
func await(t *testing.T, what string, is func() (have any, reached bool)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for {
		have, reached := is()
		if reached {
			return
		}
		if clock.Sleep(ctx, clock.Real, pause) != nil {
			t.Fatalf("no %s within %v: %+v", what, within, have)
		}
	}
}

// newProbe makes the files of a probe.
func newProbe(t *testing.T) *probe {
	t.Helper()
	p := &probe{folder: filepath.Join(t.TempDir(), `a folder, "quoted" & 'so' $HOME %j`), out: t.TempDir()}
	p.script = filepath.Join(p.out, "probe.sh")
	err := os.Mkdir(p.folder, 0o700)
	if err == nil {
		err = os.WriteFile(p.script, []byte(probeText), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.end(t) }) // blocks end with the test, even if it fails
	return p
}
