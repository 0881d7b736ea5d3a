package document

// The times of a study's runs.

import (
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
)

// Times sums up when runs went on.
type Times struct{ Rows []Fact }

// newTimes sums up the times of attempts.
func newTimes(spans []view.Span) *Times {
	if len(spans) == 0 {
		return nil
	}
	begin, end := spans[0].From, spans[0].To
	var busy time.Duration
	for _, s := range spans {
		if s.From.Before(begin) {
			begin = s.From
		}
		if s.To.After(end) {
			end = s.To
		}
		busy += s.To.Sub(s.From)
	}
	total := end.Sub(begin)
	rows := []Fact{{Name: "first run began", Text: date(begin)}, {Name: "last run ended", Text: date(end)},
		{Name: "from first to last", Text: span(total)}, {Name: "sum over all runs", Text: span(busy)}}
	if total > 0 {
		rows = append(rows,
			Fact{Name: "runs at a time, on average", Text: fmt.Sprintf("%.1f", busy.Seconds()/total.Seconds())})
	}
	return &Times{rows}
}
