package virtual

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

// Time is a time that grows with a number of bytes.
type Time struct {
	Fixed   float64 // s
	PerByte float64 // s/B
}

// Of returns the time of n bytes, s.
func (t Time) Of(n int64) float64 { return t.Fixed + t.PerByte*float64(n) }

// Model is how messages share a network.
type Model string

const (
	Fixed     Model = "fixed"     // each message takes the same time
	Exclusive Model = "exclusive" // store and forward; a link has one message at a time
	Shared    Model = "shared"    // messages flow at once over all links of their routes, and share each fairly
)

// Machine describes a machine.
type Machine struct {
	Processors    int
	Send, Receive Time           // overheads T_SOH and T_ROH
	Model         Model          //
	Transport     float64        // T_transport, s, of model fixed
	Network       *network.Graph // of the other models
}

// Kind is the kind of a step.
type Kind uint8

const (
	Compute Kind = iota // the processor is busy
	Send                // a message to Peer begins
	Receive             // the first message from Peer that was not yet received is received
	Join                // the processor waits until all of a group wait
)

// Step is an action of a processor.
type Step struct {
	Time  float64 // of Compute, s
	Bytes int64   // of a message; of Join the number of the group's processors
	Peer  int32   // other end of a message; of Join the group
	Kind  Kind
}

// Program gives the steps of processors.
type Program interface {
	// Next returns the next step of a processor that has ended its previous one; false: it has none.
	Next(processor int) (Step, bool)
}

// Usage is the use of a processor's time, s. Busy, overhead and idle add up to its clock.
type Usage struct {
	Busy     float64 `json:"busy"`
	Overhead float64 `json:"overhead"`
	Idle     float64 `json:"idle"`
}

// Load is a number of messages, and their bytes.
type Load struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
}

func (l *Load) add(messages, bytes int64) { l.Messages, l.Bytes = l.Messages+messages, l.Bytes+bytes }

// Outcome is the result of a program.
type Outcome struct {
	End        float64   // latest clock, s
	Clocks     []float64 // s, by processor
	Processors []Usage
	Sent       Load
	InFlight   Load // most at a time, from the begin of a send to the end of its receive
}

// message is a message under way.
type message struct {
	from, to int32
	bytes    int64
	next     int32 // next of the same sender and receiver, 0: none
	arrived  bool
}

// processor is the state of a processor.
type processor struct {
	clock  float64
	waits  int32 // message, or -1 for any of peer
	peer   int32
	state  state
	idling bool // the trace has the begin of the wait
}

type state uint8

const (
	running   state = iota
	computing       // until its event
	sending
	receiving
	waiting // for a message of peer
	joining // group peer
	ended
)

// queue is the messages of a sender to a receiver that were not received, in order.
type queue struct{ head, tail int32 }

// group is the processors that have joined.
type group struct{ members []int32 }

// simulation is a run of a program.
type simulation struct {
	m          *Machine
	program    Program
	events     heap
	number     uint32 // of the last event
	now        float64
	processors []processor
	messages   []message // from 1
	free       []int32
	queues     map[uint64]queue
	groups     map[int32]*group
	links      carrier
	via        map[int32][]int32 // links of the messages with a route of their own
	trace      *recorder
	waiters    []int32 // processors that began to wait in this moment
	flight     Load
	out        Outcome
}

// carrier is a network. claim is called in the order of times, with a message that leaves its sender.
type carrier interface {
	claim(s *simulation, id int32)
	// changed is called in phase share.
	changed(s *simulation)
}

func newCarrier(m *Machine) carrier {
	switch m.Model {
	case Exclusive:
		return newExclusive(m.Network)
	case Shared:
		return newShared(m.Network)
	}
	return fixed(m.Transport)
}

// route appends the links of a message's route.
func (s *simulation) route(links []int32, routes *network.Routes, id int32) []int32 {
	if own, ok := s.via[id]; ok {
		return append(links, own...)
	}
	m := &s.messages[id]
	return routes.Append(links, int(m.from), int(m.to))
}

// Run runs a program to its end. The writer of the trace may be nil. It fails if processors wait for each other for
// ever.
func Run(ctx context.Context, m *Machine, p Program, to format.Writer) (*Outcome, error) {
	s := &simulation{
		m: m, program: p, processors: make([]processor, m.Processors), messages: make([]message, 1),
		queues: map[uint64]queue{}, groups: map[int32]*group{},
		out: Outcome{Clocks: make([]float64, m.Processors), Processors: make([]Usage, m.Processors)},
	}
	if to != nil {
		s.trace = newRecorder(to, m.Processors)
	}
	s.links = newCarrier(m)
	for i := range s.processors {
		s.schedule(0, act, int32(i), int32(i))
	}
	for n := 0; len(s.events) > 0; n++ {
		if n%(1<<12) == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		e := s.events.pop()
		if e.at > s.now {
			s.settle()
			s.now = e.at
		}
		s.handle(&e)
	}
	s.settle()
	return s.finish()
}

// settle counts the messages of a moment that is over, and has the trace state the begins of idle times.
func (s *simulation) settle() {
	slices.Sort(s.waiters)
	for _, i := range s.waiters {
		if p := &s.processors[i]; (p.state == waiting || p.state == joining) && p.clock == s.now && !p.idling {
			p.idling = true
			s.trace.region(s.now, i, trace.Enter, trace.Idle)
		}
	}
	s.waiters = s.waiters[:0]
	s.out.InFlight.Messages = max(s.out.InFlight.Messages, s.flight.Messages)
	s.out.InFlight.Bytes = max(s.out.InFlight.Bytes, s.flight.Bytes)
}

func (s *simulation) finish() (*Outcome, error) {
	for i := range s.processors {
		p := &s.processors[i]
		switch p.state {
		case waiting:
			return nil, fmt.Errorf("processor %d waits for a message of processor %d that nobody sends", i, p.peer)
		case joining:
			return nil, fmt.Errorf("processor %d waits for a group of processors that is never complete", i)
		}
		s.out.Clocks[i] = p.clock
		s.out.End = max(s.out.End, p.clock)
	}
	if math.IsInf(s.out.End, 0) || math.IsNaN(s.out.End) {
		return nil, fmt.Errorf("the program takes longer than numbers reach")
	}
	if s.trace != nil {
		return &s.out, s.trace.failed
	}
	return &s.out, nil
}

// schedule adds an event. Those of a moment and phase are in the order of their processors, then of their making.
func (s *simulation) schedule(at float64, phase uint64, processor, of int32) {
	s.number++
	s.events.push(event{at, phase<<60 | uint64(processor)<<32 | uint64(s.number), of})
}

func (s *simulation) handle(e *event) {
	switch e.phase() {
	case act:
		s.proceed(e.of)
	case arrive:
		s.arrive(e.of)
	case claim:
		s.leave(e.of)
	case share:
		s.links.changed(s)
	}
}

// proceed ends the step of a processor, if it has one, and takes its next steps until one takes time.
func (s *simulation) proceed(i int32) {
	p := &s.processors[i]
	if p.state == receiving {
		s.received(i, p.waits)
	}
	p.state = running
	for p.state == running {
		step, ok := s.program.Next(int(i))
		if !ok {
			p.state = ended
			return
		}
		switch step.Kind {
		case Compute:
			if step.Time > 0 {
				p.clock += step.Time
				s.out.Processors[i].Busy += step.Time
				p.state = computing
				s.schedule(p.clock, act, i, i)
			}
		case Send:
			s.send(i, step.Peer, step.Bytes)
		case Receive:
			s.receive(i, step.Peer)
		case Join:
			s.join(i, step)
		}
	}
}

// send begins a message.
func (s *simulation) send(from, to int32, bytes int64) {
	id := int32(len(s.messages))
	if n := len(s.free); n > 0 {
		id, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.messages = append(s.messages, message{})
	}
	s.messages[id] = message{from: from, to: to, bytes: bytes}
	key := uint64(from)<<32 | uint64(to)
	q := s.queues[key]
	if q.head == 0 {
		q.head = id
	} else {
		s.messages[q.tail].next = id
	}
	q.tail = id
	s.queues[key] = q
	s.flight.add(1, bytes)
	s.out.Sent.add(1, bytes)
	s.trace.message(s.now, from, trace.Send, from, to, bytes)

	p := &s.processors[from]
	overhead := s.m.Send.Of(bytes)
	p.clock += overhead
	s.out.Processors[from].Overhead += overhead
	p.state = sending
	s.schedule(p.clock, claim, from, id)
}

// leave ends a send: the message enters the network.
func (s *simulation) leave(id int32) {
	from := s.messages[id].from
	s.trace.region(s.now, from, trace.Leave, trace.Sending)
	s.links.claim(s, id)
	s.proceed(from)
}

// arrive has a message at its receiver.
func (s *simulation) arrive(id int32) {
	m := &s.messages[id]
	m.arrived = true
	p := &s.processors[m.to]
	if p.state == waiting && p.peer == m.from && s.queues[uint64(m.from)<<32|uint64(m.to)].head == id {
		s.begin(m.to, id)
	}
}

func (s *simulation) receive(i, from int32) {
	p := &s.processors[i]
	if id := s.queues[uint64(from)<<32|uint64(i)].head; id != 0 && s.messages[id].arrived {
		s.begin(i, id)
		return
	}
	p.state, p.peer = waiting, from
	s.waiters = append(s.waiters, i)
}

// awake ends an idle time, which may be of length 0.
func (s *simulation) awake(i int32) {
	p := &s.processors[i]
	s.out.Processors[i].Idle += s.now - p.clock
	p.clock = s.now
	if p.idling {
		p.idling = false
		s.trace.region(s.now, i, trace.Leave, trace.Idle)
	}
}

// begin begins to receive a message that is there.
func (s *simulation) begin(i, id int32) {
	s.awake(i)
	p := &s.processors[i]
	s.trace.receive(s.now, i)
	overhead := s.m.Receive.Of(s.messages[id].bytes)
	p.clock += overhead
	s.out.Processors[i].Overhead += overhead
	p.state, p.waits = receiving, id
	s.schedule(p.clock, act, i, i)
}

// received ends the receive of a message.
func (s *simulation) received(i, id int32) {
	m := &s.messages[id]
	s.trace.message(s.now, i, trace.Receive, m.from, i, m.bytes)
	s.flight.add(-1, -m.bytes)
	key := uint64(m.from)<<32 | uint64(i)
	if m.next == 0 {
		delete(s.queues, key)
	} else {
		s.queues[key] = queue{m.next, s.queues[key].tail}
	}
	s.free = append(s.free, id)
}

// join has a processor wait for its group; the last one lets all go on.
func (s *simulation) join(i int32, step Step) {
	p := &s.processors[i]
	p.state, p.peer = joining, step.Peer
	g := s.groups[step.Peer]
	if g == nil {
		g = &group{}
		s.groups[step.Peer] = g
	}
	g.members = append(g.members, i)
	if int64(len(g.members)) < step.Bytes {
		s.waiters = append(s.waiters, i)
		return
	}
	delete(s.groups, step.Peer)
	for _, k := range g.members {
		s.awake(k)
		s.processors[k].state = computing
		s.schedule(s.now, act, k, k)
	}
}
