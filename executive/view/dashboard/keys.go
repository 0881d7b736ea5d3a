package dashboard

// Handling of keys.

import (
	"fmt"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/executive/view"
)

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
			m.toggle(runs[i].Name)
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
	m.pointed = runs[min(max(m.index(runs)+by, 0), len(runs)-1)].Name
}

// act handles a key for an action, and reports whether the key is bound to an action.
func (m *Model) act(key string) bool {
	was := m.toStop
	m.toStop = ""
	a, study := ofStudy[key]
	v, run := ofRun[key]
	switch {
	case !study && !run:
		return false
	case m.Act == nil:
		m.said = "these runs can be watched, not steered"
		return true
	case study:
		m.do(a, fmt.Sprintf("%s of the study ...", a.Verb))
		return true
	}
	if a, ok := m.onPointed(v, was); ok {
		m.do(a, fmt.Sprintf("%s %s ...", clean(a.Run), a.Verb))
	}
	return true
}

// onPointed returns the action on the selected run. If it returns false no action is possible, and the help line shows
// the reason. A stop needs the key twice; was is the run for which the key was pressed before.
func (m *Model) onPointed(v Verb, was string) (a Action, ok bool) {
	m.board.mu.Lock()
	defer m.board.mu.Unlock()
	runs := m.list()
	i := m.index(runs)
	if i < 0 {
		return a, false
	}
	r := runs[i]
	m.pointed = r.Name // also when the order changes meanwhile
	a = Action{Verb: v, Run: r.Name}
	switch name := clean(r.Name); {
	case r.Phase == view.Planned:
		m.said = name + " has not begun"
		return a, false
	case r.Phase == view.Over:
		m.said = name + " has ended: " + r.state()
		return a, false
	case v == Stop && was != r.Name:
		m.toStop = r.Name
		m.said = "x again ends " + name + " with the results so far; any other key cancels"
		return a, false
	case v == Pause && r.Held:
		a.Verb = Release
	case v == Checkpoint:
		a.Name = fmt.Sprintf("at-%.0f", r.iteration)
	}
	return a, true
}

// do starts an action. The help line shows the request until its outcome is known.
func (m *Model) do(a Action, text string) {
	m.said = text
	m.Act(a)
}
