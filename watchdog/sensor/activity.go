package sensor

// The sensors of what a thread does: regions, messages, children, marks of the author.

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Area is a region of the program in one thread. It is an alias, as [Taker] is. Regions nest: an area may be entered
// again before it is left.
type Area = interface {
	Enter()
	Leave()
}

// Region returns a region in a thread, for a block; see [Board.Sensor].
func (b *Board) Region(name, of, block string) Area {
	return b.instance(name, Origin{Thread: of, Block: block}, Region)
}

// Enter implements [Area].
func (i *instance) Enter() { i.enter(Enter, nil) }

// Leave implements [Area]. It records only what Enter has begun to record, so that a sensor may be switched within.
func (i *instance) Leave() { i.leave(nil) }

func (i *instance) enter(step Step, values []float64) {
	i.open <<= 1
	if every := i.every.Load(); every != 0 && i.isTurn(every) {
		i.open |= 1
		i.put(step, values)
	}
}

func (i *instance) leave(values []float64) {
	if i.open&1 != 0 {
		i.put(Leave, values)
	}
	i.open >>= 1
}

// Channel is the messages of a type between a thread and another process: their sends, or their receives.
type Channel struct {
	i      *instance
	values [2]float64
}

// Channel returns the messages of a sensor of sends or receives with a peer; see [Board.Sensor]. A thread asks for a
// channel when it begins, as the numbers of messages count from there.
func (b *Board) Channel(name, of, peer string, typ int64) *Channel {
	return &Channel{i: b.instance(name, Origin{Thread: of, Peer: peer, Type: typ}, Send, Receive)}
}

// Begin records the begin of a send of so many bytes, or of a receive for which the thread waits, whose bytes are not
// known yet: 0. It returns the number of the message.
func (c *Channel) Begin(bytes int64) (count uint64) {
	c.i.messages++
	c.values = [2]float64{float64(bytes), float64(c.i.messages)}
	c.i.enter(Enter, c.values[:])
	return c.i.messages
}

// End records the end of the last send, or receive, that was begun.
func (c *Channel) End(bytes int64) {
	c.values = [2]float64{float64(bytes), float64(c.i.messages)}
	c.i.leave(c.values[:])
}

// Call records the begin of a receive for which the thread does not wait, and returns the number of the message.
func (c *Channel) Call() (count uint64) {
	c.i.messages++
	if c.i.On() {
		c.values = [2]float64{0, float64(c.i.messages)}
		c.i.put(Called, c.values[:])
	}
	return c.i.messages
}

// Done records that the message of a Call has arrived.
func (c *Channel) Done(count uint64, bytes int64) {
	if c.i.On() {
		c.values = [2]float64{float64(bytes), float64(count)}
		c.i.put(Whole, c.values[:])
	}
}

// Fork records that a thread starts a process or thread.
func (b *Board) Fork(name, of, child string) { b.child(name, of, child, Fork) }

// Join records that a thread has awaited the end of a process or thread.
func (b *Board) Join(name, of, child string) { b.child(name, of, child, Join) }

func (b *Board) child(name, of, child string, kind Kind) {
	if i := b.instance(name, Origin{Thread: of, Peer: child}, kind); i.On() {
		i.put(Whole, nil)
	}
}

// Mark is a marker of the author in one thread.
type Mark struct {
	i     *instance
	words []uint64
}

// Mark returns a marker in a thread; see [Board.Sensor].
func (b *Board) Mark(name, of string) *Mark {
	return &Mark{i: b.instance(name, Origin{Thread: of}, Marker)}
}

// mostText is the length of the longest text of a marker, bytes; longer ones are cut.
const mostText = 4096

// Int records an integer of a marker of integers. One that its form cannot hold is a mistake of the program: it panics.
func (m *Mark) Int(x int64) {
	bits := map[Form]int{Int8: 8, Int16: 16, Int32: 32, Int64: 64}[m.i.form()]
	if bits == 0 || x < math.MinInt64>>(64-bits) || x > math.MaxInt64>>(64-bits) {
		panic(fmt.Sprintf("marker %s: %d is no %s", m.i.origin.Spec.Name, x, m.i.form()))
	}
	m.put(append(m.words[:0], uint64(x)))
}

// Float records a number of a marker of float64 or float32.
func (m *Mark) Float(x float64) {
	if form := m.i.form(); form != "" && form != Float32 {
		panic(fmt.Sprintf("marker %s: %g is no %s", m.i.origin.Spec.Name, x, form))
	}
	m.i.Record(x)
}

// Text records a text of a marker of texts.
func (m *Mark) Text(text string) {
	if form := m.i.form(); form != Text {
		panic(fmt.Sprintf("marker %s: a text is no %s", m.i.origin.Spec.Name, form))
	}
	if !m.i.On() {
		return
	}
	text = text[:min(len(text), mostText)]
	words := append(m.words[:0], uint64(len(text)))
	for ; len(text) >= 8; text = text[8:] {
		words = append(words, binary.LittleEndian.Uint64([]byte(text[:8])))
	}
	if text != "" {
		var last [8]byte
		copy(last[:], text)
		words = append(words, binary.LittleEndian.Uint64(last[:]))
	}
	m.put(words)
}

func (m *Mark) put(words []uint64) {
	m.words = words
	i := m.i
	if every := i.every.Load(); every == 0 || !i.isTurn(every) {
		return
	}
	at, timed, ok := i.begin(len(words))
	if ok {
		i.thread.ring.putWords(i.number, at, i.sequence, words)
		i.board.bell.ring()
	}
	if timed {
		i.cost.took(i.board.now() - at)
	}
}
