package dashboard

// What is looked at: which runs, in which order, which of them is pointed to, and what keys change in that.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/view"
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

// index is which of the runs is pointed to, the first if none is; -1 if there are none.
func (m *Model) index(runs []*run) int {
	if len(runs) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(runs, func(r *run) bool { return r.Name == m.pointed }))
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
		if (!m.only || m.chosen[r.Name]) && r.matches(words) {
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
	text := strings.ToLower(r.Name + " " + r.state() + " " + r.Host + " " + r.Component)
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
		return cmp.Or(cmp.Compare(b.phaseOrder(), a.phaseOrder()), b.Ended.Compare(a.Ended),
			cmp.Compare(a.number, b.number))
	case byName:
		return cmp.Compare(a.Name, b.Name)
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
	return map[view.Phase]int{view.Planned: 0, view.Running: 2, view.Over: 1}[r.Phase]
}
