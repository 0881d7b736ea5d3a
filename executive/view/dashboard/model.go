package dashboard

// The view of the runs: the selection, the sort order and the selected run, and the keys that change them.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/view"
)

// Model is the view of a board by a user. It may be used by only one goroutine.
type Model struct {
	Quit string // effect of q, for the help line, such as "quit"
	Stop string // how to stop the program, for the help page

	// Act carries out the action of a key; nil: actions are not possible. It must return at once; the outcome is shown
	// by Say. It must not call other methods of the model.
	Act func(Action)

	board         *Board
	width, height int
	pen           *pen
	common        string // common beginning of all names of runs

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

// page is the page that fills the screen.
type page int

const (
	table page = iota
	one
	help
)

// order is the sort order of the runs.
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

// Resize sets the number of cells of the screen.
func (m *Model) Resize(width, height int) { m.width, m.height = max(1, width), max(1, height) }

// Say shows a text in place of the help line, until a key is pressed.
func (m *Model) Say(text string) { m.said = text }

// index returns the index of the selected run, 0 if no run is selected, and -1 if the list is empty.
func (m *Model) index(runs []*run) int {
	if len(runs) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(runs, func(r *run) bool { return r.Name == m.pointed }))
}

// listed returns the shown runs in their order. It locks the board.
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

// matches reports whether the names and the state of the run contain all words, and none of the words that begin with
// an exclamation mark.
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

// compare sorts by urgency: the worst state, the largest residual or the longest time left is first.
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

// phaseOrder puts running before ended before waiting runs.
func (r *run) phaseOrder() int {
	return map[view.Phase]int{view.Planned: 0, view.Running: 2, view.Over: 1}[r.Phase]
}
