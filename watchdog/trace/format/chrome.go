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

// Write implements [Writer].
func (c *chrome) Write(r *trace.Record) error {
	e := chromeEvent{Name: r.Name, Time: r.Time * 1e6, Args: r.Values}
	e.PID, e.TID = c.place(r)
	switch r.Kind {
	case trace.Enter:
		e.Phase = "B"
	case trace.Leave:
		e.Phase = "E"
	case trace.Send:
		e.Phase, e.Name, e.Args = "B", trace.Sending, messageValues(r)
	case trace.Receive:
		c.flow(r, e, "f")
		e.Phase, e.Name, e.Args = "E", trace.Receiving, messageValues(r)
	case trace.Count:
		e.Phase = "C"
	case trace.Lost:
		e.Phase, e.Scope, e.Name, e.Args = "i", "t", "lost", map[string]any{"records": r.Count, "why": r.Name}
	default:
		e.Phase, e.Scope, e.Name = "i", "t", cmp.Or(r.Name, string(r.Kind))
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
