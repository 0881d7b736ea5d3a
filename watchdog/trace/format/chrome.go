package format

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"strconv"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// chrome writes the Trace Event Format, which chrome://tracing, Perfetto and speedscope open. Times are in
// microseconds.
type chrome struct {
	to      *bufio.Writer
	flows   flows
	process map[string]int
	thread  map[string]int
	before  string // the next event
	err     error
}

// chromeEvent is an event of the format.
type chromeEvent struct {
	Name  string         `json:"name,omitempty"`
	Phase string         `json:"ph"`
	Cat   string         `json:"cat,omitempty"`
	ID    string         `json:"id,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Time  float64        `json:"ts"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Args  map[string]any `json:"args,omitempty"`
}

const chromeBegin = `{"displayTimeUnit":"ms","traceEvents":[` + "\n"

func newChrome(to io.Writer) Writer {
	return &chrome{to: bufio.NewWriter(to), flows: flows{}, process: map[string]int{}, thread: map[string]int{},
		before: chromeBegin}
}

// chromePhases are the phases of the records that take time or count; others are instants.
var chromePhases = map[trace.Kind]string{trace.Enter: "B", trace.Leave: "E", trace.Send: "B", trace.Receive: "E",
	trace.Count: "C"}

// chromeNames are the names of the records that have no name of their own.
var chromeNames = map[trace.Kind]string{trace.Send: trace.Sending, trace.Receive: trace.Receiving, trace.Lost: "lost"}

// Write implements [Writer].
func (c *chrome) Write(r *trace.Record) error {
	e := chromeEvent{Name: cmp.Or(chromeNames[r.Kind], r.Name), Phase: chromePhases[r.Kind], Time: r.Time * 1e6,
		Args: details(r)}
	if e.PID, e.TID = c.place(r); e.Phase == "" {
		e.Name, e.Phase, e.Scope = cmp.Or(e.Name, string(r.Kind)), "i", "t"
	}
	if r.Kind == trace.Receive {
		c.flow(r, e, "f")
	}
	c.put(e)
	if r.Kind == trace.Send {
		c.flow(r, e, "s")
	}
	return c.err
}

func (c *chrome) flow(r *trace.Record, e chromeEvent, phase string) {
	if id := c.flows.id(r); id != 0 {
		c.put(chromeEvent{
			Name: "message", Cat: "message", Phase: phase, ID: "0x" + strconv.FormatUint(id, 16), Bind: "e",
			Time: e.Time, PID: e.PID, TID: e.TID,
		})
	}
}

// place numbers a record's process and thread, and names them when they are new.
func (c *chrome) place(r *trace.Record) (pid, tid int) {
	process := r.Process
	if r.Host != "" {
		process = r.Host + " " + process
	}
	pid, known := c.process[process]
	if !known {
		pid = len(c.process) + 1
		c.process[process] = pid
		c.put(chromeEvent{Name: "process_name", Phase: "M", PID: pid, Args: map[string]any{"name": process}})
	}
	thread := process + "\x00" + r.Thread
	tid, known = c.thread[thread]
	if !known {
		tid = len(c.thread) + 1
		c.thread[thread] = tid
		if r.Thread != "" {
			c.put(chromeEvent{
				Name: "thread_name", Phase: "M", PID: pid, TID: tid, Args: map[string]any{"name": r.Thread},
			})
		}
	}
	return pid, tid
}

func (c *chrome) put(e chromeEvent) {
	text, err := json.Marshal(e)
	if c.err == nil {
		c.err = err
	}
	_, _ = c.to.WriteString(c.before) // Close has the error
	_, _ = c.to.Write(text)
	c.before = ",\n"
}

// Close implements [Writer].
func (c *chrome) Close() error {
	if c.before == chromeBegin {
		_, _ = c.to.WriteString(chromeBegin)
	}
	_, _ = c.to.WriteString("\n]}\n")
	if err := c.to.Flush(); c.err == nil {
		c.err = err
	}
	return c.err
}
