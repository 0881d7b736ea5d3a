package watch

// A study of Peregrine: its runs are judged by their events, and the study's log has the end of each run.

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// FollowStudy judges the runs of the study in a folder as Follow judges files, and reports their states under the names
// of their event files. It returns when the study has ended, or with the error of ctx.
func FollowStudy(ctx context.Context, folder string, o Options, say func(Line)) error {
	at := clock.Or(o.Clock)
	s := &study{folder: folder, options: o, say: say, ruling: o.ruling(), runs: map[string]*state.Machine{},
		ended: map[string]state.Judgement{}}
	ctx, cancel := context.WithCancel(ctx)
	var ticks sync.WaitGroup
	ticks.Go(func() { s.tick(ctx, at) })
	defer ticks.Wait()
	defer cancel()
	if err := studylog.FollowLiving(ctx, folder, at, o.Waker, o.warn, s.observe); err != nil {
		return err
	}
	return s.ruling.unoffered()
}

// OnceStudy judges the runs of a study by its present events. Runs that have not ended are treated as finished.
func OnceStudy(ctx context.Context, folder string, o Options, say func(Line)) error {
	at := clock.Or(o.Clock)
	s := &study{folder: folder, options: o, say: say, ruling: o.ruling(), runs: map[string]*state.Machine{},
		ended: map[string]state.Judgement{}}
	if _, err := studylog.Each(ctx, folder, at, o.warn, s.observe); err != nil {
		return err
	}
	for _, run := range s.order {
		if m := s.runs[run]; m != nil {
			ending := o.Ending
			ending.Hung = m.Hung()
			now, j := at.Now(), m.Final(ending)
			s.report(run, m, now, j, true)
			s.find(run, s.ruling.state(run, j, true, now), now)
		}
	}
	return s.ruling.unoffered()
}

type study struct {
	folder  string
	options Options
	say     func(Line)
	ruling  *ruling // judges by rules; nil: none

	mu    sync.Mutex
	runs  map[string]*state.Machine  // that have not ended
	ended map[string]state.Judgement // the ended runs, for findings of rules on them
	order []string                   // as they started
}

// tick judges the silence of runs without events.
func (s *study) tick(ctx context.Context, at clock.Clock) {
	ticker := at.NewTicker(lookTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		now := at.Now()
		for _, run := range s.order {
			if m := s.runs[run]; m != nil && m.Tick(now) {
				s.report(run, m, now, m.Judgement(), false)
			}
		}
		for _, x := range s.ruling.tick(now) {
			s.find(about(&x), []rule.Finding{x}, now)
		}
		s.mu.Unlock()
	}
}

func (s *study) observe(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Run == "" {
		return
	}
	found := s.ruling.event(e.Run, e)
	m := s.runs[e.Run]
	switch {
	case e.Kind == event.Started && e.Source == event.Host:
		if m == nil {
			s.order = append(s.order, e.Run)
		}
		s.runs[e.Run] = state.New(s.options.Options)
	case e.Kind == event.Ended && (e.Source == event.Host || e.Source == event.Executive):
		if m == nil { // from the cache
			m = state.New(s.options.Options)
		}
		j := became(&e, m)
		s.runs[e.Run], s.ended[e.Run] = nil, j
		s.report(e.Run, m, e.Time, j, true)
	case m != nil && e.Source != event.Host && e.Source != event.Executive && m.Event(e):
		s.report(e.Run, m, e.Time, m.Judgement(), false)
	}
	s.find(e.Run, found, e.Time)
}

// find reports the findings of rules in a run, after its state.
func (s *study) find(run string, found []rule.Finding, now time.Time) {
	if len(found) == 0 {
		return
	}
	l := Line{File: s.file(run), Time: now, Findings: found, Judgement: s.ended[run]}
	if m := s.runs[run]; m != nil {
		l.Judgement, l.Values = m.Judgement(), m.Values()
	}
	s.say(l)
}

// became returns the judgement of an ended run, by the host's event.
func became(e *event.Event, m *state.Machine) state.Judgement {
	j := m.Judgement()
	j.FirstSign = j.Iteration
	why := cmp.Or(e.Text, "the study's log says so")
	j.State, j.Left, j.Between = cmp.Or(state.Ended(e.Class), state.Dead), 0, nil
	if j.State == state.Dead {
		why = string(e.Class) + ": " + why
	}
	if e.Cached {
		why = "its answer was in the cache"
	}
	if end := event.LineEnd(e.Seeks, e.Class); end != "" && e.Answers() {
		why = end
	}
	j.Usable, j.Reasons = j.State.Usable() || e.Answers(), []string{why}
	return j
}

func (s *study) file(run string) string { return filepath.Join(s.folder, run, event.LogName) }

func (s *study) report(run string, m *state.Machine, now time.Time, j state.Judgement, final bool) {
	l := Line{File: s.file(run), Time: now, Judgement: j, Values: m.Values(), Final: final, scene: s.file(run)}
	if final {
		l.FirstSign = &l.Judgement.FirstSign
	}
	s.say(l)
	if !final { // for an ended run the host's event reaches the rules
		s.find(run, s.ruling.state(run, j, false, now), now)
	}
}
