package virtual

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

// script is a program of fixed steps by processor.
type script [][]Step

func (s script) Next(p int) (Step, bool) {
	if len(s[p]) == 0 {
		return Step{}, false
	}
	step := s[p][0]
	s[p] = s[p][1:]
	return step, true
}

func compute(time float64) Step            { return Step{Kind: Compute, Time: time} }
func send(to int32, bytes int64) Step      { return Step{Kind: Send, Peer: to, Bytes: bytes} }
func receive(from int32) Step              { return Step{Kind: Receive, Peer: from} }
func join(group int32, members int64) Step { return Step{Kind: Join, Peer: group, Bytes: members} }
func line(t *testing.T, text string) *network.Graph {
	t.Helper()
	g, err := network.Read(strings.NewReader(text), 3)
	must.OK(t, err)
	return g
}

// row is three processors in a row, with 1 B/s each way.
const row = "3\n0 1 1 -1\n1 0 1 2 1 -1\n2 1 1 -1\n"

// A link that is free from 3 to 6 takes a message of length 3 that comes at 2 from 3 to 6; its next link begins at 6.
func TestMessageTakesTheEarliestGap(t *testing.T) {
	t.Parallel()
	b := busy{list: []span{{0, 3}, {6, 9}}}
	if at := b.take(2, 2, 3); at != 3 {
		t.Errorf("begins at %v, want 3", at)
	}
	if !slices.Equal(b.list, []span{{0, 9}}) {
		t.Errorf("taken %v, want all to 9", b.list)
	}
	b = busy{list: []span{{0, 3}, {6, 9}}}
	if at := b.take(2, 2, 4); at != 9 {
		t.Errorf("a message of 4 begins at %v, want 9", at)
	}
	if at := b.take(2, 2, 1); at != 3 {
		t.Errorf("a message of 1 begins at %v, want 3", at)
	}
}

// A message is stored and forwarded, and waits for a link that another one has.
// A message of no bytes passes a link between two messages that touch, in whatever order these came.
func TestEmptyMessagePassesBetweenOthers(t *testing.T) {
	b := busy{}
	for _, from := range []float64{0, 6, 3, 9} { // the third fills the gap
		if at := b.take(0, from, 3); at != from {
			t.Fatalf("a free link from %v: %v", from, at)
		}
	}
	for from, want := range map[float64]float64{0: 0, 1: 3, 3: 3, 4: 6, 7: 9, 9: 9, 10: 12, 12: 12} {
		if at := b.take(0, from, 0); at != want {
			t.Errorf("from %v it begins at %v, want %v", from, at, want)
		}
	}
	for i := range 1000 {
		if at := b.take(float64(3*i), float64(12+3*i), 3); at != float64(12+3*i) || len(b.joints) > 80 {
			t.Fatalf("message %d begins at %v; %d touches are kept", i, at, len(b.joints))
		}
	}
}

func TestExclusiveLinks(t *testing.T) {
	t.Parallel()
	m := &Machine{Processors: 3, Model: Exclusive, Network: line(t, row)}
	out, err := Run(t.Context(), m, script{{send(2, 3)}, {compute(1), send(2, 4)}, {receive(0), receive(1)}}, nil)
	must.OK(t, err)
	// 0>2: link 0>1 from 0 to 3, link 1>2 from 3 to 6. 1>2 comes at 1 and does not fit before 3.
	if out.End != 10 {
		t.Errorf("ends at %v s, want 10 s", out.End)
	}
	// A message of length 2 that comes at 1 fits before the other, although it claims the link later.
	out, err = Run(t.Context(), m, script{{send(2, 3)}, {compute(1), send(2, 2)}, {receive(1), receive(0)}}, nil)
	must.OK(t, err)
	if out.End != 6 || out.Clocks[2] != 6 {
		t.Errorf("ends at %v s, want 6 s", out.End)
	}
}

// Of messages of one time the lowest sender's is first, then its earlier one, however the processors came there.
func TestTiesGoToTheLowestSender(t *testing.T) {
	t.Parallel()
	m := &Machine{Processors: 3, Model: Exclusive, Network: line(t,
		"4\n0 3 1 -1\n1 3 1 -1\n2 3 1 -1\n3 0 1 1 1 2 1 -1\n")}
	out, err := Run(t.Context(), m, script{{compute(2), send(2, 5)}, {compute(1), compute(1), send(2, 7)},
		{receive(0), compute(0.5), receive(1)}}, nil)
	must.OK(t, err)
	if out.End != 19 { // 0's crosses 3>2 from 7 to 12, 1's from 12 to 19; else from 9 to 16, and 0's from 16 to 21
		t.Errorf("ends at %v s, want 19 s", out.End)
	}
}

// A busy receiver receives when it is free: its clock is not set back to the time of arrival.
func TestReceiveDoesNotSetTheClockBack(t *testing.T) {
	t.Parallel()
	m := &Machine{Processors: 2, Model: Fixed, Transport: 1, Send: Time{Fixed: 0.5}, Receive: Time{PerByte: 2}}
	out, err := Run(t.Context(), m, script{{send(1, 3)}, {compute(10), receive(0)}}, nil)
	must.OK(t, err)
	if want := (Usage{Busy: 10, Overhead: 6}); out.Processors[1] != want || out.Clocks[1] != 16 {
		t.Errorf("%+v, clock %v; want %+v, 16 s", out.Processors[1], out.Clocks[1], want)
	}
	if out.Clocks[0] != 0.5 {
		t.Errorf("the sender's clock is %v s, want 0.5 s", out.Clocks[0])
	}
}

// Flows share a link in equal parts, and get more when others have ended.
func TestSharedLinksAreMaxMinFair(t *testing.T) {
	t.Parallel()
	m := &Machine{Processors: 3, Model: Shared, Network: line(t, row)}
	// On link 1>2 both have 1/2 B/s: 1>2 ends at 4 with 2 B; 0>2 has then 1 B left, at 1 B/s.
	out, err := Run(t.Context(), m, script{{send(2, 3)}, {send(2, 2)}, {receive(1), join(1, 1), receive(0)}}, nil)
	must.OK(t, err)
	if out.End != 5 || out.Clocks[2] != 5 {
		t.Errorf("ends at %v s, want 5 s", out.End)
	}
	out, err = Run(t.Context(), m, script{{send(2, 3)}, {compute(1), send(2, 1)}, {receive(0), receive(1)}}, nil)
	must.OK(t, err)
	if out.End != 4 {
		t.Errorf("ends at %v s, want 4 s", out.End)
	}
}

// The wait for a message that nobody sends is an error, not a hang.
func TestDeadlockIsTold(t *testing.T) {
	t.Parallel()
	m := &Machine{Processors: 2, Model: Fixed}
	_, err := Run(t.Context(), m, script{{receive(1)}, {receive(0)}}, nil)
	must.Fail(t, err, "processor 0 waits for a message of processor 1")
	_, err = Run(t.Context(), m, script{{join(1, 2)}, {}}, nil)
	must.Fail(t, err, "processor 0 waits for a group")
}

// The lines of a trace ascend, and idle times of length 0 are left out.
func TestTraceAscends(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := format.NewPICL(&out, 3)
	m := &Machine{Processors: 3, Model: Fixed, Transport: 2, Send: Time{Fixed: 1}, Receive: Time{Fixed: 1}}
	_, err := Run(t.Context(), m, script{{send(1, 7), join(1, 3)}, {compute(3), receive(0), join(1, 3)},
		{compute(4), join(1, 3)}}, w)
	must.OK(t, err)
	must.OK(t, w.Close())
	must.Equal(t, "-3 -21 0.000 0 -1 3 2 7 1 1\n-4 -21 1.000 0 -1 0\n-3 -601 1.000 0 -1 0\n-3 -51 3.000 1 -1 1 2 1\n"+
		"-4 -51 4.000 1 -1 3 2 7 1 0\n-4 -601 4.000 0 -1 0\n", out.String())
}

// rounds is processors that work and send to a neighbour, round by round.
type rounds struct {
	processors, rounds int
	work               float64
	bytes              int64
	step               []int // by processor
	to                 func(p, round int) int
	from               func(p, round int) int
}

func (r *rounds) Next(p int) (Step, bool) {
	round, part := r.step[p]/3, r.step[p]%3
	if round == r.rounds {
		return Step{}, false
	}
	r.step[p]++
	switch part {
	case 0:
		return compute(r.work), true
	case 1:
		return send(int32(r.to(p, round)), r.bytes), true
	}
	return receive(int32(r.from(p, round))), true
}

// BenchmarkBackbone is 256 nodes on a backbone, 40 rounds of 1 s of work and 1 MB to the neighbour, shared. Goal:
// 0.05 s.
func BenchmarkBackbone(b *testing.B) {
	const n = 256
	g, err := network.Shape{Name: "bus", Processors: n, Bandwidth: 1e9}.Graph()
	must.OK(b, err)
	b.ReportAllocs()
	for b.Loop() {
		p := &rounds{n, 40, 1, 1e6, make([]int, n), func(p, _ int) int { return (p + 1) % n },
			func(p, _ int) int { return (p + n - 1) % n }}
		_, err := Run(b.Context(), &Machine{Processors: n, Model: Shared, Network: g}, p, nil)
		must.OK(b, err)
	}
}

// BenchmarkFatTree is 1,000,000 messages of 1,024 processors over the exclusive links of a fat tree, with a trace.
// Goal: 2 s and 100 MB.
func BenchmarkFatTree(b *testing.B) {
	const n = 1024
	g, err := network.Shape{Name: "fat-tree", Processors: n, Bandwidth: 1e9}.Graph()
	must.OK(b, err)
	b.ReportAllocs()
	for b.Loop() {
		p := &rounds{n, 1_000_000/n + 1, 1e-4, 1e5, make([]int, n),
			func(p, r int) int { return p ^ (r*37%(n-1) + 1) }, func(p, r int) int { return p ^ (r*37%(n-1) + 1) }}
		w := format.NewPICL(io.Discard, 3)
		_, err := Run(b.Context(), &Machine{Processors: n, Model: Exclusive, Network: g, Send: Time{Fixed: 1e-6},
			Receive: Time{Fixed: 1e-6}}, p, w)
		must.OK(b, err)
		must.OK(b, w.Close())
	}
}

// pool gives the next of many runs to the processor that is free.
type pool struct{ left int }

func (p *pool) Next(int) (Step, bool) {
	p.left--
	return compute(1 + float64(p.left%97)/97), p.left >= 0
}

// BenchmarkRuns is 100,000 independent runs over 256 nodes. Goal: 0.1 s.
func BenchmarkRuns(b *testing.B) {
	for b.Loop() {
		out, err := Run(b.Context(), &Machine{Processors: 256, Model: Fixed}, &pool{100_000}, nil)
		must.OK(b, err)
		if out.End < 580 || out.End > 600 {
			b.Fatal(fmt.Sprint("ends at ", out.End, " s"))
		}
	}
}
