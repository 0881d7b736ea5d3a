package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// barren is an engine whose blocks end as soon as they have begun.
type barren struct {
	mu     sync.Mutex
	blocks []provider.State
}

func (b *barren) Submit(context.Context, provider.Request, int) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := fmt.Sprint(len(b.blocks))
	b.blocks = append(b.blocks, provider.State{ID: id, Phase: provider.Ended, Reason: "exit 127"})
	return []string{id}, nil
}

func (b *barren) List(context.Context, string) ([]provider.State, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]provider.State(nil), b.blocks...), nil
}

func (b *barren) Cancel(context.Context, string) error { return nil }
func (b *barren) Close() error                         { return nil }

// await moves a clock by a second at a time until an answer has come, for a minute of this machine's time at most.
func await(at *clock.Manual, answer <-chan error) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); at.Advance(time.Second) {
		select {
		case err := <-answer:
			return err
		case <-time.After(100 * time.Microsecond): // for the fleet to act
		}
	}
	return errors.New("no answer in a minute")
}

// Where all blocks end at once, again and again, the study ends and says so.
func TestBlocksThatEndAtOnce(t *testing.T) {
	engine := &barren{}
	at := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, engine, at)
	ended, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, _, err := f.Place(t.Context(), launch.Need{Name: "r", Cores: 1}, nil)
		ended <- err
	}()
	const want = "6 blocks in a row brought no node on which a solver starts"
	if err := await(at, ended); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	if len(engine.blocks) != 6 {
		t.Errorf("%d blocks were asked for", len(engine.blocks))
	}
	go func() { closed <- f.Close() }()
	noError(t, await(at, closed))
}

// queued has blocks that wait.
type queued struct {
	mu  sync.Mutex
	ids []string
}

func (q *queued) Submit(context.Context, provider.Request, int) ([]string, error) { return nil, nil }

func (q *queued) List(context.Context, string) (list []provider.State, _ error) {
	for _, id := range q.ids {
		list = append(list, provider.State{ID: id, Phase: provider.Waiting})
	}
	return list, nil
}

func (q *queued) Cancel(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ids = slices.DeleteFunc(q.ids, func(other string) bool { return other == id })
	return nil
}

func (q *queued) Close() error { return nil }

// A host that finds all answers in the cache needs no node. What a killed one left of the study goes all the same:
// its blocks, also those in the engine's queue, and the files by which relays find it.
func TestStudyThatNeedsNoNode(t *testing.T) {
	study := t.TempDir()
	for _, name := range []string{"home.json", ".host-lives"} {
		must.OK(t, os.WriteFile(filepath.Join(study, name), []byte("{}"), 0o600))
	}
	blocks := queued{ids: []string{"12_0", "12_1"}}
	f := fleetOf(study, &hosts.Launcher{Name: "test"}, &blocks, nil)
	noError(t, f.Close())
	if len(blocks.ids) > 0 {
		t.Errorf("blocks that go on: %v", blocks.ids)
	}
	if left, err := os.ReadDir(study); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// gated gives no block before a gate is open.
type gated struct {
	*inProcess
	gate chan struct{}
}

func (g gated) Submit(ctx context.Context, r provider.Request, blocks int) ([]string, error) {
	select {
	case <-g.gate:
		return g.inProcess.Submit(ctx, r, blocks)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A task that does not wait is placed only where there is room, and no block is requested for it.
func TestTaskThatDoesNotWait(t *testing.T) {
	engine := newInProcess(t)
	f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 2}, engine, nil)
	now := launch.Need{Name: "now", Now: true}
	place := func(n launch.Need) (func(), error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a busy machine
		defer cancel()
		_, release, err := f.Place(ctx, n, nil)
		return release, err
	}
	if _, err := place(now); !errors.Is(err, launch.ErrNoRoom) {
		t.Errorf("before there is a node: %v", err)
	}
	release := must.Value(place(launch.Need{Name: "first"}))(t)
	if _, err := place(now); !errors.Is(err, launch.ErrNoRoom) {
		t.Errorf("beside a task on the only node: %v", err)
	}
	release()
	must.Value(place(now))(t)()
	noError(t, f.Close())
	if engine.last != 1 {
		t.Errorf("%d blocks were requested", engine.last)
	}
}

// A task that waits beside a task on the only node names the memory or the licence that it lacks.
func TestTaskNamesWhatItLacks(t *testing.T) {
	f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 2, Memory: 4e9, Licences: map[string]int{"cfd": 1},
		Blocks: 1}, newInProcess(t), nil)
	for want, need := range map[string]launch.Need{
		"memory": {Memory: 3e9}, "licence": {Licences: map[string]int{"cfd": 1}}, "node": {Cores: 2},
	} {
		_, release, err := f.Place(t.Context(), need, nil)
		must.OK(t, err)
		lacks, placed := make(chan string, 1), make(chan error)
		go func() { // ends with its place
			_, end, err := f.Place(t.Context(), need, func(what, why string) { lacks <- what + why })
			if err == nil {
				end()
			}
			placed <- err
		}()
		if got := <-lacks; got != want {
			t.Errorf("a task of %+v lacks %s, want %s", need, got, want)
		}
		release()
		must.OK(t, <-placed)
	}
	noError(t, f.Close())
}

// A run whose machine was lost goes before those that wait for the first time: the study has waited for it already.
func TestLostRunGoesFirst(t *testing.T) {
	g := gated{newInProcess(t), make(chan struct{})}
	f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, g, nil)
	placed := make(chan string)
	needs := []launch.Need{{Name: "first"}, {Name: "second"}, {Name: "lost", MachineLost: true}}
	for _, need := range needs {
		waits := make(chan struct{}, 1)
		go func() { // ends with its place
			_, release, err := f.Place(t.Context(), need, func(string, string) {
				select {
				case waits <- struct{}{}:
				default:
				}
			})
			if err != nil {
				t.Error(err)
				close(placed)
				return
			}
			placed <- need.Name
			release()
		}()
		<-waits
	}
	close(g.gate)
	var order []string
	for range needs {
		order = append(order, <-placed)
	}
	if want := []string{"lost", "first", "second"}; !slices.Equal(order, want) {
		t.Errorf("they go in the order %q, want %q", order, want)
	}
	noError(t, f.Close())
}
