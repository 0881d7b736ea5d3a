package main

// A terminal as far as the tests of dashboards need one: what the program's codes make of its screen.

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
)

// emulator is a terminal of xterm's kind. It keeps unknown codes for the test to report.
type emulator struct {
	mu            sync.Mutex
	parser        *ansi.Parser
	width, height int
	cells         [][]rune
	x, y          int
	top, bottom   int  // the lines that scroll
	full, hidden  bool // the other screen's buffer; the cursor
	normal        [][]rune
	nx, ny        int
	last          rune
	styled        bool // with colours
	unknown       []string
	queries       []string // what the terminal was asked
}

func newEmulator(width, height int) *emulator {
	e := &emulator{parser: ansi.NewParser()}
	text := func(data []byte) { e.unknown = append(e.unknown, string(data)) }
	e.parser.SetHandler(ansi.Handler{
		Print: e.put, Execute: e.execute, HandleEsc: e.escape, HandleCsi: e.control,
		HandleOsc: func(_ int, data []byte) { text(data) },
		HandleDcs: func(_ ansi.Cmd, _ ansi.Params, data []byte) { text(data) },
		HandlePm:  text, HandleApc: text, HandleSos: text,
	})
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
	for _, c := range b {
		e.parser.Advance(c)
	}
	return len(b), nil
}

// execute obeys a control character.
func (e *emulator) execute(c byte) {
	switch c {
	case '\r':
		e.x = 0
	case '\n':
		e.down()
	case '\b':
		e.x = max(0, e.x-1)
	case '\t':
		e.x = min(e.width-1, e.x/8*8+8)
	default:
		e.unknown = append(e.unknown, fmt.Sprintf("%q", c))
	}
}

// escape obeys a code of escape and a letter.
func (e *emulator) escape(c ansi.Cmd) {
	switch {
	case c != 'M':
		e.unknown = append(e.unknown, fmt.Sprintf("escape %q", rune(c)))
	case e.y == e.top: // up, or the screen goes down
		e.scroll(-1)
	default:
		e.y = max(0, e.y-1)
	}
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

// control obeys a control sequence.
func (e *emulator) control(c ansi.Cmd, parameters ansi.Params) {
	arg := func(i, otherwise int) int {
		if n, _, _ := parameters.Param(i, 0); n > 0 {
			return n
		}
		return otherwise
	}
	name := fmt.Sprintf("%s%v%c", strings.Trim(string(c.Prefix()), "\x00"), parameters, c.Final())
	switch final := c.Final(); {
	case slices.Contains([]byte("cnpux"), final):
		e.queries = append(e.queries, name)
		return
	case c.Prefix() == '?' && (final == 'h' || final == 'l'):
		e.mode(arg(0, 0), final == 'h')
		return
	}
	row := e.cells[e.y]
	switch c.Final() {
	case 'm':
		e.styled = e.styled || slices.ContainsFunc(parameters, func(p ansi.Param) bool { return p.Param(0) >= 30 })
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
		from, to := [...]int{e.x, 0, 0}, [...]int{e.width, e.x + 1, e.width}
		e.clear(e.y, from[arg(0, 0)], to[arg(0, 0)])
	case 'J':
		from := e.y + 1
		if arg(0, 0) == 2 {
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
		was, n := e.top, arg(0, 1)
		if c.Final() == 'L' {
			n = -n
		}
		e.top = e.y
		e.scroll(n)
		e.top = was
	default:
		e.unknown = append(e.unknown, name)
	}
}

// clear makes cells of a line blank.
func (e *emulator) clear(y, from, to int) {
	for x := from; x < min(to, e.width); x++ {
		e.cells[y][x] = ' '
	}
}

func (e *emulator) mode(number int, on bool) {
	switch number {
	case 1049:
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
	case 25:
		e.hidden = !on
	case 7: // lines that wrap
	case 2004: // marks around what is pasted: bubbletea may switch off what is off
		if on {
			e.unknown = append(e.unknown, "?2004h")
		}
	default:
		e.unknown = append(e.unknown, fmt.Sprint("?", number))
	}
}
