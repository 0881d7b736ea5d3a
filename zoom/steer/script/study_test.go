package script

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/client"
)

// broken is a run that sends receipts, and fails then.
type broken struct {
	ended bool
	sends []event.State
}

var errBroken = errors.New("broken")

func (b broken) Missing(context.Context) string { return "it has ended" }

func (b broken) Objects(context.Context) ([][]steer.Listed, error) {
	if b.ended {
		return [][]steer.Listed{nil}, nil
	}
	return [][]steer.Listed{{}}, nil
}

func (b broken) Give(_ context.Context, o client.Order, report func(*client.Run, event.Receipt)) error {
	for _, state := range b.sends {
		report(nil, o.Receipt(state, ""))
	}
	return errBroken
}

// A command that fails at a run which has ended is late, unless the run had answered: then nobody knows.
func TestCommandThatFails(t *testing.T) {
	accepted := []event.State{event.Accepted}
	for _, c := range []struct {
		run  broken
		want []event.State
		err  error
	}{
		{broken{}, nil, errBroken},
		{broken{ended: true}, []event.State{event.Late}, nil},
		{broken{sends: accepted}, accepted, errBroken},
		{broken{ended: true, sends: accepted}, accepted, errBroken},
	} {
		var got []event.State
		err := give(t.Context(), c.run, client.Order{}, func(x event.Receipt) { got = append(got, x.State) })
		if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%+v: %v, %v; want %v, %v", c.run, got, err, c.want, c.err)
		}
	}
}
