package tail_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// memory is a file system in memory. Of a network it shows what NFS shows: a folder as it was a while ago, sizes as they were a
// while ago (sometimes even to one who has just opened the file), to an open handle nothing that came later, and zeros where data
// are to come.
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
	return &memory{names: map[string]*node{}, now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), stale: func() bool { return false }}
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
