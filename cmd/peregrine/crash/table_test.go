//go:build linux

package crash

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The table of counts, for VERIFICATION.md.

// tally counts the trials of one sort of fault.
type tally struct {
	sort               string
	trials, same, gone int
	starts             int // of the run that was started most often
}

// table is the counts of all sorts. Trials that go on at once may add to it.
type table struct {
	mu   sync.Mutex
	rows []tally
}

// add counts a trial of a sort.
func (b *table) add(sort string, same, gone bool, starts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.rows, func(r tally) bool { return r.sort == sort })
	if i < 0 {
		i = len(b.rows)
		b.rows = append(b.rows, tally{sort: sort})
	}
	r := &b.rows[i]
	r.trials++
	if same {
		r.same++
	}
	if gone {
		r.gone++
	}
	r.starts = max(r.starts, starts)
}

// String is the table in Markdown.
func (b *table) String() string {
	var text strings.Builder
	text.WriteString(
		"| fault | trials | same answer and cache | nothing left | most starts of a run |\n|---|---:|---:|---:|---:|\n")
	for _, r := range b.rows {
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d |\n", r.sort, r.trials, r.same, r.gone, r.starts)
	}
	return text.String()
}
