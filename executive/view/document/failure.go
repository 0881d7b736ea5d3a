package document

// Failures of runs, grouped by cause.

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
)

// Failure is a failure of runs with its cause.
type Failure struct {
	What   string
	Tone   string
	Why    string // of the first
	Runs   []*Link
	Others int // runs that are not listed
	Count  int
}

// Link leads to a run.
type Link struct{ Name, Anchor string }

// failuresOf groups the runs that failed by their states and their reasons, as far as these differ by more than
// numbers.
func failuresOf(runs []*dossier.Run) (list []Failure) {
	at := map[string]int{}
	for i, s := range runs {
		if s.LineEnd() != "" || !s.Denied() && (!s.Judgement.State.Final() || s.Judgement.Usable) {
			continue
		}
		why := s.Message
		if why == "" && len(s.Judgement.Reasons) > 0 {
			why = s.Judgement.Reasons[0]
		}
		b := stateOf(s)
		if s.Denied() {
			b = endOf(s)
		}
		key := b.Text + "\x00" + withoutNumbers(why)
		k, known := at[key]
		if !known {
			k = len(list)
			at[key] = k
			list = append(list, Failure{What: b.Text, Tone: b.Tone, Why: clipped(why, 600)})
		}
		list[k].Count++
		const most = 12
		if len(list[k].Runs) == most || i >= mostRows {
			list[k].Others++
			continue
		}
		list[k].Runs = append(list[k].Runs, &Link{s.Name, fmt.Sprintf("run-%d", i+1)})
	}
	const kinds = 40
	if len(list) > kinds {
		list = list[:kinds]
	}
	return list
}

// withoutNumbers is a sentence by its words alone.
func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || strings.ContainsRune("+-.eE", r) {
			return -1
		}
		return r
	}, text)
}
