package plugin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// caller is a host's side of a run's stream: all that it got. It dies with its context.
type caller struct {
	grpc.ServerStream
	ctx context.Context
	got []string
}

func (c *caller) Context() context.Context { return c.ctx }

func (c *caller) Send(r *pb.RunReply) error {
	if c.ctx.Err() != nil {
		return errors.New("the host is dead")
	}
	if o := r.GetOutcome(); o != nil {
		c.got = append(c.got, "outcome "+decodeResult(o).Message)
		return nil
	}
	c.got = append(c.got, fmt.Sprint(r.GetEvent().GetSeq()))
	return nil
}

// stepper is a solver that reports an iteration a second, ten in all.
type stepper struct{}

func (stepper) Describe() Description { return Description{Name: "stepper", Version: "1"} }

func (stepper) Run(ctx context.Context, _ Request, emit func(event.Event)) (Result, error) {
	for range 10 {
		if clock.Sleep(ctx, clock.Real, time.Second) != nil {
			return Result{Class: event.Killed, Message: context.Cause(ctx).Error()}, nil
		}
		emit(event.Event{Kind: event.Iteration})
	}
	return Result{Class: event.Converged, Message: "all"}, nil
}

// dying is a host's connection that ends after a time; 0: never. It holds the lease of a server until then.
func dying(t *testing.T, s *server, after time.Duration, by Terms) *caller {
	ctx, die := context.WithCancel(t.Context())
	t.Cleanup(die)
	end := s.tenancy.open(by)
	if after > 0 {
		time.AfterFunc(after, func() { die(); end() })
	}
	return &caller{ctx: ctx}
}

// A run whose host dies goes on, and the next host gets the events since and the outcome: also of a run that has ended
// meanwhile, and by a host whose lease is there before the end of the first one was noticed. Without another host the
// run stops, and leaves its events and its result in its folder.
func TestRunWaitsForAnotherHost(t *testing.T) {
	for name, c := range map[string]struct {
		dies, comes time.Duration // after the start
		seen        int64         // by the first host, as its files say
		second      []string
		left        event.Class // in the folder
	}{
		"while it goes on": {3500 * time.Millisecond, 6500 * time.Millisecond, 2,
			[]string{"3", "4", "5", "6", "7", "8", "9", "10", "outcome all"}, ""},
		"after its end": {8500 * time.Millisecond, 15 * time.Second, 8, []string{"9", "10", "outcome all"}, ""},
		"after its outcome is sent": {
			11500 * time.Millisecond, 15 * time.Second, 8, []string{"9", "10", "outcome all"}, "",
		},
		"before its end is seen": {0, 3500 * time.Millisecond, 3,
			[]string{"4", "5", "6", "7", "8", "9", "10", "outcome all"}, ""},
		"too late": {1500 * time.Millisecond, 30 * time.Second, 1, nil, event.Killed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := must.Value(newServer(stepper{}))(t)
				wait := 10 * time.Second
				if c.left != "" {
					wait = 5 * time.Second
				}
				folder := t.TempDir()
				request := &pb.RunRequest{Study: "s", Run: "r", Folder: folder}
				first := dying(t, s, c.dies, Terms{Wait: wait, Grace: time.Minute})
				go func() { _ = s.Run(request, first) }()
				time.Sleep(c.comes)
				second := dying(t, s, 0, Terms{Wait: wait})
				err := s.Run(&pb.RunRequest{Run: "r", Attach: true, Seen: c.seen}, second)
				if (err == nil) != (c.left == "") || !slices.Equal(second.got, c.second) {
					t.Errorf("the second host gets %q, %v", second.got, err)
				}
				if s.Run(&pb.RunRequest{Run: "other", Attach: true}, dying(t, s, 0, Terms{})) == nil {
					t.Error("a run that was never there is attached to")
				}
				var end Ending
				if err := ReadFile(folder, ResultFile, &end); (err == nil) != (c.left != "") || end.Class != c.left {
					t.Errorf("in its folder is %+v, %v", end, err)
				}
				if events, _ := event.Read(filepath.Join(folder, EventsFile)); c.left != "" &&
					(len(events) != 6 || events[0].Seq != 2 || events[5].Kind != event.Ended) {
					t.Errorf("in its folder are %+v", events)
				}
			})
		})
	}
}
