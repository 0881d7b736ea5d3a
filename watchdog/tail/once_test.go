package tail_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// world is a writer, a rotator and a reader of one file.
type world struct {
	*memory
	t        *rapid.T
	clock    *clock.Manual
	file     *tail.File
	writer   *node  // the file that the writer has open
	pending  string // half a line that was written
	want     []string
	got      []string
	notes    []string
	rotation int
	dates    bool // rotated files are named by date, not by number
	left     bool // the writer's file is no more at the path
	read     int  // of the bytes of the writer's file, so many were there at the last poll
}

const followed = "/run/log"

func (w *world) open(at tail.Position) {
	w.file = tail.Open(followed, at, tail.Options{Clock: w.clock, System: w.memory})
}

// write adds a line or a part of one.
func (w *world) write() {
	text := rapid.StringMatching(`[a-z0-9 ]{0,300}`).Draw(w.t, "text")
	if w.pending == "" {
		text = fmt.Sprintf("%d ", len(w.want)) + text
	}
	w.pending += text
	if rapid.Bool().Draw(w.t, "end") {
		w.finishLine(text)
		return
	}
	w.add(w.writer, text)
}

func (w *world) finishLine(text string) {
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\r"}).Draw(w.t, "line end")
	w.add(w.writer, text+end)
	w.want = append(w.want, w.pending)
	w.pending = ""
}

// reopen lets the writer go to the file at the path.
func (w *world) reopen() {
	if !w.left {
		return
	}
	if w.pending != "" {
		w.finishLine("")
	}
	if w.names[followed] == nil {
		w.create(followed)
	}
	w.writer, w.left, w.read = w.names[followed], false, 0
}

// shift names the rotated files anew and returns the name of the next one.
func (w *world) shift() string {
	w.rotation++
	if w.dates {
		return fmt.Sprintf("%s-20261122-%06d", followed, w.rotation)
	}
	for n := w.rotation; n > 0; n-- {
		if name := fmt.Sprintf("%s.%d", followed, n); w.names[name] != nil {
			w.rename(name, fmt.Sprintf("%s.%d", followed, n+1))
		}
	}
	return followed + ".1"
}

func (w *world) rotate() {
	if w.names[followed] == nil {
		return
	}
	w.rename(followed, w.shift())
	w.left = true
	if rapid.Bool().Draw(w.t, "create") {
		w.create(followed)
	}
}

// copyTruncate needs a writer at the end of a line, and a file of which something was read.
func (w *world) copyTruncate() {
	if w.left || w.pending != "" || w.read == 0 {
		return
	}
	w.add(w.create(w.shift()), string(w.writer.data))
	w.writer.data, w.writer.modified, w.writer.before, w.writer.arrived = nil, w.now, 0, 0
	if rapid.Bool().Draw(w.t, "polled") {
		w.poll()
	}
}

func (w *world) poll() {
	for n := 0; ; n++ {
		more, err := w.file.Poll(func(l tail.Line) {
			if l.Note == tail.Plain {
				w.got = append(w.got, string(l.Text))
			} else {
				w.notes = append(w.notes, l.Note.String())
			}
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if !more || n > 1000 {
			break
		}
		if rapid.IntRange(0, 9).Draw(w.t, "crash between") == 0 {
			w.restart()
		}
	}
	if !w.network {
		w.read = len(w.writer.data)
	}
}

// restart lets another process read on.
func (w *world) restart() {
	data := must.Value(json.Marshal(w.file.Position()))(w.t)
	var at tail.Position
	must.OK(w.t, json.Unmarshal(data, &at))
	must.OK(w.t, w.file.Close())
	w.open(at)
}

// remove deletes a file that was read to its end, and lets the writer make another one.
func (w *world) remove() {
	if w.left || w.pending != "" || w.network {
		return
	}
	w.poll()
	delete(w.names, followed)
	w.left = true
	w.reopen()
	w.poll()
}

func (w *world) pass(d time.Duration) {
	w.clock.Advance(d)
	w.now = w.now.Add(d)
}

// Whatever the writes, rotations, polls and restarts of the reader, each line comes once; on a file system without
// delays in order.
func TestEveryLineOnce(t *testing.T) {
	for _, network := range []bool{false, true} {
		t.Run(map[bool]string{false: "local", true: "network"}[network], func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) { once(t, network) })
		})
	}
}

func once(t *rapid.T, network bool) {
	w := &world{memory: newMemory(), t: t, clock: clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	w.network, w.dates = network, rapid.Bool().Draw(t, "dates")
	w.stale = func() bool { return rapid.IntRange(0, 5).Draw(t, "stale") == 0 }
	w.open(tail.Position{})
	w.poll0()
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "tick") {
			w.now = w.now.Add(4 * time.Millisecond)
		}
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0, 1, 2:
			w.write()
		case 3:
			w.poll()
		case 4:
			w.restart()
		case 5:
			w.rotate()
		case 6:
			w.reopen()
		case 7:
			w.copyTruncate()
		case 8:
			w.remove()
		case 9:
			if network {
				w.settle()
			} else {
				w.reopen()
				w.poll()
				w.pass(rapid.SampledFrom([]time.Duration{time.Second, 6 * time.Second}).Draw(t, "time"))
			}
		}
	}
	if w.pending != "" {
		w.finishLine("")
	}
	w.reopen()
	for range 60 { // a restart begins a wait anew
		w.settle()
		w.poll()
		w.pass(tail.RotateWait)
		w.stale = func() bool { return false }
	}
	if network {
		slices.Sort(w.want)
		slices.Sort(w.got)
	}
	if diff := cmp.Diff(w.want, w.got); diff != "" {
		t.Fatalf("notes %s (-want +got)\n%s", strings.Join(w.notes, ", "), diff)
	}
	must.OK(t, w.file.Close())
	must.Equal(t, 0, w.opens)
}

// poll0 begins: the file is there and was looked at.
func (w *world) poll0() {
	w.writer = w.create(followed)
	w.settle()
	w.poll()
}

// memory is a file system in memory. Of a network it shows what NFS shows: a folder as it was a while ago, sizes as
// they were a while ago (sometimes even to one who has just opened the file), to an open handle nothing that came
// later, and zeros where data are to come.
type memory struct {
	names   map[string]*node
	shown   map[string]*node // what List shows of a network
	network bool
	now     time.Time
	inode   uint64
	stale   func() bool // of a network: whether the next size is that of before
	opens   int
	denied  bool
}

type node struct {
	inode    uint64
	data     []byte
	modified time.Time
	before   int // its size a while ago
	arrived  int // data from here on are not visible yet
}

type opened struct {
	*node
	m    *memory
	size int
}

func newMemory() *memory {
	return &memory{names: map[string]*node{}, now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
		stale: func() bool { return false }}
}

func (m *memory) create(path string) *node {
	m.inode++
	n := &node{inode: m.inode, modified: m.now}
	m.names[path] = n
	return n
}

func (m *memory) add(n *node, text string) {
	n.data = append(n.data, text...)
	n.modified = m.now
}

func (m *memory) rename(from, to string) {
	m.names[to] = m.names[from]
	delete(m.names, from)
}

// settle makes all visible.
func (m *memory) settle() {
	m.shown = maps.Clone(m.names)
	for _, n := range m.names {
		n.before, n.arrived = len(n.data), len(n.data)
	}
}

func (m *memory) find(path string) (*node, error) {
	n := m.names[path]
	switch {
	case n == nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case m.denied:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	return n, nil
}

func (m *memory) Open(path string) (tail.Handle, error) {
	n, err := m.find(path)
	if err != nil {
		return nil, err
	}
	m.opens++
	size := len(n.data)
	if m.network && m.stale() {
		size = n.before
	}
	return &opened{n, m, size}, nil
}

func (m *memory) Info(path string) (tail.Info, error) {
	n, err := m.find(path)
	if err != nil {
		return tail.Info{}, err
	}
	size := len(n.data)
	if m.network {
		size = n.before
	}
	return tail.Info{Inode: n.inode, Size: int64(size), Modified: n.modified}, nil
}

func (m *memory) List(folder string) (names []string, err error) {
	list := m.names
	if m.network {
		list = m.shown
	}
	for path := range list {
		if filepath.Dir(path) == folder {
			names = append(names, filepath.Base(path))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memory) Network(string) bool { return m.network }

func (o *opened) Info() (tail.Info, error) {
	size := len(o.data)
	if o.m.network {
		size = min(o.size, len(o.data))
	}
	return tail.Info{Inode: o.inode, Size: int64(size), Modified: o.modified}, nil
}

func (o *opened) ReadAt(p []byte, off int64) (int, error) {
	end := len(o.data)
	if o.m.network {
		end = min(end, o.size)
	}
	if off >= int64(end) {
		return 0, io.EOF
	}
	n := copy(p, o.data[off:end])
	if o.m.network && int(off)+n > o.arrived {
		clear(p[max(0, o.arrived-int(off)):n])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (o *opened) Close() error {
	if o.node == nil {
		return errors.New("closed twice")
	}
	o.m.opens--
	o.node = nil
	return nil
}
