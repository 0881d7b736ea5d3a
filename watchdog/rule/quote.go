package rule

// The lines that findings show: the lines of the last events of the run, or the contents of events without a line.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
)

// evidenceLines is how many last lines of a run a finding shows.
const evidenceLines = 3

// quotes are the last events of a run, in a ring.
type quotes struct {
	latest [evidenceLines]quote
	count  int // number of all events so far
}

// quote is an event, or a sample from which it can be made.
type quote struct {
	event  event.Event
	parser *history.Parser // of the sample; nil: the quote is an event
	sample history.Sample
}

// event remembers an event.
func (q *quotes) event(e *event.Event) {
	x := &q.latest[q.count%evidenceLines]
	x.event, x.parser = *e, nil
	q.count++
}

// take remembers a sample.
func (q *quotes) take(p *history.Parser, s *history.Sample) {
	x := &q.latest[q.count%evidenceLines]
	x.event, x.parser = event.Event{}, p
	x.sample.Take(s)
	q.count++
}

// lines are the last n events as findings show them.
func (q *quotes) lines(n int) (list []string) {
	for i := max(0, q.count-n); i < q.count; i++ {
		list = append(list, q.latest[i%evidenceLines].text())
	}
	return list
}

// text is the line that a finding shows.
func (q *quote) text() string {
	e := &q.event
	if q.parser != nil {
		made := q.parser.Event(&q.sample)
		e = &made
	}
	switch {
	case e.Line == "":
		return describe(e)
	case e.File == "":
		return e.Line
	}
	return e.File + ": " + e.Line
}

// describe renders an event that has no line.
func describe(e *event.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s:", e.Source, e.Kind)
	values := e.Values
	if e.Kind == event.Ended {
		values = ending(e)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, " %s=%s", name, language.Show(values[name]))
	}
	for _, name := range e.NonFinite {
		fmt.Fprintf(&b, " %s=NaN", name)
	}
	for _, text := range []string{string(e.Class), e.Text} {
		if text != "" {
			b.WriteString(" " + text)
		}
	}
	return b.String()
}

// ending are the numbers of a run's end.
func ending(e *event.Event) map[string]float64 {
	values := map[string]float64{}
	maps.Copy(values, e.Values)
	if e.Attempt > 0 {
		values["attempt"], values["wall"] = float64(e.Attempt), e.Wall
	}
	if e.Follows {
		values["again"] = 1
	}
	return values
}
