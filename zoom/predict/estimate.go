package predict

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Measured is an attempt of an earlier study.
type Measured struct {
	Study, Job string // the job is the name of its run, without the number of the attempt
	Solver     string
	Version    string
	Class      event.Class
	Wall       float64 // of a worker, s
	Bytes      int64   // of its files
	Workers    int     // of its study: runs at a time on a machine; 0: not known
	Settings   map[string]float64

	First   float64 // its first report, s after its start; 0: it has none
	Last    float64 // its last report, likewise
	Silence float64 // the longest between two reports, or before its answer, s; 0: not known
}

// Measure fills in what the course of its study, which may be nil, shows of an attempt. One that is silent and was
// outrun hangs, though it did not reach its limit.
func (m *Measured) Measure(c *makespan.Course, name string) {
	if c == nil {
		return
	}
	if a, wall, workers := c.Attempt(name); a != nil {
		m.Wall, m.Workers = cmp.Or(wall, m.Wall), workers
		m.First, m.Last, m.Silence = a.First, a.Last, a.Silence
		if a.Outrun {
			m.Class = event.Hung
		}
	}
}

// History has the times of earlier studies.
type History struct {
	Attempts  []Measured
	Executive [][]float64 // of earlier studies of the engine: the executive's time before each batch, then after all, s
	Waits     []float64   // of blocks of nodes in their queues, s
}

// Estimates of a run without earlier ones: time per cell and iteration, and the factor by which it may be wrong with a
// probability of one in ten each way. A solver in Go takes 0.2 to 2 us.
const (
	cellTime    = 1e-6 // s
	cellFactor  = 10
	unknownTime = 60   // s, of a run of unknown size
	fewRuns     = 0.15 // deviation of the logarithm of a time that was measured once or twice
)

// Estimate gives each run without a time one, and its failures, by the attempts of earlier studies, best by those with
// as many runs at a time as a node of the cluster takes: runs slow each other. It adds its assumptions to the graph.
func (g *Graph) Estimate(earlier History, c *Cluster) {
	by := map[string]*experience{}
	for i := range g.Runs {
		by[g.Runs[i].Solver] = &experience{jobs: map[string][]Measured{}, same: map[string]lesson{}}
	}
	for _, m := range earlier.Attempts {
		if x := by[m.Solver]; x != nil {
			x.all, x.jobs[m.Job] = append(x.all, m), append(x.jobs[m.Job], m)
		}
	}
	notes := map[string]int{}
	for i := range g.Runs {
		switch r := &g.Runs[i]; {
		case r.Estimated():
		case r.Executive > 0:
			g.Runs[i].Time = earlier.executive(r.Executive, i == len(g.Runs)-1)
		default:
			notes[r.estimate(by[r.Solver], c.together(r))]++
			if r.Second = by[r.Solver].second(); r.Second > 0 {
				notes[fmt.Sprintf("where a worker is free, another attempt begins beside one that hangs, after %.3g s",
					r.Second)]++
			}
		}
	}
	if n := len(g.Runs); n > 0 && g.Runs[n-1].Executive > 0 {
		note := "the executive's own time is left out: no earlier study of the engine"
		if n := len(earlier.Executive); n > 0 {
			note = fmt.Sprintf("the executive's own time of %d earlier studies of the engine", n)
		}
		g.Assumptions = append(g.Assumptions, note)
	}
	if b := c.Blocks; b != nil && b.Wait == nil && b.Waits == nil {
		note := "blocks do not wait: no earlier block, and no wait in the cluster file"
		if wait := measured(earlier.Waits); wait.Median > 0 {
			wait.Common = 0
			low, high := wait.quantiles()
			note = fmt.Sprintf("blocks wait as earlier ones; queue: {p10: %.3g s, p90: %.3g s}", low, high)
			c.Blocks = &Blocks{Nodes: b.Nodes, Time: b.Time, Wait: &wait}
		}
		g.Assumptions = append(g.Assumptions, note)
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		g.Assumptions = append(g.Assumptions, fmt.Sprintf("%s: %s", runs(notes[note]), note))
	}
}

// Usual returns the largest median time of a run of each component, s. Times that are only guessed are left out.
func (g *Graph) Usual() map[string]float64 {
	usual := map[string]float64{}
	for _, r := range g.Runs {
		if r.Executive == 0 && r.Time != nil && r.Time.Common < math.Log(cellFactor)/2 {
			usual[r.Component] = max(usual[r.Component], r.Time.Median)
		}
	}
	return usual
}

// executive is the time of the executive before a batch, or after the last: of the latest studies with such a batch.
func (h *History) executive(batch int, last bool) *Spread {
	var times []float64
	for _, list := range h.Executive {
		switch n := len(list); {
		case last && n > 0:
			times = append(times, list[n-1])
		case !last && batch < n:
			times = append(times, list[batch-1])
		}
	}
	if times == nil {
		return known(0)
	}
	s := measured(times)
	s.Common = 0
	return &s
}

// experience is the earlier attempts of a solver.
type experience struct {
	all  []Measured
	jobs map[string][]Measured
	same map[string]lesson // by settings, and by how many run at a time
	fit  *law              // nil: not yet asked for
	next *float64          // likewise: see second
}

// second returns how long after its start a run that hangs may get another attempt beside it, by the policy and the
// median of the studies' longest silences, s; 0: not known.
func (e *experience) second() float64 {
	if e.next != nil {
		return *e.next
	}
	e.next = new(0.0)
	var last []float64
	first, later := map[string]float64{}, map[string]float64{} // by study
	for _, m := range e.all {
		switch m.Class {
		case event.Hung:
			last = append(last, m.Last)
		case event.Converged:
			first[m.Study], later[m.Study] = max(first[m.Study], m.First), max(later[m.Study], m.Silence)
		}
	}
	if last == nil {
		return 0
	}
	spoke, silences := middle(last), later
	if spoke == 0 {
		silences = first
	}
	known := slices.DeleteFunc(slices.Collect(maps.Values(silences)), func(x float64) bool { return x == 0 })
	if len(known) > 0 {
		longest := time.Duration(middle(known) * float64(time.Second))
		*e.next = spoke + run.SecondAfter(longest).Seconds()
	}
	return *e.next
}

// middle returns the median of values, or the larger of the two in the middle.
func middle[T cmp.Ordered](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// law returns the time of a run of any size.
func (e *experience) law() *law {
	if e.fit == nil {
		l := fit(e.all)
		e.fit = &l
	}
	return e.fit
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// estimate fills in the time and the failures of a run, and returns how.
func (r *Run) estimate(earlier *experience, together int) (note string) {
	list := func(of []Measured, n int) []Measured {
		if of = r.alikes(of); n == 0 && len(of) > 0 {
			of = earlier.law().adjusted(of, together)
		}
		return of
	}
	for _, n := range []int{together, 0} {
		x := learn(list(earlier.jobs[cmp.Or(r.Job, r.Name)], n), n, earlier.law().common)
		if x.answers() || x.failures != nil {
			return r.take(x, "of the same name, "+earlier.beside(n, together))
		}
	}
	// A run with cells alone may be of any size: others are like it only by their name.
	if len(r.Settings) > 0 || r.Cells == 0 {
		for _, n := range []int{together, 0} {
			x := earlier.lesson(fmt.Sprint(n, together, r.Settings), n,
				func() []Measured { return list(earlier.all, n) })
			if x.answers() {
				return r.take(x, "with the same settings, "+earlier.beside(n, together))
			}
		}
	}
	if note, ok := r.scale(earlier, together); ok {
		return note
	}
	return r.guess()
}

// beside describes how earlier runs apply to a run that is made with others, together in all. The earlier runs were
// made number at a time; 0: the numbers differ.
func (e *experience) beside(number, together int) string {
	switch {
	case number > 0:
		return fmt.Sprintf("%d at a time", number)
	case e.law().known[slowing]:
		return fmt.Sprintf("corrected to %d at a time", together)
	}
	return fmt.Sprintf("not %d at a time: runs may slow each other otherwise", together)
}

// lesson returns the lesson of a list of attempts. It makes the list for the first run with a key.
func (e *experience) lesson(key string, together int, list func() []Measured) lesson {
	x, known := e.same[key]
	if !known {
		x = learn(list(), together, e.law().common)
		e.same[key] = x
	}
	return x
}

// together returns how many runs like one a node of the first kind takes at a time.
func (c *Cluster) together(r *Run) int {
	n := c.Groups[0].Cores / max(1, r.Cores)
	if most := c.Groups[0].Runs; most > 0 {
		n = min(n, most)
	}
	return max(1, n)
}

func attempts(n int) string {
	if n == 1 {
		return "1 earlier attempt"
	}
	return fmt.Sprintf("%d earlier attempts", n)
}

// alike reports whether settings are those of the run, as far as it has them.
func (r *Run) alike(settings map[string]float64) bool {
	for name, x := range r.Settings {
		if y, ok := settings[name]; ok && x != y {
			return false
		}
	}
	return true
}

// alikes returns the attempts with the settings of the run.
func (r *Run) alikes(list []Measured) []Measured {
	return slices.DeleteFunc(slices.Clone(list), func(m Measured) bool { return !r.alike(m.Settings) })
}

// lesson is learned from attempts: the time of an answer, 0 if it is not known, the rates of failures and
// the size of the files.
type lesson struct {
	time     Spread
	failures []Failure // nil also if there are answers whose time is not known
	bytes    int64
}

func (l *lesson) answers() bool { return l.time.Median > 0 }

// learn takes the lesson of the attempts with so many at a time; 0: of all. Common is the part of the variance that
// the runs of a study share.
func learn(list []Measured, together int, common float64) (l lesson) {
	if together > 0 {
		list = slices.DeleteFunc(slices.Clone(list), func(m Measured) bool { return m.Workers != together })
	}
	walls, failures := sorted(list)
	if l.time = measured(walls); len(list) == 0 || len(walls) > 0 && !l.answers() {
		return l
	}
	l.time.share(len(walls), common)
	l.bytes = files(list)
	for _, class := range slices.Sorted(maps.Keys(failures)) {
		times := failures[class]
		l.failures = append(l.failures, Failure{class, float64(len(times)) / float64(len(list)), measured(times)})
	}
	return l
}

// take fills in a lesson from earlier runs, and returns a note of it. Without an answer the run fails at each attempt.
func (r *Run) take(l lesson, how string) (note string) {
	r.Time, r.Failures = &l.time, append(r.Failures, l.failures...)
	r.Out = cmp.Or(r.Out, l.bytes)
	return fmt.Sprintf("time of earlier runs of %s %s", r.Solver, how)
}

// files is the median size of the files of attempts.
func files(list []Measured) int64 {
	sizes := make([]int64, len(list))
	for i, m := range list {
		sizes[i] = m.Bytes
	}
	return middle(sizes)
}

// sorted splits attempts into the times of those with answers, and those of others by class.
func sorted(list []Measured) (walls []float64, failures map[event.Class][]float64) {
	failures = map[event.Class][]float64{}
	for _, m := range list {
		if m.Class == event.Converged {
			walls = append(walls, m.Wall)
		} else {
			failures[m.Class] = append(failures[m.Class], m.Wall)
		}
	}
	return walls, failures
}

// measured is the spread of measured times, without those that are 0, not known; zero: none is known.
func measured(times []float64) Spread {
	var logs []float64
	for _, t := range times {
		if t > 0 {
			logs = append(logs, math.Log(t))
		}
	}
	if logs == nil {
		return Spread{}
	}
	slices.Sort(logs)
	s := Spread{Median: math.Exp((logs[(len(logs)-1)/2] + logs[len(logs)/2]) / 2), Own: fewRuns, Common: fewRuns}
	if n := len(logs); n >= enough {
		s.Own = stat.StdDev(logs, nil)
		s.Common = s.Own / math.Sqrt(float64(n))
	}
	return s
}

// scale takes the time from runs with other settings, by their cells and iterations.
func (r *Run) scale(earlier *experience, together int) (note string, ok bool) {
	size, law := r.size(), earlier.law()
	if size == 0 || law.of == 0 {
		return "", false
	}
	t := law.ratio
	t.Median *= law.time(factors(size, together))
	t.Common = max(t.Common, fewRuns)
	r.Time = &t
	all := earlier.lesson("all", 0, func() []Measured { return earlier.all })
	r.Failures = append(r.Failures, all.failures...)
	return fmt.Sprintf("time per cell and iteration of %s by %s with other settings", attempts(law.of), r.Solver), true
}

// size is cells times iterations; 0: unknown.
func (r *Run) size() float64 {
	cells, iterations := solver.Size(r.Solver, r.Settings)
	cells, iterations = cmp.Or(r.Cells, cells), cmp.Or(r.Iterations, iterations)
	if cells == 0 {
		return 0
	}
	return cells * max(1, iterations)
}

// guess is the time of a run without earlier ones.
func (r *Run) guess() (note string) {
	t := between(unknownTime/cellFactor, unknownTime*cellFactor)
	note = fmt.Sprintf("no earlier run of %s and no number of cells: %g s, perhaps %g times less or more",
		cmp.Or(r.Solver, "the solver"), float64(unknownTime), float64(cellFactor))
	if size := r.size(); size > 0 {
		t = between(size*cellTime/cellFactor, size*cellTime*cellFactor)
		note = fmt.Sprintf("no earlier run of %s: %.3g cells times iterations, of %g us each, perhaps %g times less "+
			"or more", cmp.Or(r.Solver, "the solver"), size, 1e6*cellTime, float64(cellFactor))
	}
	t.Common, t.Own = t.Own, 0.1 // one error of all runs
	r.Time = &t
	return note
}
