package page

// Which runs are shown with their curves: a page opens at once, whatever the study.

import (
	"fmt"
	"slices"
	"strings"
)

// crowd gathers runs, and forgets the curves of the least interesting ones while it does.
type crowd struct{ all, drawn []*subject }

func (c *crowd) add(s *subject) {
	c.all = append(c.all, s)
	if s.curves == nil && s.arrays == nil {
		return
	}
	c.drawn = append(c.drawn, s)
	if len(c.drawn) < 2*mostShown {
		return
	}
	slices.SortStableFunc(c.drawn, moreUrgent)
	for _, s := range c.drawn[mostShown:] {
		s.forget()
	}
	c.drawn = c.drawn[:mostShown]
}

// runs draws what was gathered.
func (c *crowd) runs() *Runs {
	if len(c.all) == 0 {
		return nil
	}
	slices.SortStableFunc(c.drawn, moreUrgent)
	for _, s := range c.drawn[min(len(c.drawn), mostShown):] {
		s.forget()
	}
	shown := min(len(c.drawn), mostShown)
	fine := detail{160, 0.35}
	switch {
	case shown > 120:
		fine = detail{48, 0.8}
	case shown > 40:
		fine = detail{90, 0.5}
	}
	slices.SortStableFunc(c.all, moreUrgent)
	out := &Runs{}
	counts, open := map[Badge]int{}, 0
	var order []Badge
	for i, s := range c.all {
		badge := s.state()
		if counts[badge] == 0 {
			order = append(order, badge)
		}
		counts[badge]++
		out.HasHost = out.HasHost || s.class != ""
		out.HasWall = out.HasWall || s.wall > 0
		if i >= mostRows {
			continue
		}
		r := s.row(i)
		if s.curves != nil || s.arrays != nil {
			r.Shown = true
			s.draw(r, fine)
			if (r.Usable == "no" || s.judgement.State == "" || len(c.all) <= 4) && open < mostOpen {
				r.Open = true
				open++
			}
		}
		out.Rows = append(out.Rows, r)
	}
	for _, b := range order {
		out.Count = append(out.Count, Fact{Name: b.Text, Text: grouped(fmt.Sprint(counts[b])), Tone: b.Tone})
	}
	out.Note = noteOf(len(c.all), shown)
	return out
}

// noteOf says what of the runs is left out.
func noteOf(all, shown int) string {
	var parts []string
	if shown < all && shown == mostShown {
		parts = append(parts,
			fmt.Sprintf("Curves are shown of %d runs, the failed and the worst first; the table has all %s.", shown,
				grouped(fmt.Sprint(min(all, mostRows)))))
	}
	if all > mostRows {
		parts = append(parts, fmt.Sprintf("The table has the first %s of %s runs, the failed and the worst first.",
			grouped(fmt.Sprint(mostRows)), grouped(fmt.Sprint(all))))
	}
	return strings.Join(parts, " ")
}

// The bounds of a page: a file that opens at once, whatever the study.
const (
	mostShown = 300  // runs with curves
	mostOpen  = 12   // of them that are open when the page is opened, and printed
	mostRows  = 5000 // of the table

	firstReasons = 4 // that are seen without opening the others
)
