package main

// A terminal as far as the tests of dashboards need one: what the program's codes make of its screen.

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// emulator is a terminal of xterm's kind. It keeps unknown codes for the test to report.
type emulator struct {
	mu            sync.Mutex
	width, height int
	cells         [][]rune
	x, y          int
	top, bottom   int  // the lines that scroll
	full, hidden  bool // the other screen's buffer; the cursor
	normal        [][]rune
	nx, ny        int
	last          rune
	styled        bool
	unknown       []string
	rest          []byte
	queries       []string // what the terminal was asked
}

func newEmulator(width, height int) *emulator {
	e := &emulator{}
	e.resize(width, height)
	return e
}

func blank(width, height int) [][]rune {
	cells := make([][]rune, height)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", width))
	}
	return cells
}

func (e *emulator) resize(width, height int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := e.cells
	e.width, e.height, e.cells = width, height, blank(width, height)
	e.top, e.bottom = 0, height-1
	for y := range min(height, len(was)) {
		copy(e.cells[y], was[y])
	}
	e.x, e.y = min(e.x, width-1), min(e.y, height-1)
}

// screen is what is seen.
func (e *emulator) screen() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := make([]string, e.height)
	for y, row := range e.cells {
		lines[y] = strings.TrimRight(string(row), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// state is whether there is a full screen, and whether the cursor is hidden.
func (e *emulator) state() (full, hidden bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.full, e.hidden
}

func (e *emulator) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rest = append(e.rest, b...)
	for len(e.rest) > 0 {
		n := e.take(e.rest)
		if n == 0 {
			break
		}
		e.rest = e.rest[n:]
	}
	return len(b), nil
}

// take takes a character or a code, and returns its length; 0 if it is not whole.
func (e *emulator) take(b []byte) int {
	switch b[0] {
	case 0x1b:
		return e.code(b)
	case '\r':
		e.x = 0
	case '\n':
		e.down()
	case '\b':
		e.x = max(0, e.x-1)
	case '\t':
		e.x = min(e.width-1, e.x/8*8+8)
	default:
		if b[0] < ' ' {
			e.unknown = append(e.unknown, fmt.Sprintf("%q", b[0]))
			return 1
		}
		if !utf8.FullRune(b) {
			return 0
		}
		r, n := utf8.DecodeRune(b)
		e.put(r)
		return n
	}
	return 1
}

func (e *emulator) put(r rune) {
	if e.x >= e.width {
		e.x = 0
		e.down()
	}
	e.cells[e.y][e.x], e.last = r, r
	e.x++
}

func (e *emulator) down() {
	switch {
	case e.y == e.bottom:
		e.scroll(1)
	case e.y < e.height-1:
		e.y++
	}
}

// scroll moves the lines that scroll up, or down.
func (e *emulator) scroll(n int) {
	for ; n > 0; n-- {
		copy(e.cells[e.top:e.bottom], e.cells[e.top+1:e.bottom+1])
		e.cells[e.bottom] = []rune(strings.Repeat(" ", e.width))
	}
	for ; n < 0; n++ {
		copy(e.cells[e.top+1:e.bottom+1], e.cells[e.top:e.bottom])
		e.cells[e.top] = []rune(strings.Repeat(" ", e.width))
	}
}

// code takes a code that begins with escape.
func (e *emulator) code(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		if b[1] == 'M' { // up, or the screen goes down
			if e.y == e.top {
				e.scroll(-1)
			} else {
				e.y = max(0, e.y-1)
			}
			return 2
		}
		e.unknown = append(e.unknown, fmt.Sprintf("%q", b[:2]))
		return 2
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			e.control(string(b[2:i]), b[i])
			return i + 1
		}
	}
	return 0
}

// control obeys a control sequence.
func (e *emulator) control(parameters string, final byte) {
	if strings.HasPrefix(parameters, "?") && (final == 'h' || final == 'l') {
		e.mode(parameters[1:], final == 'h')
		return
	}
	arg := func(i, otherwise int) int {
		list := strings.Split(parameters, ";")
		if i < len(list) {
			if n, err := strconv.Atoi(list[i]); err == nil && n > 0 {
				return n
			}
		}
		return otherwise
	}
	row := e.cells[e.y]
	switch final {
	case 'm':
		e.styled = e.styled || strings.Contains(parameters, "3")
	case 'H', 'f':
		e.y, e.x = min(arg(0, 1), e.height)-1, min(arg(1, 1), e.width)-1
	case 'A':
		e.y = max(0, e.y-arg(0, 1))
	case 'B':
		e.y = min(e.height-1, e.y+arg(0, 1))
	case 'C':
		e.x = min(e.width-1, e.x+arg(0, 1))
	case 'D':
		e.x = max(0, e.x-arg(0, 1))
	case 'G', '`':
		e.x = min(arg(0, 1), e.width) - 1
	case 'd':
		e.y = min(arg(0, 1), e.height) - 1
	case 'K':
		switch parameters {
		case "1":
			e.clear(e.y, 0, e.x+1)
		case "2":
			e.clear(e.y, 0, e.width)
		default:
			e.clear(e.y, e.x, e.width)
		}
	case 'J':
		from := e.y + 1
		if parameters == "2" {
			from = 0
		} else {
			e.clear(e.y, e.x, e.width)
		}
		for y := from; y < e.height; y++ {
			e.clear(y, 0, e.width)
		}
	case 'X':
		e.clear(e.y, e.x, e.x+arg(0, 1))
	case 'b':
		for range arg(0, 1) {
			e.put(e.last)
		}
	case 'P':
		n := min(arg(0, 1), e.width-e.x)
		copy(row[e.x:], row[e.x+n:])
		e.clear(e.y, e.width-n, e.width)
	case '@':
		n := min(arg(0, 1), e.width-e.x)
		copy(row[e.x+n:], row[e.x:])
		e.clear(e.y, e.x, e.x+n)
	case 'r':
		e.top, e.bottom = arg(0, 1)-1, min(arg(1, e.height), e.height)-1
		e.x, e.y = 0, 0
	case 'S':
		e.scroll(arg(0, 1))
	case 'T':
		e.scroll(-arg(0, 1))
	case 'L', 'M':
		was := e.top
		e.top = e.y
		if final == 'L' {
			e.scroll(-arg(0, 1))
		} else {
			e.scroll(arg(0, 1))
		}
		e.top = was
	case 'c', 'n', 'p', 'u', 'x':
		e.queries = append(e.queries, parameters+string(final))
	default:
		e.unknown = append(e.unknown, parameters+string(final))
	}
}

// clear makes cells of a line blank.
func (e *emulator) clear(y, from, to int) {
	for x := from; x < min(to, e.width); x++ {
		e.cells[y][x] = ' '
	}
}

func (e *emulator) mode(name string, on bool) {
	switch name {
	case "1049":
		if on && !e.full {
			e.normal, e.nx, e.ny = e.cells, e.x, e.y
			e.cells = blank(e.width, e.height)
		} else if !on && e.full {
			e.cells, e.x, e.y = blank(e.width, e.height), e.nx, e.ny
			for y := range min(e.height, len(e.normal)) {
				copy(e.cells[y], e.normal[y])
			}
			e.x, e.y = min(e.x, e.width-1), min(e.y, e.height-1)
		}
		e.full = on
	case "25":
		e.hidden = !on
	case "7": // lines that wrap
	default:
		e.unknown = append(e.unknown, "?"+name)
	}
}
