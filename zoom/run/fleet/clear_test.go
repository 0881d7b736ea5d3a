package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/run/fleet"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
)

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

// A host that finds all answers in the cache needs no node. What a killed one left of the study goes all the same: its blocks, also those in
// the engine's queue, and the files by which relays find it.
func TestStudyThatNeedsNoNode(t *testing.T) {
	study := t.TempDir()
	for _, name := range []string{"home.json", ".host-lives"} {
		must.OK(t, os.WriteFile(filepath.Join(study, name), []byte("{}"), 0o600))
	}
	blocks := queued{ids: []string{"12_0", "12_1"}}
	f := fleet.New(study, fleet.Config{
		Hosts: &hosts.Launcher{Name: "test"},
		Open:  func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return &blocks, nil },
	})
	noError(t, f.Close())
	if len(blocks.ids) > 0 {
		t.Errorf("blocks that go on: %v", blocks.ids)
	}
	if left, err := os.ReadDir(study); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
