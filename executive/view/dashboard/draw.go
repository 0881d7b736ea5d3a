package dashboard

// The whole screen: the head, the table, the details of the selected run, and the help line.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Frame draws the screen at a time.
func (m *Model) Frame(now time.Time) Frame {
	b := m.board
	b.mu.Lock()
	defer b.mu.Unlock()
	var rows []row
	switch runs := m.list(); {
	case m.at == help:
		rows = m.helpPage()
	case m.at == one && len(runs) > 0:
		rows = m.onePage(runs[m.index(runs)], now)
	default:
		rows = m.tablePage(runs, now)
	}
	rows = rows[:min(len(rows), max(0, m.height-1))]
	for len(rows) < m.height-1 {
		rows = append(rows, nil)
	}
	rows = append(rows, m.foot())
	for i := range rows {
		rows[i] = rows[i].cut(m.width)
	}
	return Frame{rows, m.width}
}

// lower is how many lines the pointed run has below the table, with the line that parts them.
func (m *Model) lower() int {
	switch {
	case m.height >= 30:
		return 9
	case m.height >= 20:
		return 7
	}
	return 0
}

// body returns the number of runs that fit.
func (m *Model) body() int {
	head := 3
	if m.height < 8 {
		head = 2
	}
	return max(1, m.height-head-1-m.lower())
}

func (m *Model) tablePage(runs []*run, now time.Time) []row {
	rows := []row{m.titleRow(now)}
	if m.height >= 8 {
		rows = append(rows, m.countRow(runs))
	}
	columns := m.columns(runs)
	rows = append(rows, headRow(columns))
	at, room := m.index(runs), m.body()
	m.top = min(max(m.top, at-room+1), max(0, at))
	m.top = max(0, min(m.top, len(runs)-room))
	for i := m.top; i < min(len(runs), m.top+room); i++ {
		r := m.runRow(columns, runs[i], i == at, now)
		if i == at {
			r = r.all(chosen, m.width)
		}
		rows = append(rows, r)
	}
	if len(runs) == 0 {
		rows = append(rows, m.nothing())
	}
	if m.lower() == 0 {
		return rows
	}
	for len(rows) < m.height-1-m.lower() {
		rows = append(rows, nil)
	}
	if at >= 0 {
		rows = append(rows, m.lowerRows(runs[at], now)...)
	}
	return rows
}

func (m *Model) nothing() row {
	text := "no run has started"
	if len(m.board.order) > 0 {
		text = fmt.Sprintf("none of %d runs is shown: esc shows all", len(m.board.order))
	}
	return row{{text, faint}}
}

// titleRow shows the title and the progress.
func (m *Model) titleRow(now time.Time) row {
	right, p := "", m.board.study.Progress()
	if p.Planned+p.Done+len(p.Running) > 0 {
		right = p.Counts(now)
	}
	if p.Ended {
		right += ", ended"
	}
	room := max(0, m.width-width(right)-1)
	if room < 10 {
		return row{{right, normal}}
	}
	return row{{pad(clean(m.board.title), room), strong}, {" " + right, normal}}
}

// countRow shows the number of runs in each state, the worst state first.
func (m *Model) countRow(runs []*run) row {
	grades := map[string]int{}
	for _, r := range runs {
		grades[r.state()] = r.grade()
	}
	n := counts(runs)
	states := slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		if grades[a] != grades[b] {
			return grades[a] - grades[b]
		}
		return strings.Compare(a, b)
	})
	var out row
	for _, s := range states {
		out = append(out, span{fmt.Sprintf("%d %s", n[s], s), gradeStyle(grades[s])}, span{"  ", normal})
	}
	if text := m.board.study.Progress().Queue(); text != "" {
		out = append(out, span{clean(text) + "  ", doubtful})
	}
	if m.only {
		out = append(out, span{"chosen ones only  ", strong})
	}
	if m.filter != "" && !m.typing {
		out = append(out, span{"filter: " + m.filter, strong})
	}
	return out
}

// foot is the last line: the typed text, a message, or the keys.
func (m *Model) foot() row {
	switch {
	case m.typing:
		return row{{"filter: " + m.filter + "_", strong}, {"   enter keeps it, esc leaves it; !word excludes", faint}}
	case m.said != "":
		return row{{m.said, strong}}
	case m.at == help:
		return row{{"any key: back", faint}}
	case m.at == one && m.Act != nil:
		return row{{"esc back  ? help  n N next, previous run  p pause  . step  x stop  c save", faint}}
	case m.at == one:
		return row{{"esc back  ? help  n N next, previous run  up down scroll", faint}}
	}
	return row{{m.keys(), faint}}
}

// keys lists the keys of the table. Where runs can be steered all keys fit only on a wide screen.
func (m *Model) keys() string {
	keys, sorting := "q "+m.Quit+"  ? help  enter look", "  space choose  / filter  s sort: "+m.sort.String()
	if m.reversed {
		sorting += " (r)"
	}
	if m.Act == nil {
		return keys + sorting
	}
	keys += "  p pause  . step  x stop  c save  H hold  +- workers"
	if m.width >= 130 {
		keys += sorting
	}
	return keys
}

func (m *Model) helpPage() []row {
	lines := []string{
		"up down j k pgup pgdown g G   point to a run",
		"enter                         look at it: reasons, residuals, last lines",
		"n N                           there: the next run, the previous one",
		"space                         choose it, or not",
		"o u                           show the chosen ones alone; choose none",
		"/                             filter by name, state, host, component",
		"esc                           filter nothing; back",
		"s r                           sort by start, name, state, residual, time",
		"                              left; turn the order round",
		"q                             " + m.Quit,
		"ctrl-c                        " + m.Stop,
		"",
		"! a run with warnings   * one that was chosen   > the one pointed to",
	}
	if m.Act != nil {
		lines = slices.Insert(lines, 9,
			"p .                           pause the run, or let it go on; one iteration",
			"x c                           stop it; save its state",
			"H + -                         start no more runs, or some again; workers",
		)
	}
	rows := []row{{{"keys", strong}}}
	for _, l := range lines {
		rows = append(rows, row{{l, normal}})
	}
	return rows
}
