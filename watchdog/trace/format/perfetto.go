package format

import (
	"bufio"
	"cmp"
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
	tracks map[trackKey]uint64
	names  map[string]uint64 // interned
	flows  flows
	begun  bool
	last   uint64 // time of the last record, ns

	// of a record: packets, the content of a packet, an event, and an annotation of it
	packets, packet, content, annotation []byte
}

// trackKey identifies a track: of a host, a process, a thread or a counter.
type trackKey struct {
	level                          protowire.Number // field of the descriptor that says more; 0: a host
	host, process, thread, counter string
}

func newPerfetto(to io.Writer) Writer {
	return &perfetto{to: bufio.NewWriter(to), tracks: map[trackKey]uint64{}, names: map[string]uint64{}, flows: flows{}}
}

// Write implements [Writer].
func (p *perfetto) Write(r *trace.Record) error {
	track := p.thread(r)
	at := uint64(max(0, math.Round(r.Time*1e9)))
	switch r.Kind {
	case trace.Enter:
		p.event(at, track, sliceBegin, r.Name, details(r), 0)
	case trace.Send:
		p.event(at, track, sliceBegin, trace.Sending, details(r), p.flows.id(r))
	case trace.Receive: // the flow ends where the slice does
		if id := p.flows.id(r); id != 0 {
			p.event(at, track, instant, "message", details(r), id)
		}
		p.event(at, track, sliceEnd, "", nil, 0)
	case trace.Leave:
		p.event(at, track, sliceEnd, "", nil, 0)
	case trace.Count:
		for _, name := range sortedKeys(r.Values) {
			if x, ok := trace.Number(r.Values[name]); ok {
				of := trackKey{descriptorCounter, r.Host, r.Process, r.Thread, name}
				p.count(at, p.track(of, track, name, nil), x)
			}
		}
	case trace.Lost: // the reader forgets the names, as it would after a loss of packets
		p.begun, p.names = false, map[string]uint64{}
		p.event(p.last, track, sliceBegin, "lost", details(r), 0)
		p.event(at, track, sliceEnd, "", nil, 0)
	default:
		p.event(at, track, instant, cmp.Or(r.Name, string(r.Kind)), details(r), 0)
	}
	p.last = max(p.last, at)
	_, err := p.to.Write(p.packets)
	p.packets = p.packets[:0]
	return err
}

// Close implements [Writer].
func (p *perfetto) Close() error { return p.to.Flush() }

// put appends the packet. The first one declares that no names are known before it.
func (p *perfetto) put() {
	flags := uint64(needsState)
	if !p.begun {
		flags, p.begun = stateCleared, true
	}
	p.packet = varint(varint(p.packet, packetSequence, 1), packetSequenceFlags, flags)
	p.packets = message(p.packets, tracePacket, p.packet)
}

// thread returns the track of a record's thread, and describes it with those above it when it is new.
func (p *perfetto) thread(r *trace.Record) uint64 {
	key := trackKey{descriptorThread, r.Host, r.Process, r.Thread, ""}
	if t, ok := p.tracks[key]; ok {
		return t
	}
	var host uint64
	if r.Host != "" {
		host = p.track(trackKey{host: r.Host}, 0, r.Host, nil)
	}
	pid := uint64(len(p.tracks) + 1)
	process := p.track(trackKey{descriptorProcess, r.Host, r.Process, "", ""}, host, "",
		text(varint(nil, processID, pid), processName, "process "+r.Process))
	if r.Thread == "" {
		p.tracks[key] = process
		return process
	}
	tid := uint64(len(p.tracks) + 1)
	return p.track(key, process, "", text(varint(varint(nil, threadPID, pid), threadTID, tid), threadNameOf,
		"thread "+r.Thread))
}

// track describes a track when it is new, with more in the field of its level.
func (p *perfetto) track(key trackKey, parent uint64, name string, more []byte) uint64 {
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
	if key.level != 0 {
		d = message(d, key.level, more)
	}
	p.packet = message(p.packet[:0], packetDescriptor, d)
	p.put()
	return n
}

// event appends an event with the details of a record.
func (p *perfetto) event(at, track, kind uint64, name string, more map[string]any, flow uint64) {
	p.content = varint(varint(p.content[:0], eventType, kind), eventTrack, track)
	p.packet = varint(p.packet[:0], packetTimestamp, at)
	if name != "" {
		id, known := p.names[name]
		if !known {
			id = uint64(len(p.names) + 1)
			p.names[name] = id
			entry := text(varint(nil, internedID, id), internedOf, name)
			p.packet = message(p.packet, packetInternedData, message(nil, internedEventNames, entry))
		}
		p.content = varint(p.content, eventNameID, id)
	}
	if flow != 0 {
		p.content = fixed64(p.content, eventFlow, flow)
	}
	if len(more) > 0 {
		for _, name := range sortedKeys(more) {
			p.annotate(name, more[name])
		}
	}
	p.packet = message(p.packet, packetTrackEvent, p.content)
	p.put()
}

func (p *perfetto) count(at, track uint64, x float64) {
	p.content = varint(varint(p.content[:0], eventType, counter), eventTrack, track)
	p.content = fixed64(p.content, eventDouble, math.Float64bits(x))
	p.packet = message(varint(p.packet[:0], packetTimestamp, at), packetTrackEvent, p.content)
	p.put()
}

func (p *perfetto) annotate(name string, v any) {
	a := text(p.annotation[:0], annotationName, name)
	switch x := v.(type) {
	case int64:
		a = varint(a, annotationInt, uint64(x))
	case float64:
		a = fixed64(a, annotationDouble, math.Float64bits(x))
	case bool:
		a = varint(a, annotationInt, protowire.EncodeBool(x))
	case string:
		a = text(a, annotationString, x)
	}
	p.annotation = a
	p.content = message(p.content, eventAnnotation, a)
}

func fixed64(b []byte, field protowire.Number, x uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), x)
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
