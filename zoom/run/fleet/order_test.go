package fleet_test

import (
	"context"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/run/fleet"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
)

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

// A run whose machine was lost goes before those that wait for the first time: the study has waited for it already.
func TestLostRunGoesFirst(t *testing.T) {
	g := gated{newInProcess(t), make(chan struct{})}
	f := fleet.New(t.TempDir(), fleet.Config{
		Hosts: &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, Relay: []string{"relay"},
		Open: func(*hosts.Launcher, clock.Clock) (provider.Provider, error) { return g, nil },
	})
	placed := make(chan string)
	needs := []launch.Need{{Name: "first"}, {Name: "second"}, {Name: "lost", MachineLost: true}}
	for _, need := range needs {
		waits := make(chan struct{}, 1)
		go func() { // ends with its place
			_, release, err := f.Place(t.Context(), need, func(string) {
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
