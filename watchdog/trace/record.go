// Package trace analyses what the processes of a parallel program did, and when: regions that they entered and left,
// messages that they sent and received, marks of their authors. Its packages read and write files of trace tools
// (format), put records of several sources in the order of cause and effect (order), and find the offsets of clocks
// (clock).
package trace

import (
	"cmp"
	"slices"
	"strconv"
)

// Kind is the kind of a record.
type Kind string

const (
	// Enter and Leave are the begin and the end of the region Name in a process. Regions nest.
	Enter Kind = "enter"
	Leave Kind = "leave"
	// Send is the begin of a send; the end is Leave of the region "send".
	Send Kind = "send"
	// Receive is the end of a receive; the begin is Enter of the region "receive", or Call.
	Receive Kind = "receive"
	// Call is the begin of a receive for which the process does not wait.
	Call Kind = "call"
	// Fork and Join are the begin and the end of process To, reported by the process that starts it or awaits its end.
	Fork Kind = "fork"
	Join Kind = "join"
	// Marker is a mark or a number of the program's author.
	Marker Kind = "marker"
	// Count is the values of counters, valid until the next.
	Count Kind = "count"
	// Lost states how many records are missing, by Count, and why, by Name.
	Lost Kind = "lost"
)

// Kinds lists the kinds of records.
func Kinds() []Kind {
	return []Kind{Enter, Leave, Send, Call, Receive, Fork, Join, Marker, Count, Lost}
}

// Regions that the analysis knows. Any other region is the program's own: busy.
const (
	Sending   = "send"
	Receiving = "receive"
	Idle      = "idle"
	Barrier   = "barrier" // waits for other threads
	Queued    = "queued"  // a job waits for the value WaitsFor of the record
	Recording = "trace"   // waits for the recorder
)

// WaitsFor is the value of the begin of a region Queued: core, licence, memory, node, lock, hold,
// worker or round. InRun is the region of an
// attempt, which holds them.
const (
	WaitsFor = "waits_for"
	InRun    = "run"
)

// Record is an occurrence in a process. Times are in seconds.
type Record struct {
	Time     float64 `json:"time"`     // corrected
	Measured float64 `json:"measured"` // by the clock of the process
	Host     string  `json:"host,omitempty"`
	Process  string  `json:"process"`
	Thread   string  `json:"thread,omitempty"`
	Seq      uint64  `json:"seq"` // in its source, from 1
	Kind     Kind    `json:"kind"`
	Name     string  `json:"name,omitempty"`

	// of a message, or of a fork or join
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`

	Type  int64 `json:"type"`  // of the message
	Bytes int64 `json:"bytes"` // of the message

	// Number of the message among those of the same sender, receiver and type. 0: messages pair in the order of their
	// times; below 0: the message pairs with no other. Of a Lost record: how many records are missing.
	Count int64 `json:"count"`

	// numbers and texts by name: float64, int64, bool or string
	Values map[string]any `json:"values,omitempty"`
}

// Problem is a place in a file that could not be read.
type Problem struct {
	Line    int64  `json:"line"` // from 1; of a binary file the byte's offset
	Message string `json:"message"`
	Lines   int64  `json:"lines,omitempty"` // number of lines with this problem; 0: a line
}

// Sort sorts records by their time. Records of the same time keep their order.
func Sort(records []Record) {
	slices.SortStableFunc(records, func(a, b Record) int { return cmp.Compare(a.Time, b.Time) })
}

// ProcessNumber orders names of processes: by their numbers if they have some, else by their texts.
func ProcessNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
