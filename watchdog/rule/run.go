package rule

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// maxValues bounds the names that are remembered of one run: a file of garbage
// must not fill the memory.
const maxValues = 1000

// evidenceLines is how many last lines of a run a finding shows.
const evidenceLines = 3

// run is what the rules know of one run.
type run struct {
	info     Run
	series   map[string]*series
	env      map[string]any // names of the conditions: last values, variables, functions
	latest   []event.Event  // the last that a finding shows
	fired    map[string]bool
	held     map[*rule]int
	merge    merger
	count    int       // iterations reported
	at       place     // latest of an iteration
	by       *reporter // that reported it; nil: none yet
	last     time.Time // last sign of life that came; zero: none yet
	paused   bool
	signs    int // of life, up to the iteration that is judged
	oldest   time.Time
	newest   time.Time
	odd      []string // names that were not finite last
	result   *event.Event
	ended    *event.Event
	rejected string // rule of severity error that fired on the result
}

func newRun(info Run) *run {
	r := &run{
		info: info, series: map[string]*series{}, fired: map[string]bool{}, held: map[*rule]int{},
		env: map[string]any{
			"iterations": 0.0, "limit": math.Inf(1), "silent": 0.0, "pace": 0.0,
			"ended": false, "status": "", "bad_result": false, "non_finite": 0.0, "non_finite_names": "",
			"flag": flag,
		},
	}
	if info.Limit > 0 {
		r.env["limit"] = info.Limit
	}
	r.bind()
	return r
}

// bind gives the run's conditions their functions.
func (r *run) bind() {
	at := func(name string) *series { return r.series[name] }
	last := func(name string) float64 {
		x, ok := r.env[name].(float64)
		if !ok {
			return math.NaN()
		}
		return x
	}
	maps.Copy(r.env, map[string]any{
		"drop":  func(x string) float64 { return at(x).drop() },
		"rise":  func(x string) float64 { return at(x).rise() },
		"trend": func(x string, n float64) float64 { return at(x).trend(n) },
		"wobble": func(x string, n float64) float64 {
			size, _ := at(x).wobble(n)
			return size
		},
		"crossings": func(x string, n float64) float64 {
			_, count := at(x).wobble(n)
			return count
		},
		"steady":    func(x string, n, tol float64) bool { return at(x).steady(n, tol) },
		"mean":      func(x string, n float64) float64 { _, _, mean, _ := at(x).spread(n); return mean },
		"least":     func(x string, n float64) float64 { least, _, _, _ := at(x).spread(n); return least },
		"most":      func(x string, n float64) float64 { _, most, _, _ := at(x).spread(n); return most },
		"nonfinite": r.nonFinite,
		"imbalance": func(a, b string) float64 { return imbalance(last(a), last(b)) },
		"value":     last,
		"fired":     func(rule string) bool { return r.fired[rule] },
	})
}

func (r *run) nonFinite(name string) float64 {
	if s := r.series[name]; s != nil {
		return float64(s.gone)
	}
	return 0
}

// hear notes that an event came, whatever its place in the history.
func (r *run) hear(e event.Event) {
	if alive(e) && e.Time.After(r.last) {
		r.last = e.Time
	}
}

// alive reports whether an event is a sign of life.
func alive(e event.Event) bool { return e.Source != event.Host || e.Kind == event.Started }

// take updates what is known of the run.
func (r *run) take(p placed) {
	e := p.Event
	if alive(e) {
		r.pace(e.Time)
	}
	switch e.Kind {
	case event.Started:
		for _, name := range []string{"limit", "iteration_limit", "max_iterations"} {
			if x := e.Values[name]; x > 0 {
				r.env["limit"] = x
			}
		}
	case event.Iteration:
		r.iteration(p)
	case event.Result:
		r.result = &e
		r.env["bad_result"] = len(e.NonFinite) > 0
		if len(e.NonFinite) > 0 {
			r.env["non_finite_names"] = strings.Join(e.NonFinite, ", ")
		}
		for name, x := range e.Values {
			r.set(name, x)
		}
		r.quote(e)
	case event.Ended:
		r.ended = &e
		r.env["ended"], r.env["status"] = true, string(e.Class)
		r.quote(e)
	}
}

// pace notes the time of a sign of life.
func (r *run) pace(at time.Time) {
	if r.signs == 0 || at.Before(r.oldest) {
		r.oldest = at
	}
	r.newest = later(r.newest, at)
	if r.signs++; r.signs > 1 {
		r.env["pace"] = r.newest.Sub(r.oldest).Seconds() / float64(r.signs-1)
	}
}

// iteration adds an iteration's values to their series.
func (r *run) iteration(p placed) {
	e := p.Event
	late := r.by != nil && p.place.compare(r.at) < 0
	if !late {
		if p.place != r.at || r.by == nil || r.by == p.by { // not what another source reported, too
			r.count++
			r.env["iterations"] = float64(r.count)
		}
		r.at, r.by = p.place, p.by
		if mesh, ok := e.Values["mesh"]; ok && r.env["mesh"] != nil && r.env["mesh"] != mesh {
			for _, s := range r.series {
				s.stage(p.place)
			}
		}
	}
	for name, x := range e.Values {
		r.add(name, x, p)
	}
	r.add("iteration", p.place.iter, p)
	residual, odd := r.residual(e)
	if residual > 0 {
		r.add("residual", residual, p)
	}
	r.lose(p, odd)
	r.quote(e)
}

// residual is the largest of several, where none is just called residual.
func (r *run) residual(e event.Event) (x float64, odd bool) {
	const prefix = "residual_"
	if _, ok := e.Values["residual"]; ok || slices.Contains(e.NonFinite, "residual") {
		return 0, false
	}
	for name, y := range e.Values {
		if strings.HasPrefix(name, prefix) {
			x = max(x, math.Abs(y))
		}
	}
	odd = slices.ContainsFunc(e.NonFinite, func(name string) bool { return strings.HasPrefix(name, prefix) })
	if odd {
		return 0, true
	}
	return x, false
}

func (r *run) add(name string, x float64, p placed) {
	s := r.of(name)
	if s == nil {
		return
	}
	s.add(p.place, x, p.by)
	if last, ok := s.last(); ok {
		r.set(name, last)
	}
}

// of returns the series of a name, nil for one too many.
func (r *run) of(name string) *series {
	s := r.series[name]
	if s == nil && len(r.series) < maxValues {
		s = newSeries()
		r.series[name] = s
	}
	return s
}

// set makes a value visible, unless it has the name of something else.
func (r *run) set(name string, x float64) {
	_, isFunction := functions[name]
	if isFunction || variables[name] != nil {
		return
	}
	if _, known := r.env[name]; known || len(r.env) < 2*maxValues {
		r.env[name] = x
	}
}

// lose notes the values that were not finite; they have no last value now.
func (r *run) lose(p placed, residual bool) {
	r.odd = p.NonFinite
	if residual {
		r.odd = append(slices.Clone(r.odd), "residual")
	}
	longest := 0
	for _, name := range r.odd {
		s := r.of(name)
		if s == nil {
			continue
		}
		s.lose(p.place, p.by)
		longest = max(longest, s.gone)
		if _, isFunction := functions[name]; !isFunction && variables[name] == nil && len(s.val) == 0 {
			delete(r.env, name)
		}
	}
	r.env["non_finite"] = float64(longest)
	if longest > 0 {
		r.env["non_finite_names"] = strings.Join(r.odd, ", ")
	}
}

// quote remembers an event for findings to show.
func (r *run) quote(e event.Event) {
	if len(r.latest) == evidenceLines {
		r.latest = slices.Delete(r.latest, 0, 1)
	}
	r.latest = append(r.latest, e)
}

// lines are the last n events as findings show them.
func (r *run) lines(n int) (list []string) {
	for _, e := range r.latest[max(0, len(r.latest)-n):] {
		switch {
		case e.Line == "":
			list = append(list, describe(e))
		case e.File == "":
			list = append(list, e.Line)
		default:
			list = append(list, e.File+": "+e.Line)
		}
	}
	return list
}

// describe renders an event that has no line.
func describe(e event.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s:", e.Source, e.Kind)
	values := e.Values
	if e.Kind == event.Ended {
		values = ending(e)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, " %s=%s", name, show(values[name]))
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
func ending(e event.Event) map[string]float64 {
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
