package trace

import (
	"maps"
	"math"
	"slices"
)

// SummaryName is the name of the marker at the end of a recording. CompleteFrom and CompleteTo are its values: no
// record is missing between these times, s.
const (
	SummaryName  = "summary"
	CompleteFrom = "from"
	CompleteTo   = "to"
)

// CalledAt is the value of a Receive for which its process did not wait: the time of its Call, s.
const CalledAt = "called"

// Window is a time in which all recordings are complete, s.
type Window struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// OpenCall is a receive that was called and did not complete.
type OpenCall struct {
	Process string  `json:"process"`
	Thread  string  `json:"thread,omitempty"`
	From    string  `json:"from"`
	Type    int64   `json:"type"`
	Count   int64   `json:"count"`
	Called  float64 `json:"called"` // s
}

// recordings returns the window in which all recordings are complete, nil if none states one or the windows have no
// time in common, and the receives left open, in the order of their calls.
func recordings(records []Record) (*Window, []OpenCall) {
	type key struct {
		process, thread, from string
		typ, count            int64
	}
	w := Window{math.Inf(-1), math.Inf(1)}
	open := map[key][]int{} // places of the calls
	for i := range records {
		r := &records[i]
		k := key{r.Process, r.Thread, r.From, r.Type, r.Count}
		switch {
		case r.Kind == Call:
			open[k] = append(open[k], i)
		case r.Kind == Receive && len(open[k]) > 0: // messages of one kind arrive in the order of the calls
			open[k] = open[k][1:]
		case r.Kind == Marker && r.Name == SummaryName:
			from, given := Number(r.Values[CompleteFrom])
			to, also := Number(r.Values[CompleteTo])
			if w.From, w.To = max(w.From, from), min(w.To, to); !given || !also {
				w.From = math.Inf(1)
			}
		}
	}
	calls := []OpenCall{}
	for _, i := range slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(open))...))) {
		r := &records[i]
		calls = append(calls, OpenCall{r.Process, r.Thread, r.From, r.Type, r.Count, r.Time})
	}
	if math.IsInf(w.From, 0) || math.IsInf(w.To, 0) || w.From > w.To {
		return nil, calls
	}
	return &w, calls
}

// Number is a value of a record as a number.
func Number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	}
	return 0, false
}
