package dashboard

// The table: the columns that fit, and their contents.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
)

// column is a column of the table.
type column struct {
	name  string
	width int
	left  bool // its text begins at the left
	text  func(m *Model, r *run, now time.Time, width int) span
}

// wants lists the columns by importance. The width of the screen and the values that the runs report decide which
// columns are shown.
type want struct {
	column
	least, most int                    // cells
	shown       func(runs []*run) bool // nil: always
	rank        int                    // the lower, the sooner it has room
	grows       int                    // the lower, the sooner it has more than its least
}

// They are in the order of the table.
var wants = []want{
	{column{name: "run", left: true, text: nameText}, 8, 40, nil, 0, 0},
	{column{name: "host", left: true, text: hostText}, 5, 12, severalHosts, 9, 5},
	{column{name: "state", left: true, text: stateText}, 11, 19, nil, 1, 1},
	{column{name: "iter", text: iterationText}, 5, 7, nil, 3, 4},
	{column{name: "left", text: leftText}, 5, 6, nil, 5, 4},
	{column{name: "resid.", text: residualText}, 7, 7, nil, 2, 4},
	{column{name: "latest", left: true, text: sparkText}, 8, 24, nil, 4, 3},
	{column{name: "W in", text: valueText("W_in")}, 5, 6, reports("W_in"), 7, 4},
	{column{name: "W out", text: valueText("W_out")}, 5, 6, reports("W_out"), 8, 4},
	{column{name: "PR", text: valueText("PR")}, 5, 6, reports("PR"), 6, 4},
	{column{name: "why", left: true, text: reasonText}, 20, 200, nil, 10, 6},
}

// whyRoom is the least width of the last column before the sparklines become longer.
const whyRoom = 45

// columns returns the columns that fit, as wide as possible.
func (m *Model) columns(runs []*run) []column {
	room := m.width - 1 // of two marks, and a blank less than columns
	m.common = commonStart(runs)
	longest := map[string]int{"run": len("run"), "state": 11}
	for _, r := range runs {
		longest["run"] = max(longest["run"], width(r.Name)-width(m.common))
		longest["state"] = max(longest["state"], len(r.state()))
	}
	all := slices.Clone(wants)
	for i := range all {
		w := &all[i]
		if n, ok := longest[w.name]; ok {
			w.most = min(w.most, n)
		}
		if w.name == "run" {
			w.least = min(w.most, max(w.least, min(19, m.width/4)))
		}
	}
	fits := map[string]int{}
	slices.SortStableFunc(all, func(a, b want) int { return a.rank - b.rank })
	for _, w := range all {
		if w.shown != nil && !w.shown(runs) {
			continue
		}
		if w.least+1 > room && w.rank > 0 {
			break
		}
		fits[w.name], room = w.least, room-w.least-1
	}
	grow := func(name string, most int) {
		if have, ok := fits[name]; ok {
			more := min(max(room, 0), max(most-have, 0))
			fits[name], room = have+more, room-more
		}
	}
	slices.SortStableFunc(all, func(a, b want) int { return a.grows - b.grows })
	for _, w := range all {
		if w.name == "latest" {
			grow("why", whyRoom)
		}
		grow(w.name, w.most)
	}
	var out []column
	for _, w := range wants {
		if n, ok := fits[w.name]; ok {
			w.column.width = n
			out = append(out, w.column)
		}
	}
	return out
}

func headRow(columns []column) row {
	r := row{{"  ", faint}}
	for i, c := range columns {
		if i > 0 {
			r = append(r, span{" ", faint})
		}
		r = append(r, span{c.fit(c.name), faint})
	}
	return r
}

func (c *column) fit(text string) string {
	if c.left {
		return pad(text, c.width)
	}
	return padLeft(text, c.width)
}

func (m *Model) runRow(columns []column, r *run, pointed bool, now time.Time) row {
	marks := [2]byte{' ', ' '}
	if pointed {
		marks[0] = '>'
	}
	if m.chosen[r.Name] {
		marks[0] = '*'
	}
	mark := normal
	if len(r.warnings.items) > 0 {
		marks[1], mark = '!', doubtful
	}
	out := row{{string(marks[:]), mark}}
	for i, c := range columns {
		if i > 0 {
			out = append(out, span{" ", normal})
		}
		s := c.text(m, r, now, c.width)
		s.text = c.fit(s.text)
		out = append(out, s)
	}
	return out
}

func nameText(m *Model, r *run, _ time.Time, width int) span {
	return span{cutMiddle(clean(strings.TrimPrefix(r.Name, m.common)), width), normal}
}

// commonStart returns the common beginning of the names of all runs, up to the last separator. The table leaves it out.
func commonStart(runs []*run) string {
	if len(runs) < 2 {
		return ""
	}
	start := runs[0].Name
	for _, r := range runs[1:] {
		n := 0
		for n < min(len(start), len(r.Name)) && start[n] == r.Name[n] {
			n++
		}
		start = start[:n]
	}
	return start[:strings.LastIndexAny(start, "-_./ ")+1]
}

func hostText(_ *Model, r *run, _ time.Time, width int) span { return span{clean(r.Host), normal} }

func stateText(_ *Model, r *run, _ time.Time, _ int) span {
	return span{r.state(), gradeStyle(r.grade())}
}

func iterationText(_ *Model, r *run, _ time.Time, _ int) span {
	if r.iteration == 0 {
		return span{"-", faint}
	}
	if r.iteration == float64(int(r.iteration)) && r.iteration < 1e7 {
		return span{fmt.Sprint(int(r.iteration)), normal}
	}
	return span{number(r.iteration), normal}
}

// leftText is the time left of a run that converges.
func leftText(_ *Model, r *run, now time.Time, _ int) span {
	left, iterations := r.left()
	switch {
	case left > 0:
		return span{span1(left), normal}
	case iterations > 0:
		return span{fmt.Sprintf("%.0fit", iterations), normal}
	}
	return span{"", faint}
}

// span1 is a time in a few characters.
func span1(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 1:
		return "<1 s"
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 100*60:
		return fmt.Sprintf("%.0fmin", s/60)
	case s < 100*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	default:
		return fmt.Sprintf("%.0f d", s/86400)
	}
}

func residualText(_ *Model, r *run, _ time.Time, _ int) span {
	if r.residual.len() == 0 {
		return span{"-", faint}
	}
	return span{fmt.Sprintf("%.1e", r.residual.last), normal}
}

func sparkText(m *Model, r *run, _ time.Time, width int) span {
	return span{m.pen.spark(r.residual.values(), width), normal}
}

func valueText(name string) func(*Model, *run, time.Time, int) span {
	return func(_ *Model, r *run, _ time.Time, _ int) span {
		x, ok := r.Values[name]
		if !ok {
			return span{"-", faint}
		}
		return span{number(x), normal}
	}
}

func reasonText(_ *Model, r *run, _ time.Time, _ int) span { return span{clean(r.reason()), faint} }

func severalHosts(runs []*run) bool {
	return slices.ContainsFunc(runs, func(r *run) bool { return r.Host != "" && r.Host != runs[0].Host }) ||
		slices.ContainsFunc(runs, func(r *run) bool { return r.Host != "" && r.Host != hosts.Local })
}

func reports(name string) func([]*run) bool {
	return func(runs []*run) bool {
		return slices.ContainsFunc(runs, func(r *run) bool { _, ok := r.Values[name]; return ok })
	}
}
