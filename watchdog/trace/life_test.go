package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A group is busy while one of its processes is; its messages are those of its processes.
func TestGroup(t *testing.T) {
	s := Analyse([]Record{
		{Time: 0, Process: "a", Kind: Enter, Name: Idle},
		{Time: 1, Process: "b", Kind: Enter, Name: "work"},
		{Time: 2, Process: "b", Kind: Leave, Name: "work"},
		{Time: 3, Process: "a", Kind: Leave, Name: Idle},
		{Time: 3, Process: "a", Kind: Send, From: "a", To: "c", Bytes: 8},
		{Time: 4, Process: "c", Kind: Receive, From: "a", To: "c", Bytes: 8},
	}, nil).Group(func(process string) string {
		if process == "c" {
			return "y"
		}
		return "x"
	})
	want := []Interval{{Begin: 0, End: 1, Activity: Waiting}, {Begin: 1, End: 2, Activity: Busy},
		{Begin: 2, End: 3, Activity: Waiting}}
	if d := cmp.Diff(want, s.Intervals["x"]); d != "" {
		t.Error(d)
	}
	if x := s.Processes["x"]; x.Busy != 1 || x.Idle != 2 || len(s.Processes) != 2 {
		t.Errorf("%+v of %d", x, len(s.Processes))
	}
	if p := s.Pairs["x>y"]; p.Count != 1 || p.Bytes != 8 || s.Processes["y"].Queue.Most != 1 {
		t.Errorf("%+v", s)
	}
}

// Threads of one process are processes of their own, between which messages go.
func TestByThread(t *testing.T) {
	s := Analyse(ByThread([]Record{
		{Time: 0, Process: "p", Thread: "2", Kind: Enter, Name: Receiving, From: "p", To: "p"},
		{Time: 1, Process: "p", Thread: "1", Kind: Send, From: "p", To: "p", Bytes: 8},
		{Time: 1, Process: "p", Thread: "1", Kind: Leave, Name: Sending},
		{Time: 2, Process: "p", Thread: "2", Kind: Receive, From: "p", To: "p", Bytes: 8},
	}), nil)
	if p := s.Pairs["p/1>p/2"]; p.Count != 1 || s.Processes["p/2"].Blocked != 1 {
		t.Errorf("%+v, %+v", s.Pairs, s.Processes["p/2"])
	}
}

// A life begins with its fork, and knows who awaited its end.
func TestLives(t *testing.T) {
	s := Analyse([]Record{
		{Time: 1, Process: "a", Kind: Fork, To: "b"},
		{Time: 2, Process: "b", Kind: Marker},
		{Time: 4, Process: "a", Kind: Join, To: "b"},
	}, nil)
	b := s.Lives["b"]
	if b.Begin != 1 || b.End != 2 || b.ForkedBy != "a" || b.JoinedBy != "a" || b.Joined != 4 {
		t.Errorf("%+v", b)
	}
	if a := s.Lives["a"]; a.Rate[0] != 1 || a.Rate[rateParts-1] != 1 {
		t.Errorf("%v", a.Rate)
	}
}
