// Package notify sends the ends of runs and warnings to people: by a command, a webhook or mail. It never keeps its
// caller waiting, and a message that cannot be sent waits on disk.
package notify

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Notice and Message are what a channel sends.
type (
	Notice  = notification.Notice
	Message = notification.Message
)

// Limits of what waits.
const (
	mostNotices = 200            // in a message
	longest     = 24 * time.Hour // that a message waits
	slowest     = 5 * time.Minute
	stale       = 15 * time.Minute // of another process's message: the process has ended
)

// Notifier sends notices. Its owner closes it.
type Notifier struct{ channels []*channel }

// New starts to send by channels. Messages that wait are files below dir; empty: they wait in
// memory. warn gets faults, once each.
func New(list []notification.Channel, dir string, c clock.Clock, warn func(string)) *Notifier {
	n := &Notifier{}
	for _, settings := range list {
		x := &channel{Channel: settings, clock: clock.Or(c), warn: warn,
			more: make(chan struct{}, 1), closing: make(chan struct{}), closed: make(chan struct{})}
		if dir != "" {
			x.dir = filepath.Join(dir, settings.Name)
			x.load()
		}
		n.channels = append(n.channels, x)
		go x.run()
	}
	return n
}

// Note sends a notice by the named channels; without names by each channel for its severity.
func (n *Notifier) Note(x Notice, names ...string) {
	for _, c := range n.channels {
		if slices.Contains(names, c.Name) || len(names) == 0 && rank(x.Severity) >= rank(c.Severity) {
			c.note(x)
		}
	}
}

// Files below the folder of messages, by which another process reaches all Notifiers there. The time of silentFile is
// the end of their silence, that of seenFile when the user saw the messages. No channel's name has a dot.
const (
	silentFile = ".silent"
	seenFile   = ".seen"
)

// Silence lets the Notifiers of a folder send nothing until a time: notices wait.
func Silence(dir string, until time.Time) error { return mark(dir, silentFile, until) }

// Seen ends the repetition of the messages that were sent before a time.
func Seen(dir string, now time.Time) error { return mark(dir, seenFile, now) }

func mark(dir, name string, at time.Time) error {
	err := folder.MakeOwn(dir)
	if err == nil {
		err = folder.Write(filepath.Join(dir, name), nil)
	}
	if err == nil {
		err = os.Chtimes(filepath.Join(dir, name), at, at)
	}
	return err
}

// marked returns the time of a file beside the channel's folder; zero: there is none.
func (c *channel) marked(name string) (at time.Time) {
	if c.dir != "" {
		if info, err := os.Stat(filepath.Join(filepath.Dir(c.dir), name)); err == nil {
			at = info.ModTime()
		}
	}
	return at
}

// rank returns the place of a severity in their order.
func rank(severity string) int { return slices.Index(notification.Severities, severity) }

// Close tries to send what waits, once, and leaves the rest on disk for the next Notifier.
func (n *Notifier) Close() {
	for _, c := range n.channels {
		close(c.closing)
	}
	for _, c := range n.channels {
		<-c.closed
	}
}

// channel sends by one way.
type channel struct {
	notification.Channel
	dir   string
	clock clock.Clock
	warn  func(string)
	more  chan struct{} // notices came

	mu      sync.Mutex
	pending []Notice
	dropped int       // beyond mostNotices
	since   time.Time // when the first of them came

	// of run alone
	queue           []*waiting // messages
	sent            []time.Time
	tries           int       // of the first message
	next            time.Time // when it is tried again
	fault           string    // that was warned of
	latest          *Message  // was sent at the time of latestAt, and is repeated until it is seen
	latestAt        time.Time
	held            string // file of the notices that wait for the end of a silence; empty: none
	heldCount       int    // of them
	closing, closed chan struct{}
}

// waiting is a message that is not sent.
type waiting struct {
	Message
	path string // empty: it could not be written
}

func (c *channel) note(x Notice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		c.since = c.clock.Now()
	}
	if len(c.pending) < mostNotices {
		c.pending = append(c.pending, x)
	} else {
		c.dropped++
		lesser := func(old Notice) bool { return rank(old.Severity) < rank(x.Severity) }
		if at := slices.IndexFunc(c.pending, lesser); at >= 0 { // it makes room
			c.pending = append(slices.Delete(c.pending, at, at+1), x)
		}
	}
	select {
	case c.more <- struct{}{}:
	default: // it is known
	}
}

func (c *channel) run() {
	defer close(c.closed)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for {
		wait := c.step(ctx, false)
		timer := c.clock.NewTimer(wait)
		select {
		case <-c.closing:
			timer.Stop()
			c.step(ctx, true)
			c.leave()
			return
		case <-c.more:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// step makes a message of the notices that have waited, and sends what is due. It returns the time until it is to be
// called next. At the end everything is due.
func (c *channel) step(ctx context.Context, end bool) (wait time.Duration) {
	now := c.clock.Now()
	c.sent = slices.DeleteFunc(c.sent, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	wait = slowest
	for _, w := range c.queue {
		if w.path != "" {
			_ = os.Chtimes(w.path, now, now) // its owner lives
		}
	}
	if c.held != "" {
		_ = os.Chtimes(c.held, now, now)
	}
	if silent := c.marked(silentFile).Sub(now); silent > 0 {
		if end {
			c.collect(now, end)
		} else {
			c.hold(now)
		}
		return min(wait, silent)
	}
	wait = min(wait, c.again(now, end))
	if due := c.collect(now, end); due > 0 {
		wait = min(wait, due)
	}
	for len(c.queue) > 0 {
		left := c.next.Sub(now)
		if n := len(c.sent); n >= c.Hourly {
			left = max(left, c.sent[n-c.Hourly].Add(time.Hour).Sub(now))
		}
		if left > 0 && !end {
			return min(wait, left)
		}
		if !c.send(ctx, now) && end {
			return 0
		}
		if c.Repeat > 0 && c.latest != nil {
			wait = min(wait, max(c.latestAt.Add(c.Repeat).Sub(now), time.Second))
		}
	}
	return wait
}

// again queues the latest message once more, if it is time and nobody has seen it. It returns the time until then.
func (c *channel) again(now time.Time, end bool) time.Duration {
	switch {
	case c.Repeat == 0 || c.latest == nil || end:
		return slowest
	case !c.marked(seenFile).Before(c.latestAt):
		c.latest = nil
		return slowest
	}
	if left := c.latestAt.Add(c.Repeat).Sub(now); left > 0 {
		return left
	}
	m := *c.latest
	c.latest, m.Time = nil, now
	m.Summary = "not seen yet: " + strings.TrimPrefix(m.Summary, "not seen yet: ")
	c.keep(m)
	return slowest
}

// collect queues the message of the notices that have waited, if it is time. It returns the time until then, as gather.
func (c *channel) collect(now time.Time, end bool) (due time.Duration) {
	m, due := c.gather(now, end)
	if m != nil {
		c.keep(*m)
		c.release()
	}
	return due
}

// hold keeps the notices that wait on disk, for the next Notifier if this one ends before the silence does.
func (c *channel) hold(now time.Time) {
	c.mu.Lock()
	count := len(c.pending) + c.dropped
	if count == 0 || count == c.heldCount {
		c.mu.Unlock()
		return
	}
	m := newMessage(slices.Clone(c.pending), c.dropped, now)
	c.mu.Unlock()
	path := c.write(m)
	c.release()
	c.held, c.heldCount = path, count
}

// release removes the file of the notices that were held.
func (c *channel) release() {
	if c.held != "" {
		_ = os.Remove(c.held)
	}
	c.held, c.heldCount = "", 0
}

// gather makes a message of the notices that have waited, unless as many messages as are sent in an hour wait already.
// Without one it returns the time until it will; 0: never.
func (c *channel) gather(now time.Time, end bool) (m *Message, due time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 {
		return nil, 0
	}
	if len(c.queue) >= c.Hourly && !end {
		return nil, slowest
	}
	due = c.since.Add(c.Wait).Sub(now)
	if len(c.sent) >= c.Hourly {
		due = max(due, c.sent[len(c.sent)-c.Hourly].Add(time.Hour).Sub(now))
	}
	if due > 0 && !end {
		return nil, due
	}
	m = newMessage(c.pending, c.dropped, now)
	c.pending, c.dropped = nil, 0
	return m, 0
}

// send tries the first message, and reports whether it waits no more.
func (c *channel) send(ctx context.Context, now time.Time) bool {
	first := c.queue[0]
	err := deliver(ctx, &c.Channel, &first.Message)
	var never refusal
	switch {
	case err == nil:
		c.fault = ""
		c.sent = append(c.sent, now)
		if c.Repeat > 0 {
			c.latest, c.latestAt = &first.Message, now
		}
	case errors.As(err, &never):
		c.complain(fmt.Sprintf("%v; the message is not sent: %s", err, first.Summary))
	case now.Sub(first.Time) > longest:
		c.complain(fmt.Sprintf("%v; for %v, and the message is given up: %s", err, longest, first.Summary))
	default:
		c.complain(fmt.Sprintf("%v; it is tried again", err))
		c.next = c.clock.Now().Add(min(slowest, time.Second<<min(c.tries, 10)))
		c.tries++
		return false
	}
	c.queue, c.tries, c.next = c.queue[1:], 0, time.Time{}
	if first.path != "" {
		_ = os.Remove(first.path) // a rest is sent once more
	}
	return true
}

// complain warns of a fault, once.
func (c *channel) complain(fault string) {
	if fault != c.fault {
		c.fault = fault
		c.warn("notify " + c.Name + ": " + fault)
	}
}

// newMessage puts notices together.
func newMessage(list []Notice, more int, now time.Time) *Message {
	m := &Message{Time: now, Notices: list, More: more, Severity: notification.Severities[0]}
	worst := list[0]
	for _, x := range list {
		if rank(x.Severity) > rank(worst.Severity) {
			worst = x
		}
	}
	m.Severity, m.Summary = worst.Severity, worst.Text
	if n := len(list) - 1 + more; n > 0 {
		m.Summary += fmt.Sprintf(" (and %d more)", n)
	}
	return m
}

// Names of the files of messages: of a Notifier that lives, and of one that has left them.
const (
	open = "open-"
	left = "left-"
)

// keep queues a message, on disk if possible.
func (c *channel) keep(m Message) {
	c.queue = append(c.queue, &waiting{Message: m, path: c.write(&m)})
}

// write writes a message to a file of its own and returns its path; empty: it waits in memory alone.
func (c *channel) write(m *Message) string {
	if c.dir == "" {
		return ""
	}
	data, err := json.Marshal(m)
	path := filepath.Join(c.dir, fmt.Sprintf("%s%020d-%s.json", open, m.Time.UnixNano(), rand.Text()))
	if err == nil {
		err = folder.MakeOwn(c.dir)
	}
	if err == nil {
		err = folder.Write(path, data)
	}
	if err != nil {
		c.complain(fmt.Sprintf("messages wait in memory only: %v", err))
		return ""
	}
	return path
}

// leave gives the messages that wait to the next Notifier.
func (c *channel) leave() {
	for _, w := range c.queue {
		if w.path == "" {
			c.complain("a message is lost: " + w.Summary)
			continue
		}
		name := strings.TrimPrefix(filepath.Base(w.path), open)
		if err := os.Rename(w.path, filepath.Join(c.dir, left+name)); err != nil {
			c.complain(err.Error())
		}
	}
	if len(c.queue) > 0 {
		c.complain(fmt.Sprintf("messages left in %s for the next watch: %d", c.dir, len(c.queue)))
	}
}

// load takes the messages that others have left.
func (c *channel) load() {
	entries, _ := os.ReadDir(c.dir) // it may not exist
	for _, e := range entries {
		info, err := e.Info()
		name, was := strings.CutPrefix(e.Name(), left)
		if err != nil || !was && (!strings.HasPrefix(name, open) || c.clock.Now().Sub(info.ModTime()) < stale) {
			continue
		}
		// fresh before it is renamed, and by a name of its own: of several Notifiers one takes it
		from, now := filepath.Join(c.dir, e.Name()), c.clock.Now()
		at, _, _ := strings.Cut(strings.TrimPrefix(name, open), "-")
		path := filepath.Join(c.dir, open+at+"-"+rand.Text()+".json")
		if os.Chtimes(from, now, now) != nil || os.Rename(from, path) != nil {
			continue // another Notifier has taken it
		}
		w := &waiting{path: path}
		data, err := intake.Read(path, intake.Limit{Bytes: 1 << 20})
		if err == nil {
			err = json.Unmarshal(data, &w.Message)
		}
		if err != nil || len(w.Notices) == 0 {
			c.warn(fmt.Sprintf("%s: no message: %v", path, err))
			_ = os.Remove(path)
			continue
		}
		c.queue = append(c.queue, w)
	}
}
