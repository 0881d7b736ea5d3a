package play

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// dialogue is a message that its receiver awaits for two seconds, from 10 s.
var dialogue = []trace.Record{
	{Time: 10, Process: "a", Kind: trace.Enter, Name: "main"},
	{Time: 10, Process: "b", Kind: trace.Enter, Name: trace.Receiving, From: "a", To: "b", Type: 7},
	{Time: 12, Process: "a", Kind: trace.Send, From: "a", To: "b", Type: 7, Bytes: 8},
	{Time: 13, Process: "a", Kind: trace.Leave, Name: trace.Sending},
	{Time: 14, Process: "b", Kind: trace.Receive, From: "a", To: "b", Type: 7, Bytes: 8},
	{Time: 14, Process: "b", Kind: trace.Count, Values: map[string]any{"load": 0.5}},
	{Time: 16, Process: "a", Kind: trace.Leave, Name: "main"},
}

func player(c clock.Clock, records []trace.Record) *Player {
	p := New(c)
	for i := range records {
		p.Add(&records[i])
	}
	return p
}

var start = time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)

// States are those at the player's time: a receive is blocked until its send begins.
func TestStates(t *testing.T) {
	p := player(clock.NewManual(start), dialogue)
	p.Close()
	for _, c := range []struct {
		time     float64
		a, b     Process
		underWay int
	}{
		{9, Process{Activity: trace.Absent}, Process{Activity: trace.Absent}, 0},
		{11, Process{Activity: trace.Busy, Region: "main", Since: 10, Records: 1},
			Process{Activity: trace.Blocked, Region: "receive", Since: 10, Records: 1, On: "a"}, 0},
		{12.5, Process{Activity: trace.Overhead, Region: "send", Since: 12, Records: 2},
			Process{Activity: trace.Overhead, Region: "receive", Since: 10, Records: 1, Queue: 1}, 1},
		{15, Process{Activity: trace.Busy, Region: "main", Since: 13, Records: 3}, Process{Activity: trace.Absent,
			Since: 14, Records: 3, Values: map[string]any{"load": 0.5}}, 0},
		{11, Process{Activity: trace.Busy, Region: "main", Since: 10, Records: 1},
			Process{Activity: trace.Blocked, Region: "receive", Since: 10, Records: 1, On: "a"}, 0},
	} {
		p.UntilTime(c.time)
		s := p.State()
		want := map[string]Process{"a": c.a, "b": c.b}
		if c.time < 10 { // the first records are at 10
			p.Reset()
			s = p.State()
		}
		if d := cmp.Diff(want, s.Processes); d != "" || s.UnderWay != c.underWay {
			t.Errorf("at %v s, %d messages under way: %s", c.time, s.UnderWay, d)
		}
	}
}

// A player goes by its clock and speed, waits at the end of a trace that grows, and stops at the end of one that is
// closed. What comes while it has stopped is taken.
func TestGo(t *testing.T) {
	c := clock.NewManual(start)
	p := player(c, dialogue[:3])
	must.OK(t, p.SetSpeed(2))
	p.Go()
	c.Advance(500 * time.Millisecond)
	expect := func(time float64, passed, records int, going bool) {
		t.Helper()
		s := p.State()
		if s.Time != time || s.Passed != passed || s.Records != records || s.Going != going {
			t.Errorf("time %v, %d of %d records, going %v", s.Time, s.Passed, s.Records, s.Going)
		}
	}
	expect(11, 2, 3, true)
	c.Advance(time.Hour)
	expect(12, 3, 3, true)
	p.Stop()
	for i := range dialogue[3:] {
		p.Add(&dialogue[3+i])
	}
	c.Advance(time.Hour)
	expect(12, 3, 7, false)
	p.Go()
	c.Advance(time.Second)
	expect(14, 6, 7, true)
	if left := p.Left(); left != time.Second {
		t.Errorf("%v left", left)
	}
	p.Close()
	c.Advance(time.Second)
	expect(16, 7, 7, false)
	p.Step(-2)
	expect(14, 5, 7, false)
	p.Step(1)
	expect(14, 6, 7, false)
	p.Step(math.MaxInt)
	expect(16, 7, 7, false)
	p.Step(-math.MaxInt)
	expect(10, 0, 7, false)
	if !p.Until(func(r *trace.Record) bool { return r.Kind == trace.Count }) {
		t.Error("no count")
	}
	expect(14, 6, 7, false)
	if p.Until(func(r *trace.Record) bool { return r.Kind == trace.Count }) {
		t.Error("a second count")
	}
	expect(16, 7, 7, false)
	p.Reset()
	expect(10, 0, 7, false)
	must.Equal(t, 1.0, p.State().Speed)
	for _, x := range []float64{0, -1} {
		if err := p.SetSpeed(x); err == nil {
			t.Errorf("speed %v was taken", x)
		}
	}
}

// A record that comes late passes in the order of arrival, and is counted.
func TestLate(t *testing.T) {
	p := player(clock.NewManual(start), []trace.Record{{Time: 2, Process: "a"}, {Time: 1, Process: "a", Measured: 1}})
	p.Step(2)
	if s := p.State(); s.Late != 1 || s.Time != 2 || s.Last.Measured != 1 {
		t.Errorf("%+v", s)
	}
}

// program makes records of processes that start others, and send to each other; some messages never arrive.
func program(n, processes int, random func(int) int) []trace.Record {
	list := make([]trace.Record, 0, n)
	names := make([]string, processes)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	for i := 0; len(list) < n; i++ {
		me, other := names[random(processes)], names[random(processes)]
		r := trace.Record{Time: float64(i) * 1e-3, Process: me, Seq: uint64(i)}
		switch random(8) {
		case 0, 1:
			r.Kind, r.From, r.To, r.Bytes = trace.Send, me, other, 8
		case 2:
			r.Kind, r.Name = trace.Leave, trace.Sending
		case 3, 4:
			r.Kind, r.From, r.To = trace.Receive, other, me
		case 5:
			r.Kind, r.Name, r.From, r.To = trace.Enter, trace.Receiving, other, me
		case 6:
			r.Kind, r.Name = trace.Enter, "main"
		case 7:
			r.Kind, r.Name = trace.Leave, "main"
		}
		list = append(list, r)
	}
	return list
}

// Every place is reached with the state that it has for a player that passes record by record.
func TestEveryPlace(t *testing.T) {
	n := 3*between + 1000
	random := rand.New(rand.NewPCG(1, 2))
	list := program(n, 5, random.IntN)
	p := player(clock.NewManual(start), list)
	if len(p.saved) < 3 {
		t.Fatalf("%d snapshots", len(p.saved))
	}
	testenv.Check(t, func(t *rapid.T) {
		place := rapid.IntRange(0, n).Draw(t, "place")
		plain := newMachine()
		for plain.passed < place {
			plain.pass(p.store)
		}
		p.Step(place - p.now.passed)
		got := p.State()
		p.now = plain
		if d := cmp.Diff(p.State(), got); d != "" {
			t.Error(d)
		}
	})
}

// A core that a study's jobs wait for has the runs that hold it, and a lock none; the part around a time holds it.
func TestWaits(t *testing.T) {
	queued := func(at float64, process, what string) trace.Record {
		return trace.Record{Time: at, Process: process, Kind: trace.Enter, Name: trace.Queued,
			Values: map[string]any{trace.WaitsFor: what}}
	}
	p := player(clock.NewManual(start), []trace.Record{
		{Time: 1, Process: "a", Kind: trace.Enter, Name: trace.InRun}, queued(2, "d", "core"), queued(3, "b", "core"),
		queued(4, "c", "lock"), {Time: 5, Process: "e", Kind: trace.Enter, Name: trace.Barrier},
		{Time: 6, Process: "a", Kind: trace.Leave, Name: trace.InRun},
	})
	p.UntilTime(5)
	want := []Wait{{"core", []string{"a"}, []string{"b", "d"}, 2}, {"lock", []string{}, []string{"c"}, 4},
		{"barrier", []string{}, []string{"e"}, 5}}
	if d := cmp.Diff(want, p.State().Waits); d != "" {
		t.Error(d)
	}
	p.Step(1)
	if w := p.State().Waits[0]; len(w.Holders) != 0 {
		t.Errorf("held by a run that has ended: %+v", w)
	}
	for n := range 7 {
		p.Step(n - p.State().Passed)
		at := p.State().Time
		if from, to := p.Around(4); from > at || to < at || to-from > 4 {
			t.Errorf("around %v: %v to %v", at, from, to)
		}
	}
	if from, to := p.Around(100); from != 1 || to != 6 {
		t.Errorf("the whole is from %v to %v", from, to)
	}
}

// A state that grows without end has few snapshots: together they hold less than a few times the records.
func TestSnapshotsStaySmall(t *testing.T) {
	p := New(clock.NewManual(start))
	for i := range 6 * between {
		p.Add(&trace.Record{Time: float64(i), Process: "a", Kind: trace.Send, From: "a", To: "b"})
	}
	held := 0
	for _, m := range p.saved {
		held += m.size()
	}
	if n := p.store.size; held > 4*n || len(p.saved) < 2 {
		t.Errorf("%d things in %d snapshots of %d records", held, len(p.saved), n)
	}
}
