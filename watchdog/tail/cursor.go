package tail

// Reading whole lines from an open file.

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// chunkSize is the most that a poll reads of a file, bytes. It limits memory and the size of messages.
	chunkSize = 256 << 10
	// near is the offset up to which a file is read from its start, so that a single read covers the head and the rest.
	near = 4 << 10
)

// buffers are shared by all files: a file has a buffer only while it is read.
var buffers = sync.Pool{New: func() any { b := make([]byte, near+chunkSize); return &b }}

// errChanged reports that the file is a different one, or was truncated.
var errChanged = errors.New("the file was truncated or rewritten")

// cursor is an open file and how far it was read.
type cursor struct {
	Position
	file  Handle    // nil: not open
	seen  Info      // when it was read to its end
	zeros int64     // so many bytes from Offset on are NUL
	hole  time.Time // since when NUL bytes have been waited for
	rest  bool      // bytes of a line that is not whole yet follow
}

// read reads the next chunk of whole lines. Info is the file's description now.
func (c *cursor) read(f *File, info Info, take func(Line)) (more bool, err error) {
	if c.seen.Size == info.Size && c.seen.Modified.Equal(info.Modified) && !c.seen.Modified.IsZero() {
		return false, nil
	}
	if info.Size < c.Offset {
		return false, errChanged
	}
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	before := c.Length
	if c.Offset <= near {
		before = int(c.Offset)
	}
	unread := info.Size - c.Offset
	data := (*b)[:before+int(min(unread, chunkSize))]
	n, err := c.file.ReadAt(data, c.Offset-int64(before))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if n < before || !c.anchored(data[:before]) {
		return false, errChanged
	}
	data = data[:n]
	if err := c.head(data, before); err != nil {
		return false, err
	}
	whole := n == before+int(min(unread, chunkSize)) // not cut while it was read
	wait := false
	switch {
	case c.wide(data[before:], take):
		unread = 0
	case c.skips(data[before:]):
		more, wait, err = c.skipZeros(f, info, data[before:])
		if more || err != nil {
			return more, err
		}
		unread = 0 // all of it was looked at
	default:
		wait = c.consume(f, data, before, take)
	}
	more = unread > chunkSize && !wait
	if !more && !wait && whole {
		c.seen, c.Modified = info, info.Modified.UnixNano()
	}
	return more, nil
}

// anchored reports whether the file holds the bytes that were read last; before ends with them.
func (c *cursor) anchored(before []byte) bool {
	return c.Length <= len(before) && (c.Length == 0 || hash(before[len(before)-c.Length:]) == c.Anchor)
}

// head compares the first bytes of the file with the bytes read before, and remembers more of them.
func (c *cursor) head(data []byte, before int) error {
	first := data
	if c.Offset != int64(before) { // data do not begin with the file
		first = make([]byte, anchorLength)
		n, err := c.file.ReadAt(first, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		first = first[:n]
	}
	if c.HeadLength > len(first) || c.HeadLength > 0 && hash(first[:c.HeadLength]) != c.Head {
		return errChanged
	}
	if c.HeadLength < anchorLength {
		first = first[:min(len(first), anchorLength)]
		if i := bytes.IndexByte(first, 0); i >= 0 { // the writer may still fill it
			first = first[:i]
		}
		if len(first) > c.HeadLength {
			c.HeadLength, c.Head = len(first), hash(first)
		}
	}
	return nil
}

// wide reports whether the file is in UTF-16, with a note the first time.
func (c *cursor) wide(data []byte, take func(Line)) bool {
	if c.Offset > 0 || !bytes.HasPrefix(data, []byte{0xff, 0xfe}) && !bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return false
	}
	if !c.Wide {
		c.Wide = true
		take(Line{Note: Wide})
	}
	return true
}

// skips reports whether data from the position on are NUL bytes to be skipped: several at the start of a file (a single
// NUL is garbage), or NUL bytes alone.
func (c *cursor) skips(data []byte) bool {
	if len(data) == 0 || data[0] != 0 {
		return false
	}
	return c.Offset == 0 && len(data) > 1 && data[1] == 0 || zeros(data) == len(data)
}

// zeros is the number of NUL bytes that data begin with.
func zeros(data []byte) (n int) {
	for len(data)-n >= len(block) && bytes.Equal(data[n:n+len(block)], block[:]) {
		n += len(block)
	}
	for n < len(data) && data[n] == 0 {
		n++
	}
	return n
}

var block [4 << 10]byte

// skipZeros moves to the first byte that is not NUL. If all are NUL, a writer has reserved space that it will fill
// later.
func (c *cursor) skipZeros(f *File, info Info, data []byte) (more, wait bool, err error) {
	if f.waits(&c.hole) {
		return false, true, nil
	}
	if c.zeros > 0 {
		n, err := c.file.ReadAt(data[:cap(data)], c.Offset+c.zeros)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, false, err
		}
		data = data[:n]
	}
	i := zeros(data)
	if i == len(data) {
		c.zeros += int64(len(data))
		return len(data) > 0 && c.Offset+c.zeros < info.Size, false, nil
	}
	c.hole = time.Time{}
	c.Offset += c.zeros + int64(i)
	c.zeros = 0
	c.Length = int(min(c.Offset, anchorLength))
	c.Anchor = hash(make([]byte, c.Length))
	return true, false, nil
}

// consume takes the lines in data[before:] and moves the position after them. On a network file system it waits before
// a line with NUL bytes.
func (c *cursor) consume(f *File, data []byte, before int, take func(Line)) (wait bool) {
	end := len(data)
	if f.network {
		if i := bytes.IndexByte(data[before:], 0); i < 0 {
			c.hole = time.Time{}
		} else if f.waits(&c.hole) {
			wait, end = true, before+i
		}
	}
	for end > before && data[end-1] == 0 { // to be filled by the writer
		end--
	}
	at := c.split(data[:end], before, take)
	if at == before && !wait && len(data)-before == chunkSize { // part of a line that is too long
		end = len(data)
		at = c.split(data, before, take)
	}
	c.rest = at < end
	c.zeros = 0
	c.Offset += int64(at - before)
	c.Length = min(at, anchorLength)
	c.Anchor = hash(data[at-c.Length : at])
	return wait
}

var mark = []byte("\xef\xbb\xbf") // of UTF-8

// split takes the lines in data[at:] and returns where the first line begins that is not whole.
func (c *cursor) split(data []byte, at int, take func(Line)) int {
	if c.Return && at < len(data) {
		if data[at] == '\n' {
			at++
		}
		c.Return = false
	}
	start := at
	if c.Offset == 0 && bytes.HasPrefix(data[at:], mark) {
		start += len(mark)
	}
	feed := -1 // of the next LF, if that is known
	for {
		if feed < start {
			if feed = bytes.IndexByte(data[start:], '\n'); feed < 0 {
				feed = len(data)
			} else {
				feed += start
			}
		}
		end, next := feed, feed+1
		if i := bytes.IndexByte(data[start:feed], '\r'); i >= 0 {
			if end = start + i; end+1 < feed || feed == len(data) {
				next = end + 1
			}
		} else if feed == len(data) {
			break
		}
		if !c.Skip {
			take(line(data[start:end]))
		}
		c.Skip = false
		at, start = next, next
		if next == len(data) {
			c.Return = data[next-1] == '\r'
			return at
		}
	}
	if c.Skip || len(data)-start > MaxLine {
		if !c.Skip {
			take(line(data[start:]))
		}
		c.Skip = true
		return len(data)
	}
	return at
}

func line(text []byte) Line {
	if len(text) > MaxLine {
		return Line{Text: text[:MaxLine], Note: TooLong}
	}
	return Line{Text: text}
}

// unfinished takes the bytes after the last whole line of a complete file.
func (c *cursor) unfinished(take func(Line)) {
	c.rest = false
	if c.Skip || c.Wide {
		return
	}
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	text := (*b)[:MaxLine+len(mark)]
	n, _ := c.file.ReadAt(text, c.Offset) // a failed read adds no bytes
	text = text[:n]
	if c.Offset == 0 {
		text = bytes.TrimPrefix(text, mark)
	}
	if c.Return {
		text = bytes.TrimPrefix(text, []byte("\n"))
	}
	if text = bytes.TrimLeft(text, "\x00"); len(text) > 0 {
		take(Line{Text: text, Note: Unfinished})
	}
}

// close releases the file.
func (c *cursor) close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file, c.seen, c.zeros = nil, Info{}, 0
	return err
}
