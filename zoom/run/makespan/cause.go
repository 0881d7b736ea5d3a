package makespan

// The causes of a study's length. Each is a condition under which the study would have been shorter, by a replay.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// Kinds of causes.
const (
	SilentRun = "silent run"
	Retries   = "retries"
	Straggler = "straggler"
	HeldLock  = "held lock"
	Waits     = "waits" // for a core, licence or node
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
		r.silent, r.failing, r.locked, r.waiting, r.straggler, r.starting, r.order, r.tooFew,
	} {
		if c := find(s); c.Seconds > 0.01*r.Span {
			r.Causes = append(r.Causes, c)
		}
	}
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
	general := []Cause{r.cold(s), r.executive()}
	slices.SortStableFunc(general, func(a, b Cause) int { return cmp.Compare(b.Seconds, a.Seconds) })
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

// saved returns by how much a condition makes the study shorter than the replay of the same conditions.
func (r *Report) saved(s *study, c condition) float64 { return r.Replay.Same - s.replay(c) }

// isSilent reports whether an attempt was ended because it reported nothing for long.
func isSilent(x *try) bool {
	if x.answers {
		return false
	}
	silent := 0.0
	for _, p := range x.parts {
		if p.name == partSilent {
			silent = p.seconds()
		}
	}
	return x.class == event.Hung || (x.outrun || x.class == event.Timeout) && silent > (x.end-x.begin)/2
}

func (r *Report) silent(s *study) Cause {
	t, spent, n := s.dearest(isSilent)
	if t == nil {
		return Cause{}
	}
	saved := r.saved(s, condition{duration: s.without(isSilent)})
	return Cause{SilentRun, t.job, saved, fmt.Sprintf("silent run: %s reported nothing in %s, %s of a worker; without "+
		"silent runs the study takes %s", t.job, times(n, "attempt"), seconds(spent), seconds(r.Replay.Same-saved)),
		"limits: no_progress: a shorter time ends a silent run sooner; failures: hung: leave_out does not repeat it"}
}

func (r *Report) failing(s *study) Cause {
	bad := func(x *try) bool { return !x.answers && x.class != "" && !x.outrun && !isSilent(x) }
	t, spent, _ := s.dearest(bad)
	if t == nil {
		return Cause{}
	}
	saved := r.saved(s, condition{duration: s.without(bad)})
	all, classes := 0, map[event.Class]int{}
	for _, of := range s.tasks {
		for _, x := range of.tries {
			if bad(x) {
				all++
				classes[x.class]++
			}
		}
	}
	class := t.failed().class
	return Cause{Retries, t.job, saved, fmt.Sprintf("retries: %s failed (%s %s), most of all %s with %s of a worker; "+
		"without failures the study takes %s", times(all, "attempt"), strconv.Itoa(classes[class]), class, t.job,
		seconds(spent), seconds(r.Replay.Same-saved)),
		fmt.Sprintf("failures: %s: fewer retries, or a change that lets the run converge; peregrine runs log %s shows "+
			"why it failed", class, t.job)}
}

// dearest returns the task with the longest attempts of some kind, their time, and their number; nil: none.
func (s *study) dearest(bad func(*try) bool) (dearest *task, spent float64, number int) {
	for _, t := range s.tasks {
		sum, n := 0.0, 0
		for _, x := range t.tries {
			if bad(x) {
				sum, n = sum+x.end-x.begin, n+1
			}
		}
		if n > 0 && sum > spent {
			dearest, spent, number = t, sum, n
		}
	}
	return dearest, spent, number
}

func (r *Report) locked(s *study) Cause {
	if len(s.locks) == 0 {
		return Cause{}
	}
	longest := slices.MaxFunc(s.locks, func(a, b part) int { return cmp.Compare(a.seconds(), b.seconds()) })
	usual := s.usual()
	saved := r.saved(s, condition{unlocked: true, duration: func(b *batch, t *task) float64 {
		d := b.net(t)
		for _, w := range t.waits {
			if w.name == partLock {
				d -= w.seconds()
			}
		}
		if len(t.tries) == 0 && slices.ContainsFunc(s.locks, func(l part) bool { return l.name == t.job }) {
			return usual // the other process made it
		}
		return max(0, d)
	}})
	return Cause{HeldLock, longest.name, saved, fmt.Sprintf("held lock: another process made %s of this study, %s for "+
		"%s; without that wait the study takes %s", times(len(s.locks), "point"), longest.name,
		seconds(longest.seconds()), seconds(r.Replay.Same-saved)),
		"two studies make the same points: start the second when the first has ended, or give it another --cache"}
}

func (r *Report) waiting(s *study) Cause {
	what, most := "", 0.0
	for name, x := range r.Queue.Waits {
		if name != partLock && x > most {
			what, most = name, x
		}
	}
	if what == "" {
		return Cause{}
	}
	saved := r.saved(s, condition{
		workers:  func(int) int { return max(r.recordedWorkers(s), r.Workers.Number) },
		duration: func(b *batch, t *task) float64 { return t.end - t.begin - t.waited() },
	})
	return Cause{Waits, "", saved, fmt.Sprintf("waits: jobs waited %s for a %s; without that the study takes %s",
		seconds(most), what, seconds(r.Replay.Same-saved)), "more of the resource that the jobs wait for (" + what +
		"), or fewer studies at a time"}
}

// recordedWorkers returns the largest number of workers of a pool.
func (r *Report) recordedWorkers(s *study) (most int) {
	for _, t := range s.tasks {
		most = max(most, t.workers)
	}
	return most
}

// straggling is how much longer than usual a run of a straggler is.
const straggling = 2

func (r *Report) straggler(s *study) Cause {
	usual := s.usual()
	late := func(b *batch, t *task) bool {
		return t.failed() == nil && len(t.tries) > 0 && b.net(t) > straggling*usual
	}
	var slowest *task
	spent := 0.0
	for _, b := range s.batches {
		for _, t := range b.tasks {
			if late(b, t) && b.net(t) > spent {
				slowest, spent = t, b.net(t)
			}
		}
	}
	if slowest == nil || usual == 0 {
		return Cause{}
	}
	saved := r.saved(s, condition{duration: func(b *batch, t *task) float64 {
		if late(b, t) {
			return usual
		}
		return b.net(t)
	}})
	return Cause{Straggler, slowest.job, saved,
		fmt.Sprintf("straggler: %s took %s, and a run usually %s; if it took no longer, the study would take %s",
			slowest.job, seconds(spent), seconds(usual), seconds(r.Replay.Same-saved)),
		fmt.Sprintf("peregrine steer first '%s' starts the longest run first: %s; peregrine runs diff shows how its "+
			"request differs", slowest.job, seconds(r.Replay.LongestFirst))}
}

func (r *Report) starting(s *study) Cause {
	started := func(t *task) (sum float64, n int) {
		for _, x := range t.tries {
			for _, p := range x.parts {
				if p.name == attempt.SpanStart {
					sum, n = sum+p.seconds(), n+1
				}
			}
		}
		return sum, n
	}
	sum, starts := 0.0, 0
	for _, t := range s.tasks {
		of, n := started(t)
		sum, starts = sum+of, starts+n
	}
	if starts == 0 {
		return Cause{}
	}
	saved := r.saved(s, condition{duration: func(b *batch, t *task) float64 {
		of, _ := started(t)
		return max(0, b.net(t)-of)
	}})
	return Cause{Starts, "", saved,
		fmt.Sprintf("starts: %s of the solver took %s of workers; without them the study takes "+
			"%s", times(starts, "start"), seconds(sum), seconds(r.Replay.Same-saved)),
		"a solver that serves several runs starts once; check the disk and the licences that it needs to start"}
}

func (r *Report) order(*study) Cause {
	saved := r.Replay.Same - r.Replay.LongestFirst
	return Cause{Order, "", saved, fmt.Sprintf("order: long runs began late; with the longest first the study takes %s",
		seconds(r.Replay.LongestFirst)), "peregrine steer first PATTERN lets long runs begin first"}
}

// tooFew is a cause if one more worker saves more than its part: the last round of runs fills few of the workers.
func (r *Report) tooFew(s *study) Cause {
	n := r.Workers.Number
	if n == 0 {
		return Cause{}
	}
	more := r.Replay.Workers[n+1]
	saved := r.Replay.Same - more
	if saved <= 1.2*r.Replay.Same/float64(n+1) {
		return Cause{}
	}
	return Cause{TooFew, "", saved, fmt.Sprintf("too few workers: %d for %s; with %d the study takes %s",
		n, times(r.Workers.Tasks, "job"), n+1, seconds(more)), fmt.Sprintf("--workers %d", n+1)}
}

func (r *Report) cold(*study) Cause {
	w := r.Workers
	text := fmt.Sprintf("cold cache: %d of %s had to be made, on %s that were busy for %.0f %% of the time",
		w.Tasks-w.Cached, times(w.Tasks, "point"), times(w.Number, "worker"), 100*w.Used)
	if more := r.Replay.Workers[w.Number+1]; more > 0 && more < 0.95*r.Replay.Same {
		text += fmt.Sprintf("; with %d the study takes %s", w.Number+1, seconds(more))
	}
	return Cause{ColdCache, "", r.Replay.Same - r.Replay.WarmCache, text + fmt.Sprintf(
		"; with all answers in the cache %s", seconds(r.Replay.WarmCache)),
		"the same study takes this time only once; peregrine cache export and import bring answers from elsewhere"}
}

func (r *Report) executive() Cause {
	sum, most := 0.0, "nothing"
	for i, p := range r.Executive {
		if sum += p.Seconds; i == 0 {
			most = p.Name
		}
	}
	return Cause{Executive, "", sum,
		fmt.Sprintf("executive: no job was in a worker for %s, most of it for: %s", seconds(sum),
			most), ""}
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

// times writes a number of things.
func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
