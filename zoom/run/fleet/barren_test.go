package fleet_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/run/fleet"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
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

// Where all blocks end at once, again and again, the study ends and says how the last one ended. Each block waits longer than the
// one before, so that an engine is not flooded.
func TestBlocksThatEndAtOnce(t *testing.T) {
	engine := &barren{}
	at := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f := fleet.New(t.TempDir(), fleet.Config{
		Hosts: &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, Relay: []string{"relay"}, Clock: at,
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return engine, nil },
	})
	ended := make(chan error, 1)
	go func() {
		_, _, err := f.Place(t.Context(), launch.Need{Name: "r", Cores: 1}, nil)
		ended <- err
	}()
	began := at.Now()
	var err error
	for waiting := true; waiting && clock.Since(at, began) < 24*time.Hour; {
		select {
		case err = <-ended:
			waiting = false
		case <-time.After(100 * time.Microsecond): // for the fleet to act
			at.Advance(time.Second)
		}
	}
	if want := "6 blocks in a row brought no node on which a solver starts; the last one: "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	if len(engine.blocks) != 6 {
		t.Errorf("%d blocks were asked for", len(engine.blocks))
	}
	t.Logf("it gave up after %v", clock.Since(at, began))
	closed := make(chan error, 1)
	go func() { closed <- f.Close() }()
	for waiting := true; waiting; {
		select {
		case err = <-closed:
			waiting = false
		case <-time.After(100 * time.Microsecond):
			at.Advance(time.Second)
		}
	}
	noError(t, err)
}
