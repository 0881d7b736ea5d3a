package makespan

// The causes of a study's length. Each is a condition under which the study would have been shorter, by a replay.

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// Kinds of causes.
const (
	SilentRun = "silent run"
	Retries   = "retries"
	Straggler = "straggler"
	HeldLock  = "held lock"
	Hold      = "hold"
	Waits     = "waits" // for a core, licence, memory or node
	Starts    = "starts"
	Order     = "order"
	TooFew    = "too few workers"
	ColdCache = "cold cache"
	Executive = "executive"
)

// Cause is a cause of a study's length.
type Cause struct {
	Kind    string  `json:"kind"`
	Run     string  `json:"run,omitempty"` // the dearest of it
	Seconds float64 `json:"seconds"`       // by which the study would be shorter without it
	Text    string  `json:"text"`
	advice  string
}

// leastShare is the share of the span from which on a cause is worth a change.
const leastShare = 0.1

// causes fills in the causes, and the advice on the dearest.
func (r *Report) causes(s *study) {
	r.Causes = []Cause{}
	for _, find := range []func(*study) Cause{
		r.silent, r.failing, r.locked, r.held, r.waiting, r.straggler, r.starting, r.order, r.tooFew,
	} {
		if c := find(s); c.Seconds > 0.01*r.Span {
			r.Causes = append(r.Causes, c)
		}
	}
	general := []Cause{r.cold(), r.executive()}
	for _, list := range [][]Cause{r.Causes, general} {
		slices.SortStableFunc(list, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	}
	if len(r.Causes) > 0 && r.Causes[0].Seconds >= leastShare*r.Span {
		r.Causes = append(r.Causes, general...)
	} else { // nothing special: the study has work to do
		r.Causes = append(general, r.Causes...)
	}
	r.Cause = r.Causes[0]
	r.Advice = []string{}
	for _, c := range r.Causes {
		if c.advice != "" && c.Seconds >= min(leastShare*r.Span, r.Cause.Seconds) {
			r.Advice = append(r.Advice, c.advice)
		}
	}
}

// cause makes one of a condition under which the study takes so long. The text ends with that time.
func (r *Report) cause(kind, run string, takes float64, advice, text string, values ...any) Cause {
	return Cause{kind, run, r.Replay.Same - takes, kind + ": " + fmt.Sprintf(text, values...) + " " + seconds(takes),
		advice}
}

// spent sums the parts of a name.
func spent(parts []part, name string) (sum float64, number int) {
	for _, p := range parts {
		if p.name == name {
			sum, number = sum+p.seconds(), number+1
		}
	}
	return sum, number
}

// isSilent reports whether an attempt was ended because it reported nothing for long.
func isSilent(x *try) bool {
	silent, _ := spent(x.parts, partSilent)
	return !x.answers && (x.class == event.Hung || (x.outrun || x.class == event.Timeout) && silent > (x.end-x.begin)/2)
}

// dearest returns the task with the longest attempts of some kind, their time and their number, and the numbers of all
// such attempts by class; nil: no task has any.
func (s *study) dearest(bad func(*try) bool) (dearest *task, spent float64, number int, all map[event.Class]int) {
	all = map[event.Class]int{}
	for _, t := range s.tasks {
		sum, n := 0.0, 0
		for _, x := range t.tries {
			if bad(x) {
				sum, n = sum+x.end-x.begin, n+1
				all[x.class]++
			}
		}
		if n > 0 && sum > spent {
			dearest, spent, number = t, sum, n
		}
	}
	return dearest, spent, number, all
}

func (r *Report) silent(s *study) Cause {
	t, spent, n, _ := s.dearest(isSilent)
	if t == nil {
		return Cause{}
	}
	return r.cause(SilentRun, t.job, s.replay(condition{duration: s.without(isSilent)}),
		"limits: no_progress: a shorter time ends a silent run sooner; failures: hung: leave_out does not repeat it",
		"%s reported nothing in %s, %s of a worker; without silent runs the study takes", t.job, Times(n, "attempt"),
		seconds(spent))
}

func (r *Report) failing(s *study) Cause {
	bad := func(x *try) bool { return !x.answers && x.class != "" && !x.outrun && !isSilent(x) }
	t, spent, _, classes := s.dearest(bad)
	if t == nil {
		return Cause{}
	}
	all, class := 0, t.failed().class
	for _, n := range classes {
		all += n
	}
	return r.cause(Retries, t.job, s.replay(condition{duration: s.without(bad)}),
		fmt.Sprintf("failures: %s: fewer retries, or a change that lets the run converge; peregrine runs log %s shows "+
			"why it failed", class, t.job),
		"%s failed (%d %s), most of all %s with %s of a worker; without failures the study takes",
		Times(all, "attempt"), classes[class], class, t.job, seconds(spent))
}

func (r *Report) locked(s *study) Cause {
	if len(s.locks) == 0 {
		return Cause{}
	}
	longest := slices.MaxFunc(s.locks, func(a, b part) int { return cmp.Compare(a.seconds(), b.seconds()) })
	usual := s.usual()
	takes := s.replay(condition{unlocked: true, duration: func(b *batch, t *task) float64 {
		if len(t.tries) == 0 && slices.ContainsFunc(s.locks, func(l part) bool { return l.name == t.job }) {
			return usual(t.component) // the other process made it
		}
		waited, _ := spent(t.waits, partLock)
		return max(0, b.net(t)-waited)
	}})
	return r.cause(HeldLock, longest.name, takes,
		"two studies make the same points: start the second when the first has ended, or give it another --cache",
		"another process made %s of this study, %s for %s; without that wait the study takes",
		Times(len(s.locks), "point"), longest.name, seconds(longest.seconds()))
}

func (r *Report) held(s *study) Cause {
	sum, n := spent(s.executive, partHold)
	return r.cause(Hold, "", r.Replay.Same-sum, "peregrine steer set hold=false lets jobs start",
		"no job ran in %s, %s in all; without that the study takes", Times(n, "hold"), seconds(sum))
}

func (r *Report) waiting(s *study) Cause {
	what, most := "", 0.0
	for name, x := range r.Queue.Waits {
		if name != partLock && name != attempt.WaitsForWorker && name != attempt.WaitsForRound && x > most {
			what, most = name, x
		}
	}
	if what == "" {
		return Cause{}
	}
	workers := r.Workers.Number
	for _, t := range s.tasks {
		workers = max(workers, t.workers)
	}
	takes := s.replay(condition{
		workers:  func(int) int { return workers },
		duration: func(_ *batch, t *task) float64 { return t.end - t.begin - t.waited() },
	})
	return r.cause(Waits, "", takes,
		"more of the resource that the jobs wait for ("+what+"), or fewer studies at a time",
		"jobs waited %s for %s; without that the study takes", seconds(most), article(what))
}

// article is a resource with its article.
func article(what string) string {
	if what == schedule.LacksMemory {
		return what
	}
	return "a " + what
}

// straggling is how much longer than usual a run of a straggler is.
const straggling = 2

func (r *Report) straggler(s *study) Cause {
	usual := s.usual()
	late := func(b *batch, t *task) bool {
		return t.failed() == nil && len(t.tries) > 0 && b.net(t) > straggling*usual(t.component)
	}
	var slowest *task
	spent, number, others := 0.0, 0, ""
	for _, b := range s.batches {
		for _, t := range b.tasks {
			if !late(b, t) {
				continue
			}
			if number++; b.net(t) > spent {
				slowest, spent = t, b.net(t)
			}
		}
	}
	if number > 1 {
		others = " and " + Times(number-1, "other")
	}
	if slowest == nil {
		return Cause{}
	}
	takes := s.replay(condition{duration: func(b *batch, t *task) float64 {
		if late(b, t) {
			return usual(t.component)
		}
		return b.net(t)
	}})
	return r.cause(Straggler, slowest.job, takes,
		fmt.Sprintf("peregrine steer call STUDY/study first '%s' starts the longest run first: %s; peregrine runs "+
			"diff "+
			"shows how its request differs", slowest.job, seconds(r.Replay.LongestFirst)),
		"%s took %s, and such a run usually %s; if it%s took no longer, the study would take", slowest.job,
		seconds(spent), seconds(usual(slowest.component)), others)
}

func (r *Report) starting(s *study) Cause {
	starting := func(t *task) (sum float64, number int) {
		for _, x := range t.tries {
			of, n := spent(x.parts, attempt.SpanStart)
			sum, number = sum+of, number+n
		}
		return sum, number
	}
	sum, starts := 0.0, 0
	for _, t := range s.tasks {
		of, n := starting(t)
		sum, starts = sum+of, starts+n
	}
	if starts == 0 {
		return Cause{}
	}
	takes := s.replay(condition{duration: func(b *batch, t *task) float64 {
		of, _ := starting(t)
		return max(0, b.net(t)-of)
	}})
	return r.cause(Starts, "", takes,
		"a solver that serves several runs starts once; check the disk and the licences that it needs to start",
		"%s of the solver took %s of workers; without them the study takes", Times(starts, "start"), seconds(sum))
}

func (r *Report) order(*study) Cause {
	return r.cause(Order, "", r.Replay.LongestFirst,
		"peregrine steer call STUDY/study first PATTERN lets long runs begin first",
		"long runs began late; with the longest first the study takes")
}

// tooFew is a cause if one more worker saves more than its part: the last round of runs fills few of the workers.
func (r *Report) tooFew(*study) Cause {
	n := r.Workers.Number
	more := r.Replay.Workers[n+1]
	if n == 0 || r.Replay.Same-more <= 1.2*r.Replay.Same/float64(n+1) {
		return Cause{}
	}
	return r.cause(TooFew, "", more, fmt.Sprintf("--workers %d", n+1), "%d for %s; with %d the study takes", n,
		Times(r.Workers.Tasks, "job"), n+1)
}

func (r *Report) cold() Cause {
	w, with := r.Workers, ""
	if more := r.Replay.Workers[w.Number+1]; more > 0 && more < 0.95*r.Replay.Same {
		with = fmt.Sprintf("; with %d the study takes %s", w.Number+1, seconds(more))
	}
	return r.cause(ColdCache, "", r.Replay.WarmCache,
		"the same study takes this time only once; peregrine cache export and import bring answers from elsewhere",
		"%d of %s had to be made, on %s busy for %.0f %% of the time%s; with all answers in the cache",
		w.Tasks-w.Cached, Times(w.Tasks, "point"), Times(w.Number, "worker"), 100*w.Used, with)
}

func (r *Report) executive() Cause {
	sum, most := 0.0, "nothing"
	for i, p := range r.Executive {
		if sum += p.Seconds; i == 0 {
			most = p.Name
		}
	}
	return Cause{Executive, "", sum,
		fmt.Sprintf("executive: no job was in a worker for %s, most of it for: %s", seconds(sum), most), ""}
}

// seconds writes a time for people.
func seconds(x float64) string {
	d := time.Duration(x * float64(time.Second))
	switch {
	case x < 0.1:
		return d.Round(100 * time.Microsecond).String()
	case x < 100:
		return fmt.Sprintf("%.1f s", x)
	}
	return d.Round(time.Second).String()
}

// Times writes a number of things.
func Times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
