package format

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// otlp writes requests of the OpenTelemetry protocol as lines of JSON (OTLP/JSON, file exporter): each region is a span
// of the service that is its process. A receive has a link to its send. Markers and counts become events of the span
// that they happened in, or spans without length outside of any.
type otlp struct {
	to      *bufio.Writer
	flows   flows
	open    map[string][]*otlpSpan // by process and thread
	next    uint64
	last    float64
	failure error
}

type otlpSpan struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Begin      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []otlpNamed `json:"attributes,omitempty"`
	Events     []otlpEvent `json:"events,omitempty"`
	Links      []otlpLink  `json:"links,omitempty"`
	resource   []otlpNamed
}

type otlpNamed struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

type otlpEvent struct {
	Time       string      `json:"timeUnixNano"`
	Name       string      `json:"name"`
	Attributes []otlpNamed `json:"attributes,omitempty"`
}

type otlpLink struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

// Kinds of spans: internal, producer, consumer.
const (
	spanInternal = 1
	spanProducer = 4
	spanConsumer = 5
)

// otlpTrace is the ID of the trace: a file is one trace.
const otlpTrace = "706572656772696e652e7472616365" + "01"

func newOTLP(to io.Writer) Writer {
	return &otlp{to: bufio.NewWriter(to), flows: flows{}, open: map[string][]*otlpSpan{}}
}

// Write implements [Writer].
func (o *otlp) Write(r *trace.Record) error {
	o.last = math.Max(o.last, r.Time)
	place := r.Host + "\x00" + r.Process + "\x00" + r.Thread
	switch r.Kind {
	case trace.Enter:
		kind := spanInternal
		if r.Name == trace.Receiving {
			kind = spanConsumer
		}
		o.enter(place, r, r.Name, kind, 0)
	case trace.Send:
		o.enter(place, r, trace.Sending, spanProducer, o.flows.id(r))
	case trace.Receive:
		if s := o.top(place, trace.Receiving); s != nil {
			s.Attributes = append(s.Attributes, attributes(details(r))...)
			if id := o.flows.id(r); id != 0 {
				s.Links = append(s.Links, otlpLink{otlpTrace, hexID(id)})
			}
		}
		o.leave(place, trace.Receiving, r.Time)
	case trace.Leave:
		o.leave(place, r.Name, r.Time)
	default:
		o.event(place, r)
	}
	return o.failure
}

func (o *otlp) enter(place string, r *trace.Record, name string, kind int, id uint64) *otlpSpan {
	if id == 0 {
		o.next++
		id = o.next
	}
	s := &otlpSpan{
		TraceID: otlpTrace, SpanID: hexID(id), Name: name, Kind: kind, Begin: nanoseconds(r.Time),
		Attributes: attributes(details(r)), resource: attributes(map[string]any{"service.name": r.Process}),
	}
	if r.Host != "" {
		s.resource = append(s.resource, attributes(map[string]any{"host.name": r.Host})...)
	}
	if r.Thread != "" {
		s.Attributes = append(s.Attributes, attributes(map[string]any{"thread.name": r.Thread})...)
	}
	if above := o.open[place]; len(above) > 0 {
		s.Parent = above[len(above)-1].SpanID
	}
	o.open[place] = append(o.open[place], s)
	return s
}

// top returns the innermost open span of a name; nil: there is none.
func (o *otlp) top(place, name string) *otlpSpan {
	list := o.open[place]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == name {
			return list[i]
		}
	}
	return nil
}

// leave ends the innermost span of a name, and those within it.
func (o *otlp) leave(place, name string, at float64) {
	s := o.top(place, name)
	for list := o.open[place]; s != nil; list = o.open[place] {
		inner := list[len(list)-1]
		o.open[place] = list[:len(list)-1]
		o.put(inner, at)
		if inner == s {
			return
		}
	}
}

func (o *otlp) event(place string, r *trace.Record) {
	e := otlpEvent{nanoseconds(r.Time), cmp.Or(r.Name, string(r.Kind)), attributes(r.Values)}
	if r.Kind == trace.Lost {
		e.Attributes = append(e.Attributes, attributes(map[string]any{"lost": r.Count})...)
	}
	if list := o.open[place]; len(list) > 0 {
		list[len(list)-1].Events = append(list[len(list)-1].Events, e)
		return
	}
	s := o.enter(place, r, e.Name, spanInternal, 0)
	s.Attributes = e.Attributes
	o.leave(place, e.Name, r.Time)
}

// put writes a span as a request of its own.
func (o *otlp) put(s *otlpSpan, end float64) {
	s.End = nanoseconds(end)
	text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource": map[string]any{"attributes": s.resource},
		"scopeSpans": []any{map[string]any{
			"scope": map[string]any{"name": "peregrine"}, "spans": []any{s},
		}},
	}}})
	if o.failure == nil {
		o.failure = err
	}
	_, _ = o.to.Write(append(text, '\n')) // Close has the error
}

// Close implements [Writer]. Regions that were not left end with the trace.
func (o *otlp) Close() error {
	for _, place := range sortedKeys(o.open) {
		for list := o.open[place]; len(list) > 0; list = list[:len(list)-1] {
			o.put(list[len(list)-1], o.last)
		}
	}
	if err := o.to.Flush(); o.failure == nil {
		o.failure = err
	}
	return o.failure
}

// nanoseconds writes a time as the protocol does: a text of whole ns.
func nanoseconds(s float64) string {
	return strconv.FormatInt(int64(math.Round(math.Max(0, s)*1e9)), 10)
}

func hexID(x uint64) string { return fmt.Sprintf("%016x", x) }

func attributes(values map[string]any) (list []otlpNamed) {
	for _, name := range sortedKeys(values) {
		var v map[string]any
		switch x := values[name].(type) {
		case int64:
			v = map[string]any{"intValue": strconv.FormatInt(x, 10)}
		case float64:
			v = map[string]any{"doubleValue": x}
		case bool:
			v = map[string]any{"boolValue": x}
		default:
			v = map[string]any{"stringValue": fmt.Sprint(x)}
		}
		list = append(list, otlpNamed{name, v})
	}
	return list
}
