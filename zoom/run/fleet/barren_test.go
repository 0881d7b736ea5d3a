package fleet_test

import (
	"context"
	"errors"
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

// await moves a clock by a second at a time until an answer has come, for a day at most.
func await(at *clock.Manual, answer <-chan error) error {
	for began := at.Now(); clock.Since(at, began) < 24*time.Hour; at.Advance(time.Second) {
		select {
		case err := <-answer:
			return err
		case <-time.After(100 * time.Microsecond): // for the fleet to act
		}
	}
	return errors.New("no answer in a day")
}

// Where all blocks end at once, again and again, the study ends and says so.
func TestBlocksThatEndAtOnce(t *testing.T) {
	engine := &barren{}
	at := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	f := fleet.New(t.TempDir(), fleet.Config{
		Hosts: &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, Relay: []string{"relay"}, Clock: at,
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return engine, nil },
	})
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
