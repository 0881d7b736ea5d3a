package format

import (
	"bufio"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Numbers of Perfetto's fields: protos/perfetto/trace/trace_packet.proto and track_event/*.proto.
const (
	tracePacket = 1

	packetTimestamp     = 8
	packetSequence      = 10
	packetTrackEvent    = 11
	packetInternedData  = 12
	packetSequenceFlags = 13
	packetDescriptor    = 60

	eventAnnotation = 4
	eventType       = 9
	eventNameID     = 10
	eventTrack      = 11
	eventFlow       = 47
	eventDouble     = 44

	annotationDouble, annotationString, annotationInt, annotationName = 5, 6, 4, 10

	descriptorTrack, descriptorName, descriptorProcess, descriptorThread = 1, 2, 3, 4
	descriptorParent, descriptorCounter                                  = 5, 8

	processID, processName             = 1, 6
	threadPID, threadTID, threadNameOf = 1, 2, 5

	internedEventNames     = 2
	internedID, internedOf = 1, 2

	stateCleared, needsState = 1, 2

	sliceBegin, sliceEnd, instant, counter = 1, 2, 3, 4
)

// perfetto writes the protobuf of ui.perfetto.dev. A host is a track, which holds its processes; a process holds its
// threads and counters. Messages are flows from the send's slice to the receive's.
type perfetto struct {
	to     *bufio.Writer
	tracks map[string]uint64
	names  map[string]uint64 // interned
	flows  flows
	begun  bool
	last   uint64 // time of the last record, ns
	packet []byte
	inner  []byte
	deep   []byte
}

func newPerfetto(to io.Writer) Writer {
	return &perfetto{to: bufio.NewWriter(to), tracks: map[string]uint64{}, names: map[string]uint64{}, flows: flows{}}
}

// Write implements [Writer].
func (p *perfetto) Write(r *trace.Record) error {
	track := p.thread(r)
	at := uint64(max(0, math.Round(r.Time*1e9)))
	switch r.Kind {
	case trace.Enter:
		p.event(at, track, sliceBegin, r.Name, r, 0)
	case trace.Send:
		p.event(at, track, sliceBegin, trace.Sending, r, p.flows.id(r))
	case trace.Receive: // the flow ends where the slice does
		if id := p.flows.id(r); id != 0 {
			p.event(at, track, instant, "message", r, id)
		}
		p.event(at, track, sliceEnd, "", nil, 0)
	case trace.Leave:
		p.event(at, track, sliceEnd, "", nil, 0)
	case trace.Count:
		for _, name := range sortedKeys(r.Values) {
			if x, ok := number(r.Values[name]); ok {
				p.count(at, p.counter(r, name), x)
			}
		}
	case trace.Lost: // the reader forgets the names, as it would after a loss of packets
		p.begun, p.names = false, map[string]uint64{}
		p.event(p.last, track, sliceBegin, "lost", r, 0)
		p.event(at, track, sliceEnd, "", nil, 0)
	default:
		name := r.Name
		if name == "" {
			name = string(r.Kind)
		}
		p.event(at, track, instant, name, r, 0)
	}
	p.last = max(p.last, at)
	_, err := p.to.Write(p.packet)
	p.packet = p.packet[:0]
	return err
}

// Close implements [Writer].
func (p *perfetto) Close() error { return p.to.Flush() }

// put appends a packet.
func (p *perfetto) put(flags uint64, content []byte) {
	size := len(content) + 4
	p.packet = protowire.AppendTag(p.packet, tracePacket, protowire.BytesType)
	p.packet = protowire.AppendVarint(p.packet, uint64(size))
	p.packet = append(p.packet, content...)
	p.packet = varint(p.packet, packetSequence, 1)
	p.packet = varint(p.packet, packetSequenceFlags, flags)
}

// thread returns the track of a record's thread, and describes it with those above it when it is new.
func (p *perfetto) thread(r *trace.Record) uint64 {
	key := r.Host + "\x00" + r.Process + "\x00" + r.Thread
	if t, ok := p.tracks[key]; ok {
		return t
	}
	var host uint64
	if r.Host != "" {
		host = p.track("h\x00"+r.Host, 0, r.Host, nil, 0)
	}
	pid := len(p.tracks) + 1
	process := p.track("p\x00"+r.Host+"\x00"+r.Process, host, "", func(b []byte) []byte {
		return text(varint(b, processID, uint64(pid)), processName, "process "+r.Process)
	}, descriptorProcess)
	if r.Thread == "" {
		p.tracks[key] = process
		return process
	}
	tid := len(p.tracks) + 1
	return p.track(key, process, "", func(b []byte) []byte {
		b = varint(varint(b, threadPID, uint64(pid)), threadTID, uint64(tid))
		return text(b, threadNameOf, "thread "+r.Thread)
	}, descriptorThread)
}

func (p *perfetto) counter(r *trace.Record, name string) uint64 {
	key := "c\x00" + r.Host + "\x00" + r.Process + "\x00" + r.Thread + "\x00" + name
	if t, ok := p.tracks[key]; ok {
		return t
	}
	return p.track(key, p.thread(r), name, func(b []byte) []byte { return b }, descriptorCounter)
}

// track describes a track when it is new. Field what of the descriptor is made by more.
func (p *perfetto) track(key string, parent uint64, name string, more func([]byte) []byte,
	what protowire.Number) uint64 {
	if t, ok := p.tracks[key]; ok {
		return t
	}
	n := uint64(len(p.tracks) + 1)
	p.tracks[key] = n
	d := varint(nil, descriptorTrack, n)
	if name != "" {
		d = text(d, descriptorName, name)
	}
	if parent != 0 {
		d = varint(d, descriptorParent, parent)
	}
	if more != nil {
		d = message(d, what, more(nil))
	}
	p.put(p.flags(), message(nil, packetDescriptor, d))
	return n
}

// flags are those of a packet: the first one declares that no names are known before it.
func (p *perfetto) flags() uint64 {
	if p.begun {
		return needsState
	}
	p.begun = true
	return stateCleared
}

func (p *perfetto) event(at, track, kind uint64, name string, r *trace.Record, flow uint64) {
	p.deep = varint(varint(p.deep[:0], eventType, kind), eventTrack, track)
	p.inner = varint(p.inner[:0], packetTimestamp, at)
	if name != "" {
		id, known := p.names[name]
		if !known {
			id = uint64(len(p.names) + 1)
			p.names[name] = id
			entry := text(varint(nil, internedID, id), internedOf, name)
			p.inner = message(p.inner, packetInternedData, message(nil, internedEventNames, entry))
		}
		p.deep = varint(p.deep, eventNameID, id)
	}
	if flow != 0 {
		p.deep = protowire.AppendFixed64(protowire.AppendTag(p.deep, eventFlow, protowire.Fixed64Type), flow)
	}
	if r != nil {
		for _, a := range annotations(r) {
			p.deep = message(p.deep, eventAnnotation, a)
		}
	}
	p.inner = message(p.inner, packetTrackEvent, p.deep)
	p.put(p.flags(), p.inner)
}

func (p *perfetto) count(at, track uint64, x float64) {
	p.deep = varint(varint(p.deep[:0], eventType, counter), eventTrack, track)
	p.deep = protowire.AppendFixed64(protowire.AppendTag(p.deep, eventDouble, protowire.Fixed64Type),
		math.Float64bits(x))
	p.inner = message(varint(p.inner[:0], packetTimestamp, at), packetTrackEvent, p.deep)
	p.put(p.flags(), p.inner)
}

// annotations are the details of a record.
func annotations(r *trace.Record) (list [][]byte) {
	if r.Kind == trace.Send || r.Kind == trace.Receive {
		list = append(list, annotation("from", r.From), annotation("to", r.To), annotation("type", r.Type),
			annotation("bytes", r.Bytes))
	}
	if r.Kind == trace.Lost {
		list = append(list, annotation("records", r.Count))
	}
	for _, name := range sortedKeys(r.Values) {
		list = append(list, annotation(name, r.Values[name]))
	}
	return list
}

func annotation(name string, v any) []byte {
	a := text(nil, annotationName, name)
	switch x := v.(type) {
	case int64:
		return varint(a, annotationInt, uint64(x))
	case float64:
		return protowire.AppendFixed64(protowire.AppendTag(a, annotationDouble, protowire.Fixed64Type),
			math.Float64bits(x))
	case bool:
		return varint(a, annotationInt, protowire.EncodeBool(x))
	case string:
		return text(a, annotationString, x)
	}
	return a
}

func varint(b []byte, field protowire.Number, x uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), x)
}

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
}
