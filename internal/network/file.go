package network

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// FileError is a problem of a network's file.
type FileError struct {
	Line, Column int
	Message      string
}

func (e *FileError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// Read reads a network from a text of numbers: that of the nodes, then for each node
//
//	id (neighbour bandwidth)* -1
//
// in any order, with bandwidths in B/s. The first nodes are the processors. A # begins a comment. The error joins all
// problems, each a [*FileError], then those of [New].
func Read(from io.Reader, processors int) (*Graph, error) {
	f := &fileReader{in: bufio.NewReader(from), line: 1}
	links, nodes := f.read()
	if f.failed != nil {
		return nil, f.failed
	}
	if err := f.list.join(); err != nil {
		return nil, err
	}
	return New(processors, nodes, links)
}

// fileReader reads words with their places.
type fileReader struct {
	in           *bufio.Reader
	line, column int    // of the next byte, column from 0
	word         []byte // the last word
	at           FileError
	list         problems
	failed       error // of the input
}

func (f *fileReader) fail(format string, values ...any) {
	e := f.at
	e.Message = fmt.Sprintf(format, values...)
	f.list.add(&e)
}

// next reads a word; false at the end. A word is at most 64 bytes; the rest of a longer one is left out.
func (f *fileReader) next() bool {
	f.word = f.word[:0]
	comment := false
	for {
		c, err := f.in.ReadByte()
		if err != nil {
			if err != io.EOF {
				f.failed = err
			}
			if len(f.word) == 0 {
				f.at = FileError{Line: f.line, Column: f.column + 1}
			}
			return len(f.word) > 0 && f.failed == nil
		}
		f.column++
		switch {
		case c == '\n':
			f.line, f.column, comment = f.line+1, 0, false
			if len(f.word) > 0 {
				return true
			}
		case comment:
		case c == ' ' || c == '\t' || c == '\r':
			if len(f.word) > 0 {
				return true
			}
		case c == '#' && len(f.word) == 0:
			comment = true
		default:
			if len(f.word) == 0 {
				f.at = FileError{Line: f.line, Column: f.column}
			}
			if len(f.word) < 64 {
				f.word = append(f.word, c)
			}
		}
	}
}

// whole is the word as a whole number.
func (f *fileReader) whole(what string) (int, bool) {
	n, err := strconv.Atoi(string(f.word))
	if err != nil {
		f.fail("%q is no %s; want a whole number", f.word, what)
	}
	return n, err == nil
}

func (f *fileReader) read() (links []Link, nodes int) {
	if !f.next() {
		f.fail("empty; a network begins with its number of nodes")
		return nil, 0
	}
	nodes, ok := f.whole("number of nodes")
	if ok && (nodes < 1 || nodes > MostNodes) {
		f.fail("%d nodes; want 1 to %d", nodes, MostNodes)
		ok = false
	}
	if !ok {
		return nil, 0
	}
	seen, found := make([]bool, nodes), 0
	for f.next() && f.list.count < 10*mostProblems && len(links) <= MostLinks {
		id, ok := f.whole("node")
		switch {
		case !ok:
			id = -1
		case id < 0 || id >= nodes:
			f.fail("node %d; nodes are 0 to %d", id, nodes-1)
			id = -1
		case seen[id]:
			f.fail("node %d has its links already", id)
		default:
			seen[id] = true
			found++
		}
		links = f.links(links, id, nodes)
	}
	if missing := nodes - found; missing > 0 && f.list.count == 0 {
		f.fail("%d of %d nodes are missing", missing, nodes)
	}
	return links, nodes
}

// links reads the links of a node to its -1; of node -1, which is none, it only passes them. If it ends with half a
// link the -1 at the end of the node's line is missing.
func (f *fileReader) links(links []Link, id, nodes int) []Link {
	begin, before := f.at.Line, f.list
	var later FileError // the first word on a later line
	ended := func(whole bool) []Link {
		switch {
		case id < 0:
			f.list = before
		case !whole && later.Line > 0:
			f.list, f.at = before, later
			f.fail("no -1 behind the links of node %d of line %d", id, begin)
		}
		return links
	}
	for f.next() {
		if f.at.Line > begin && later.Line == 0 {
			later = f.at
		}
		to, ok := f.whole("neighbour, nor the -1 behind the last")
		switch {
		case ok && to == -1:
			return ended(true)
		case ok && (to < 0 || to >= nodes):
			f.fail("a link of node %d to %d, which leads nowhere; nodes are 0 to %d", id, to, nodes-1)
		case ok && to == id:
			f.fail("a link of node %d to itself", id)
		}
		if !f.next() {
			f.fail("no bandwidth of the link of node %d to %d", id, to)
			return ended(false)
		}
		rate, err := strconv.ParseFloat(string(f.word), 64)
		switch {
		case err != nil && !math.IsInf(rate, 0):
			f.fail("%q is no bandwidth; want a number of B/s", f.word)
		case math.IsInf(rate, 0) || rateFault(rate) != "":
			f.fail("the link of node %d to %d has bandwidth %s; want a finite one above 0", id, to, f.word)
			if rate == -1 {
				return ended(false) // the -1 behind the last link: a word is missing before it
			}
		}
		if len(links) > MostLinks {
			f.fail("more than %d links", MostLinks)
			return links
		}
		links = append(links, Link{From: int32(id), To: int32(to), Bandwidth: rate})
	}
	f.fail("the links of node %d end without -1", id)
	return ended(true)
}
