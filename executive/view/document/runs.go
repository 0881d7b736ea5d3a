package document

// The table of runs and the choice of expanded runs. A page opens at once, whatever the size of the study.

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
)

// runsOf draws the runs of a dossier; nil: it has none.
func runsOf(d *dossier.Dossier, curves map[string]*RunCurves) *Runs {
	if len(d.Runs) == 0 {
		return nil
	}
	out := &Runs{}
	counts, open := map[Badge]int{}, 0
	var order []Badge
	for i, s := range d.Runs {
		badge := stateOf(s)
		if counts[badge] == 0 {
			order = append(order, badge)
		}
		counts[badge]++
		out.HasHost = out.HasHost || s.Class != ""
		out.HasWall = out.HasWall || s.Wall > 0
		if i >= mostRows {
			continue
		}
		r := row(s, i)
		r.Shown = curves[s.Name] != nil
		if r.Open = r.Shown && (failed(s) || s.Judgement.State == "" || len(d.Runs) <= 4) && open < mostOpen; r.Open {
			open++
		}
		out.Rows = append(out.Rows, r)
	}
	for _, b := range order {
		out.Count = append(out.Count, Fact{Name: b.Text, Text: grouped(fmt.Sprint(counts[b])), Tone: b.Tone})
	}
	out.Note = noteOf(len(d.Runs), d.Shown)
	return out
}

// noteOf describes how many runs are left out.
func noteOf(all, shown int) string {
	var parts []string
	if shown < all && shown == dossier.MostShown {
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
	mostOpen = 12   // runs with curves that are open when the page is opened, and printed
	mostRows = 5000 // of the table
)
