package dashboard

// What is looked at: which runs, in which order, which of them is pointed to, and what keys change in that.

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Model is a board as somebody looks at it. It is for one goroutine.
type Model struct {
	Quit string // what q does, for the line of help, as in "quit"
	Stop string // how to stop what is shown, for the page of help

	// Act has done what a key wants; nil: nothing can be. It returns at once, and what becomes of it is said by Say.
	// No other method of the model may be called by it.
	Act func(Action)

	board         *Board
	width, height int
	pen           *pen
	common        string // what all names of runs begin with

	pointed  string // the run that is pointed to
	top      int    // the first line of the table that is shown
	chosen   map[string]bool
	only     bool // the chosen ones alone are shown
	sort     order
	reversed bool
	filter   string
	typing   bool // the filter is being typed
	before   string
	at       page
	scroll   int // of a page that is longer than the screen
	said     string
	toStop   string // the run that the next key may stop: the user is asked to confirm
}

// page is what fills the screen.
type page int

const (
	table page = iota
	one
	help
)

// order is by what runs are sorted.
type order int

const (
	byPhase order = iota
	byNumber
	byName
	byState
	byResidual
	byTime
	orders
)

func (o order) String() string {
	return [...]string{"running first", "begun", "name", "state", "residual", "time left"}[o]
}

// NewModel looks at a board. With plain characters alone are drawn that ASCII has.
func NewModel(b *Board, plain bool) *Model {
	m := &Model{Quit: "quit", board: b, width: 80, height: 24, pen: &blocks, chosen: map[string]bool{}}
	if plain {
		m.pen = &ascii
	}
	return m
}

// Resize says how many cells the screen has.
func (m *Model) Resize(width, height int) { m.width, m.height = max(1, width), max(1, height) }

// Say shows a text in place of the line of help, until a key is pressed.
func (m *Model) Say(text string) { m.said = text }

// Key takes a key by its name: a character, or up, down, pgup, pgdown, home, end, left, right, enter, esc, tab,
// backspace. It reports whether the screen is to be closed.
func (m *Model) Key(key string) (quit bool) {
	m.said = ""
	if m.typing {
		m.typed(key)
		return false
	}
	if m.at != help && m.act(key) {
		return false
	}
	switch m.at {
	case help:
		m.at = table
		return false
	case one:
		return m.oneKey(key)
	}
	return m.tableKey(key)
}

// typed takes a key of the filter.
func (m *Model) typed(key string) {
	switch {
	case key == "enter":
		m.typing = false
	case key == "esc":
		m.typing, m.filter = false, m.before
	case key == "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.filter = m.filter[:len(m.filter)-size]
	case key == "space":
		m.filter += " "
	case utf8.RuneCountInString(key) == 1 && len(m.filter) < 200:
		m.filter += key
	}
}

func (m *Model) tableKey(key string) (quit bool) {
	runs := m.listed()
	switch key {
	case "q":
		return true
	case "?", "h":
		m.at = help
	case "up", "k":
		m.move(runs, -1)
	case "down", "j":
		m.move(runs, 1)
	case "pgup":
		m.move(runs, -m.body())
	case "pgdown":
		m.move(runs, m.body())
	case "home", "g":
		m.move(runs, -len(runs))
	case "end", "G":
		m.move(runs, len(runs))
	case "enter", "right":
		if len(runs) > 0 {
			m.at, m.scroll = one, 0
		}
	case "space":
		if i := m.index(runs); i >= 0 {
			m.toggle(runs[i].name)
			m.move(runs, 1)
		}
	case "o":
		m.only = !m.only && len(m.chosen) > 0
	case "u":
		m.chosen, m.only = map[string]bool{}, false
	case "/":
		m.typing, m.before = true, m.filter
	case "esc":
		m.filter, m.only = "", false
	case "s":
		m.sort = (m.sort + 1) % orders
	case "r":
		m.reversed = !m.reversed
	}
	return false
}

func (m *Model) toggle(name string) {
	if m.chosen[name] {
		delete(m.chosen, name)
		m.only = m.only && len(m.chosen) > 0
		return
	}
	m.chosen[name] = true
}

func (m *Model) oneKey(key string) (quit bool) {
	switch key {
	case "esc", "enter", "left", "q":
		m.at = table
	case "?", "h":
		m.at = help
	case "up", "k":
		m.scroll--
	case "down", "j":
		m.scroll++
	case "pgup":
		m.scroll -= m.height - 3
	case "pgdown", "space":
		m.scroll += m.height - 3
	case "home", "g":
		m.scroll = 0
	case "n", "right", "tab":
		m.move(m.listed(), 1)
	case "N":
		m.move(m.listed(), -1)
	}
	return false
}

// move points to another run.
func (m *Model) move(runs []*run, by int) {
	if len(runs) == 0 {
		return
	}
	m.pointed = runs[min(max(m.index(runs)+by, 0), len(runs)-1)].name
}

// index is which of the runs is pointed to, the first if none is; -1 if there are none.
func (m *Model) index(runs []*run) int {
	if len(runs) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(runs, func(r *run) bool { return r.name == m.pointed }))
}

// listed returns the runs that are shown, in their order. It locks the board.
func (m *Model) listed() []*run {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	return m.list()
}

// list is listed for who has locked the board.
func (m *Model) list() []*run {
	words := strings.Fields(strings.ToLower(m.filter))
	list := make([]*run, 0, len(m.board.order))
	for _, r := range m.board.order {
		if (!m.only || m.chosen[r.name]) && r.matches(words) {
			list = append(list, r)
		}
	}
	if m.sort != byNumber {
		slices.SortStableFunc(list, m.sort.compare)
	}
	if m.reversed {
		slices.Reverse(list)
	}
	return list
}

// matches reports whether all words stand somewhere in what names a run or its state, and none that an exclamation
// mark precedes.
func (r *run) matches(words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(r.name + " " + r.state() + " " + r.host + " " + r.component)
	for _, w := range words {
		not, without := strings.CutPrefix(w, "!")
		if without && not != "" && strings.Contains(text, not) || !without && !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// compare puts first what is to be looked at first: the worst state, the largest residual, the longest time left.
func (o order) compare(a, b *run) int {
	switch o {
	case byPhase:
		return cmp.Or(cmp.Compare(b.phaseOrder(), a.phaseOrder()), b.ended.Compare(a.ended),
			cmp.Compare(a.number, b.number))
	case byName:
		return cmp.Compare(a.name, b.name)
	case byState:
		return cmp.Or(cmp.Compare(a.grade(), b.grade()), cmp.Compare(a.state(), b.state()))
	case byResidual:
		return -cmp.Compare(a.residual.last, b.residual.last)
	case byTime:
		x, _ := a.left()
		y, _ := b.left()
		return cmp.Or(-cmp.Compare(x, y), cmp.Compare(b.phaseOrder(), a.phaseOrder()))
	}
	return cmp.Compare(a.number, b.number)
}

// phaseOrder puts what runs before what is over before what waits.
func (r *run) phaseOrder() int {
	return [...]int{planned: 0, running: 2, over: 1}[r.phase]
}
