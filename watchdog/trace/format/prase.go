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

var (
	praseHead    = []string{"node", "pid"}
	praseMessage = []string{"channel", "message type", "bytes", "count", "other node", "other pid", "marker"}
)

func (p *prase) line(text []byte, take func(trace.Record)) error {
	words := strings.Fields(string(text))
	if len(words) != 12 && len(words) != 6 {
		return fmt.Errorf("a line of %d fields; a message has 12, a mark 6", len(words))
	}
	var id [2]int64
	if err := wholes(id[:], words[1:3], praseHead); err != nil {
		return err
	}
	begin, err := finite(words[3])
	if err != nil {
		return fmt.Errorf("begin is %q, want ms", cut(words[3]))
	}
	end, err := finite(words[4])
	if err != nil {
		return fmt.Errorf("end is %q, want ms", cut(words[4]))
	}
	if end < begin {
		return fmt.Errorf("it ends at %v ms, before it begins at %v ms", end, begin)
	}
	process := praseProcess(id[0], id[1])
	give := func(at float64, r trace.Record) {
		p.seq[process]++
		r.Process, r.Seq, r.Time, r.Measured = process, p.seq[process], at/1000, at/1000
		take(r)
	}
	if len(words) == 6 {
		return p.mark(process, words[0], words[5], func(r trace.Record) { give(begin, r) })
	}
	var m [7]int64 // as praseMessage
	if err := wholes(m[:], words[5:], praseMessage); err != nil {
		return err
	}
	kind, other := words[0], praseProcess(m[4], m[5])
	r := trace.Record{Type: m[1], Bytes: m[2], Values: map[string]any{"channel": m[0], "marker": m[6]}}
	switch {
	case kind == "wraps" || kind == "wrapr":
		p.laps[praseCount{process, kind == "wrapr", other}]++
		give(begin, trace.Record{Kind: trace.Marker, Name: kind})
	case strings.HasPrefix(kind, "send"):
		r.Kind, r.From, r.To, r.Count = trace.Send, process, other, p.count(process, false, other, m[3])
		give(begin, r)
		give(end, trace.Record{Kind: trace.Leave, Name: trace.Sending})
	case strings.HasPrefix(kind, "recv"):
		r.Kind, r.From, r.To, r.Count = trace.Receive, other, process, p.count(process, true, other, m[3])
		give(begin, trace.Record{Kind: trace.Enter, Name: trace.Receiving, From: other, To: process, Type: m[1]})
		give(end, r)
	default:
		return fmt.Errorf("unknown type %q of a message; want sendw, recvw, wraps, wrapr or the like", cut(kind))
	}
	return nil
}

// praseProcess names a process.
func praseProcess(node, pid int64) string {
	return strconv.FormatInt(node, 10) + "/" + strconv.FormatInt(pid, 10)
}

// count makes counts from before and after a restart different.
func (p *prase) count(process string, receives bool, other string, count int64) int64 {
	if count < 0 {
		return count
	}
	return count + praseLap*(p.laps[praseCount{process, receives, other}]+p.laps[praseCount{process, receives, ""}])
}

func (p *prase) mark(process, kind, value string, give func(trace.Record)) error {
	if kind == "wraps" || kind == "wrapr" {
		p.laps[praseCount{process, kind == "wrapr", ""}]++
	} else if strings.HasPrefix(kind, "send") || strings.HasPrefix(kind, "recv") {
		return fmt.Errorf("a %s of 6 fields; a message has 12", kind)
	}
	give(trace.Record{Kind: trace.Marker, Name: kind, Values: map[string]any{"value": scaled(value, 1)}})
	return nil
}
