// Package recording has the section `trace` of the engine file and of the settings: which sensors of which runs are
// recorded, from when to when, and how.
package recording

import "time"

// Trace is the section. Empty lists mean all.
type Trace struct {
	Hosts     []string // patterns of machines; "local" is this machine
	Processes []string // patterns of runs
	Kinds     []Kind
	From, To  Moment // of the run; zero: its begin, its end
	Setting
}

// Moment is a moment of a run, at most one of the three.
type Moment struct {
	Time      time.Duration // since the run's begin
	Iteration int
	When      string // the first time that a condition holds, see [expression.Condition]
}

// Setting is how records are written to a file.
type Setting struct {
	Mode    Mode          // default: Every
	Buffer  int           // records; default: of Every each batch of the monitor, of AtEnd and Ring 100,000
	Period  time.Duration // Periodic; default: 1 s
	Records uint64        // quota; 0: none
	Bytes   int64         // quota of the file, from LeastBytes; 0: none
	Threads []string      // that are recorded; empty: all
	Begin   time.Duration // since the beginning of the run, from which is recorded
	End     time.Duration // and to which; 0: the end of the run
}

// LeastBytes is the smallest quota of bytes: the summary takes a part of it.
const LeastBytes = 2 * SummaryBytes

// SummaryBytes are kept free for the summary at the end of a file.
const SummaryBytes = 4 << 10

// Mode is when records are written.
type Mode string

const (
	Every    Mode = "every"    // when the buffer has Buffer records
	Periodic Mode = "periodic" // after each Period
	AtEnd    Mode = "end"      // at the end; recording stops when the buffer is full
	Ring     Mode = "ring"     // at the end, the last Buffer records
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Every, Periodic, AtEnd, Ring} }

// Kind is the kind of a sensor's records.
type Kind string

const (
	Tracing Kind = "tracing" // numbers of the solver
	Region  Kind = "region"  // begin and end of a part of the program
	Send    Kind = "send"
	Receive Kind = "receive"
	Fork    Kind = "fork"   // a process or thread begins
	Join    Kind = "join"   // a process or thread has ended
	Marker  Kind = "marker" // a number or a text of the author
)

// Kinds lists the kinds of sensors.
func Kinds() []Kind { return []Kind{Tracing, Region, Send, Receive, Fork, Join, Marker} }
