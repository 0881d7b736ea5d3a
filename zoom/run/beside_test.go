package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// pairs observes a pool: its attempts under way, the starts beside others, and the ends of attempts.
type pairs struct {
	sync.Mutex
	going, most, beside int
	ends                []event.Event
}

// besides returns a pool of two workers whose silent runs may get a second attempt. Its clock moves by 0.1 s with each
// report of the job "good", and by itself from the end of that job to the second attempt at "silent".
func besides(t *testing.T) (*pool.Pool, *pairs) {
	p, s := without(t), &pairs{}
	at, stop := clock.NewManual(clock.Real.Now()), func() {}
	p.Clock, p.Workers, p.Policy = at, 2, run.DefaultPolicy()
	p.Budget = &pool.Budget{Cores: 1e11, Clock: at}
	p.Limits = attempt.Limits{Hung: 10 * time.Minute, Grace: 30 * time.Second}
	p.Observe = func(e event.Event) {
		s.Lock()
		defer s.Unlock()
		if e.Run == "good" && e.Kind == event.Iteration {
			at.Advance(100 * time.Millisecond)
		}
		if e.Run == "good" && e.Kind == event.Ended {
			stop = pace(t, at, 100*time.Millisecond)
		}
		switch {
		case e.Kind == event.Started && e.Run == "silent~2":
			stop()
			fallthrough
		case e.Kind == event.Started:
			s.going++
			s.most = max(s.most, s.going)
		case strings.Contains(e.Text, "another attempt starts beside it"):
			s.beside++
		case e.Kind == event.Ended && e.Source == event.Host:
			s.going--
			s.ends = append(s.ends, e)
		}
	}
	return p, s
}

// The second attempt at a silent run starts beside it when a worker is free; the first with an answer decides, and the
// other is ended and leaves no answer under the key.
func TestSecondAttemptBesideASilentOne(t *testing.T) {
	t.Parallel()
	p, s := besides(t)
	jobs := p.Plan([]run.Job{job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; stuck it")})
	out := must.Value(p.Evaluate(t.Context(), jobs, func(ctx context.Context, t attempt.Task) (run.Outcome, error) {
		t.CacheKey = "key of " + t.Name
		return p.Make(ctx, t)
	}))(t)
	if o := out[1]; !o.OK() || o.Run != "silent~2" || o.Attempts != 2 || o.Result.Numbers["y"] != 4 {
		t.Errorf("%s: %s after %d: %v", o.Run, o.Class, o.Attempts, o.Err)
	}
	if s.beside != 1 || s.most > 2 {
		t.Errorf("%d started beside others, %d attempts at a time", s.beside, s.most)
	}
	var ends []string
	for _, e := range s.ends {
		ends = append(ends, fmt.Sprintf("%s %s %v %s", e.Run, e.Class, e.Follows, e.Outrun))
	}
	slices.Sort(ends)
	must.Equal(t, []string{"good converged false ", "silent killed true silent~2", "silent~2 converged false "}, ends)
	var end plugin.Ending
	must.OK(t, plugin.ReadFile(filepath.Join(p.Host.Folder(), "silent"), plugin.ResultFile, &end))
	if end.Class != event.Killed || !strings.Contains(end.Message, "silent~2 has ended first") {
		t.Errorf("the first attempt: %s, %s", end.Class, end.Message)
	}
	for name, key := range map[string]string{"silent": "", "silent~2": "key of silent"} {
		if made := must.Value(record.Read(filepath.Join(p.Host.Folder(), name)))(t); made.Key != key {
			t.Errorf("the key of %s is %q", name, made.Key)
		}
	}
}

// Two attempts that both give an answer have one end that counts, and the first attempt may decide.
func TestFirstAttemptMayDecide(t *testing.T) {
	t.Parallel()
	p, s := besides(t)
	free := filepath.Join(t.TempDir(), "free")
	observe := p.Observe
	p.Observe = func(e event.Event) {
		if observe(e); e.Kind == event.Iteration && e.Run == "silent~2" {
			_ = os.WriteFile(free, nil, 0o600)
		}
	}
	out := runAll(t, p, job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; wait "+free+"; iterate 1"))
	if o := out[1]; !o.OK() || o.Attempts != 2 || o.Result.Numbers["y"] != 4 {
		t.Errorf("%s: %s after %d: %v", o.Run, o.Class, o.Attempts, o.Err)
	}
	count := 0
	for _, e := range s.ends {
		if record.JobOf(e.Run) == "silent" && !e.Follows {
			count++
		}
	}
	if count != 1 || len(s.ends) != 3 {
		t.Errorf("%d ends count, of %d", count, len(s.ends))
	}
}

// hangs has the first attempt of the job "silent" reach the limit of silence once the second has reported its two
// iterations. Limits are hours, so that what the clock moves by itself does not count.
func hangs(p *pool.Pool) {
	p.Limits.Hung = 10 * time.Hour
	at, observe, reports := p.Clock.(*clock.Manual), p.Observe, 0
	p.Observe = func(e event.Event) {
		observe(e)
		switch {
		case strings.Contains(e.Text, "another attempt starts beside it"):
			at.Advance(p.Limits.Hung / 2)
		case e.Kind == event.Iteration && e.Run == "silent~2":
			if reports++; reports == 2 {
				at.Advance(p.Limits.Hung / 2)
			}
		}
	}
}

// A second attempt that is silent ends with the first, which may be silent until it has reached the limit itself. They
// count as one failure.
func TestTwoSilentAttemptsEndTogether(t *testing.T) {
	t.Parallel()
	p, s := besides(t)
	hangs(p)
	o := runAll(t, p, job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; hang"))[1]
	if o.Class != event.Hung || o.Attempts != 2 || o.Alike != 1 || s.beside != 1 ||
		!strings.Contains(o.Reason(), "after another attempt was silent") {
		t.Errorf("%s after %d, %d alike, %d beside: %v", o.Class, o.Attempts, o.Alike, s.beside, o.Err)
	}
	for _, e := range s.ends {
		if e.Run == "silent" && (e.Class != event.Hung || e.Wall < p.Limits.Hung.Seconds()) {
			t.Errorf("the first attempt: %s after %g s: %s", e.Class, e.Wall, e.Text)
		}
	}
}

// The second attempt is halted as soon as the first has reached the limit of silence, not when that has been killed.
func TestSecondSilentAttemptEndsAtOnce(t *testing.T) {
	t.Parallel()
	p, s := besides(t)
	hangs(p)
	observe := p.Observe
	free := filepath.Join(t.TempDir(), "free")
	halted := false
	p.Observe = func(e event.Event) {
		if observe(e); e.Kind == event.Command && e.Run == "silent~2" {
			s.Lock()
			halted = len(s.ends) == 1 && strings.Contains(e.Text, "after another attempt was silent")
			s.Unlock()
			_ = os.WriteFile(free, nil, 0o600)
		}
	}
	runAll(t, p, job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; deaf; wait "+free))
	if s.beside != 1 || !halted {
		t.Errorf("%d beside, halted while the first was being stopped: %t", s.beside, halted)
	}
}

// No judge of silence rejects an answer.
func TestAnswerIsNoSilence(t *testing.T) {
	t.Parallel()
	p, asked := without(t), false
	p.Observe = func(e event.Event) {
		if e.Kind != event.Result {
			return
		}
		asked = true
		p.Host.Halt("a", attempt.Halt{Class: event.Hung, Message: "silent"})
	}
	if o := runAll(t, p, job("a", 2, "iterate 2"))[0]; !o.OK() || !asked {
		t.Errorf("%s: %v", o.Class, o.Err)
	}
}

// A second attempt takes a licence that it would have to ask for at length only while the first goes on.
func TestFirstAttemptEndsWhileTheSecondAsks(t *testing.T) {
	t.Parallel()
	p, s := besides(t)
	folder := t.TempDir()
	free, asks := filepath.Join(folder, "free"), filepath.Join(folder, "good has ended")
	p.Licence = &licence.Pool{Name: "cfd", Folder: folder, Free: []string{"sh", "-c",
		`if [ -e "$0" ]; then touch "$1"; sleep 300; fi; echo 1`, asks, free}}
	observe := p.Observe
	var mu sync.Mutex
	waits := map[string]bool{"good": true, "silent": true} // for the end of the one and the start of the other
	p.Observe = func(e event.Event) {
		mu.Lock()
		if e.Run == "good" && e.Kind == event.Ended || e.Run == "silent" && e.Kind == event.Started {
			if delete(waits, e.Run); len(waits) == 0 {
				_ = os.WriteFile(asks, nil, 0o600)
			}
		}
		mu.Unlock()
		observe(e)
	}
	o := runAll(t, p, job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; wait "+free+"; iterate 1"))[1]
	if !o.OK() || o.Attempts != 1 || s.beside != 0 {
		t.Errorf("%s after %d, %d beside: %v", o.Class, o.Attempts, s.beside, o.Err)
	}
}

// No second attempt starts beside a silent one where it would wait for a licence or a worker, or where the policy has
// none; otherwise its turn comes when the first has ended.
func TestNoSecondAttemptBeside(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*pool.Pool){
		"licence": func(p *pool.Pool) { // another study takes the licence that "good" has given back
			p.Licence = &licence.Pool{Name: "cfd", Of: 2, Folder: t.TempDir()}
			observe := p.Observe
			p.Observe = func(e event.Event) {
				if e.Run == "good" && e.Kind == event.Ended {
					t.Cleanup(must.Value(p.Licence.Take(t.Context(), func(string) {}))(t))
				}
				observe(e)
			}
		},
		"worker": func(p *pool.Pool) { p.Workers = 1 },
		"policy": func(p *pool.Pool) { p.Policy[event.Hung] = nil },
	} {
		p, s := besides(t)
		p.Limits.Hung = 20 * time.Second
		change(p)
		o := runAll(t, p, job("good", 3, "iterate 5"), job("silent", 2, "iterate 2; stuck it"))[1]
		if want := name != "policy"; s.beside != 0 || o.OK() != want {
			t.Errorf("%s: %d beside; %s after %d", name, s.beside, o.Class, o.Attempts)
		}
		if name != "policy" && s.most > p.Workers {
			t.Errorf("%s: %d at a time", name, s.most)
		}
	}
}
