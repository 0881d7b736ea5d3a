package trace

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// parse makes records from lines: time, process, kind, name=, from=, to=, type=, bytes=, count=.
func parse(t *testing.T, text string) (list []Record) {
	t.Helper()
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		r := Record{Process: words[1], Kind: Kind(words[2])}
		scan := func(word string, into any) {
			if _, err := fmt.Sscan(word, into); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		scan(words[0], &r.Time)
		for _, w := range words[3:] {
			key, value, _ := strings.Cut(w, "=")
			scan(value, map[string]any{
				"name": &r.Name, "from": &r.From, "to": &r.To, "type": &r.Type, "bytes": &r.Bytes, "count": &r.Count,
			}[key])
		}
		list = append(list, r)
	}
	return list
}

func close(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// A receive is blocked until its send begins, then overhead; a send is overhead. The states fill the process' time.
func TestStates(t *testing.T) {
	s := Analyse(parse(t, `
		0  0 enter name=main
		0  1 enter name=main
		1  1 enter name=receive from=0 to=1 type=7
		4  0 send from=0 to=1 type=7 bytes=100
		5  0 leave name=send
		6  1 receive from=0 to=1 type=7 bytes=100
		7  1 enter name=idle
		8  1 leave name=idle
		8  1 enter name=trace
		8.5 1 leave name=trace
		9  0 leave name=main
		10 1 leave name=main
	`), nil)
	want := map[string]Process{
		"0": {Busy: 8, Overhead: 1},
		"1": {
			Busy: 3.5, Overhead: 2, Idle: 1, Blocked: 3, Perturbed: 0.5, Waits: Waits{1, 3, 3}, Queue: Queue{0.2, 1},
		},
	}
	for name, p := range want {
		got := *s.Processes[name]
		if !close(got.Busy, p.Busy) || !close(got.Overhead, p.Overhead) || !close(got.Idle, p.Idle) ||
			!close(got.Blocked, p.Blocked) || !close(got.Perturbed, p.Perturbed) || got.Waits != p.Waits ||
			!close(got.Queue.Mean, p.Queue.Mean) || got.Queue.Most != p.Queue.Most {
			t.Errorf("process %s: got %+v, want %+v", name, got, p)
		}
	}
	if s.Span != 10 || s.State != Terminated || len(s.Messages) != 1 || s.Messages[0] != (Message{"0", "1", 7, 100, 4,
		6}) ||
		s.Pairs["0>1"] != (Pair{1, 100}) || s.Unpaired != (Unpaired{}) {
		t.Errorf("got %+v", s)
	}
}

// The intervals of a process follow each other without gaps.
func TestIntervals(t *testing.T) {
	s := Analyse(parse(t, `
		0 0 enter name=main
		1 0 enter name=receive from=1 to=0
		2 0 enter name=trace
		3 0 leave name=trace
		6 1 send from=1 to=0
		7 0 receive from=1 to=0
		9 0 leave name=main
	`), nil)
	want := []Interval{
		{0, 1, Busy, "main"}, {1, 2, Blocked, "receive"}, {2, 3, Perturbed, "trace"}, {3, 6, Blocked, "receive"},
		{6, 7, Overhead, "receive"}, {7, 9, Busy, "main"},
	}
	if got := s.Intervals["0"]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Messages pair by sender, receiver, type and count; the rest is counted.
func TestPairing(t *testing.T) {
	s := Analyse(parse(t, `
		1 a send from=a to=b type=1 bytes=10 count=2
		2 a send from=a to=b type=1 bytes=20 count=1
		3 a send from=a to=b type=2 bytes=30
		4 a send from=a to=b type=2 bytes=40
		5 b receive from=a to=b type=1 count=1
		6 b receive from=a to=b type=2
		7 b receive from=c to=b type=2
		8 b receive from=a to=b type=1 count=-1
		9 a send from=a to=b type=1 count=-1
	`), nil)
	if s.Unpaired != (Unpaired{Sends: 3, Receives: 2}) || s.Pairs["a>b"] != (Pair{2, 50}) || len(s.Messages) != 2 ||
		s.Messages[0].Received != 5 || s.Messages[1].Bytes != 30 {
		t.Errorf("got %+v", s)
	}
	if q := s.Processes["b"].Queue; q.Most != 2 || !close(q.Mean, 6.0/8) {
		t.Errorf("queue: got %+v", q)
	}
}

func TestState(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		want        State
	}{
		{"empty", "", Inactive},
		{"ended", "0 a enter name=main\n1 a leave name=main", Terminated},
		{"in a region", "0 a enter name=main", Running},
		{"two wait for each other", "0 a enter name=receive from=b\n0 b enter name=receive from=a", Deadlock},
		{"three in a circle, one aside", `
			0 a enter name=receive from=b
			0 b enter name=receive from=c
			0 c enter name=receive from=a
			0 d enter name=main`, Deadlock},
		{"waits for one that has ended", "0 a enter name=main\n1 b enter name=receive from=a\n2 a leave name=main",
			Abnormal},
		{"any of several, one of which runs", `
			0 a enter name=receive
			0 b enter name=receive from=a
			0 c enter name=main`, Running},
		{"any of several, none of which can move", "0 a enter name=receive\n0 b enter name=receive", Deadlock},
		{"any of several, one of which waits for it", `
			0 a enter name=receive
			0 b enter name=receive from=a
			0 c enter name=main
			1 c leave name=main`, Deadlock},
		{"any, all of which have ended", "0 a enter name=receive\n0 c enter name=main\n1 c leave name=main", Abnormal},
		{"its message was sent", `
			0 a enter name=receive from=b
			1 b send from=b to=a
			2 b leave name=send
			3 b enter name=receive from=a`, Running},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Analyse(parse(t, c.trace), nil).State; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A receive that has not ended is blocked until its send.
func TestOpenReceive(t *testing.T) {
	s := Analyse(parse(t, `
		0 a enter name=receive from=b type=-1
		4 b send from=b to=a type=3
		5 b leave name=send
		9 b enter name=main
	`), nil)
	if a := s.Processes["a"]; !close(a.Blocked, 4) || !close(a.Overhead, 5) {
		t.Errorf("got %+v", a)
	}
	list := Analyse(parse(t, "0 a call from=b\n1 a call from=b\n2 a call from=b\n3 a receive from=b to=a"), nil).Open
	if len(list) != 2 || list[0].Called != 1 || list[1].Called != 2 {
		t.Errorf("open: %+v", list)
	}
}

// Losses that the trace states are counted.
func TestLost(t *testing.T) {
	if s := Analyse([]Record{{Kind: Lost, Count: 3}, {Kind: Lost, Count: 4}}, nil); s.Lost != 7 ||
		len(s.Processes) != 0 {
		t.Errorf("got %+v", s)
	}
}
