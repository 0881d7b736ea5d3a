package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// prase reads PRASE's text. A message is a line of twelve fields,
//
//	type node pid begin end channel message-type bytes count other-node other-pid marker
//
// with times in ms. Its type begins with "send" or "recv". A mark is a line of six fields, of which the last is the
// value:
//
//	type node pid begin end value
//
// The count numbers the messages from one process to another; below 0 it was not known, and the message pairs with
// none. Lines of the types wraps and wrapr report that the sender's or the receiver's count begins again from 1: with
// twelve fields the count of messages with the other process, with six those with all processes.
type prase struct {
	seq  map[string]uint64
	laps map[praseCount]int64 // how often the count began again
}

// praseCount is the counts of a process.
type praseCount struct {
	process  string
	receives bool
	other    string // empty: with all others
}

func newPRASE() *prase { return &prase{map[string]uint64{}, map[praseCount]int64{}} }

// praseLap is added to a count each time it began again.
const praseLap = 1 << 40

// praseMessage is the numbers of a message's line.
type praseMessage struct {
	channel, typ, bytes, count, otherNode, otherPid, marker int64
}

func (p *prase) line(text []byte, take func(trace.Record)) error {
	words := strings.Fields(string(text))
	if len(words) != 12 && len(words) != 6 {
		return fmt.Errorf("a line of %d fields; a message has 12, a mark 6", len(words))
	}
	process, begin, end, err := praseHead(words)
	if err != nil {
		return err
	}
	kind := words[0]
	if len(words) == 6 {
		return p.mark(kind, process, begin, words[5], take)
	}
	var m praseMessage
	names := [...]string{"channel", "message type", "bytes", "count", "other node", "other pid", "marker"}
	for i, into := range []*int64{&m.channel, &m.typ, &m.bytes, &m.count, &m.otherNode, &m.otherPid, &m.marker} {
		if *into, err = strconv.ParseInt(words[5+i], 10, 64); err != nil {
			return fmt.Errorf("%s is %q, want a whole number", names[i], cut(words[5+i]))
		}
	}
	if m.bytes < 0 {
		return fmt.Errorf("bytes is %d, want 0 or more", m.bytes)
	}
	other := praseProcess(m.otherNode, m.otherPid)
	switch {
	case kind == "wraps" || kind == "wrapr":
		p.laps[praseCount{process, kind == "wrapr", other}]++
		p.give(take, trace.Record{Kind: trace.Marker, Name: kind, Process: process, Time: begin})
	case strings.HasPrefix(kind, "send"):
		r := m.record(trace.Send, process, begin, process, other)
		r.Count = p.count(process, false, other, m.count)
		p.give(take, r)
		p.give(take, trace.Record{Kind: trace.Leave, Name: trace.Sending, Process: process, Time: end})
	case strings.HasPrefix(kind, "recv"):
		p.give(take, trace.Record{
			Kind: trace.Enter, Name: trace.Receiving, Process: process, Time: begin, From: other, To: process,
			Type: m.typ,
		})
		r := m.record(trace.Receive, process, end, other, process)
		r.Count = p.count(process, true, other, m.count)
		p.give(take, r)
	default:
		return fmt.Errorf("unknown type %q of a message; want sendw, recvw, wraps, wrapr or the like", cut(kind))
	}
	return nil
}

// praseHead parses the fields that all lines have. Times are returned in s.
func praseHead(words []string) (process string, begin, end float64, err error) {
	node, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return "", 0, 0, fmt.Errorf("node is %q, want a whole number", cut(words[1]))
	}
	pid, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return "", 0, 0, fmt.Errorf("pid is %q, want a whole number", cut(words[2]))
	}
	if begin, err = finite(words[3]); err != nil {
		return "", 0, 0, fmt.Errorf("begin is %q, want ms", cut(words[3]))
	}
	if end, err = finite(words[4]); err != nil {
		return "", 0, 0, fmt.Errorf("end is %q, want ms", cut(words[4]))
	}
	if end < begin {
		return "", 0, 0, fmt.Errorf("it ends at %v ms, before it begins at %v ms", end, begin)
	}
	return praseProcess(node, pid), begin / 1000, end / 1000, nil
}

// praseProcess names a process.
func praseProcess(node, pid int64) string {
	return strconv.FormatInt(node, 10) + "/" + strconv.FormatInt(pid, 10)
}

func (m *praseMessage) record(kind trace.Kind, process string, at float64, from, to string) trace.Record {
	return trace.Record{
		Kind: kind, Process: process, Time: at, From: from, To: to, Type: m.typ, Bytes: m.bytes,
		Values: map[string]any{"channel": m.channel, "marker": m.marker},
	}
}

// count makes counts from before and after a restart different.
func (p *prase) count(process string, receives bool, other string, count int64) int64 {
	if count < 0 {
		return count
	}
	return count + praseLap*(p.laps[praseCount{process, receives, other}]+p.laps[praseCount{process, receives, ""}])
}

func (p *prase) mark(kind, process string, at float64, value string, take func(trace.Record)) error {
	if kind == "wraps" || kind == "wrapr" {
		p.laps[praseCount{process, kind == "wrapr", ""}]++
	} else if strings.HasPrefix(kind, "send") || strings.HasPrefix(kind, "recv") {
		return fmt.Errorf("a %s of 6 fields; a message has 12", kind)
	}
	var v any = value
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		v = n
	} else if x, err := finite(value); err == nil {
		v = x
	}
	p.give(take, trace.Record{
		Kind: trace.Marker, Name: kind, Process: process, Time: at, Values: map[string]any{"value": v},
	})
	return nil
}

func (p *prase) give(take func(trace.Record), r trace.Record) {
	p.seq[r.Process]++
	r.Seq, r.Measured = p.seq[r.Process], r.Time
	take(r)
}
