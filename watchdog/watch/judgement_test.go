package watch

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// judged is a history of the corpus and what became of it by its files.
type judged struct {
	corpus.History
	state      state.State
	iterations float64
	first      float64 // iteration of the first sign
	doomed     float64 // iteration from which on it was warned of without a break, whatever the state was called
	alarms     int     // states on the way that warn
	stopped    bool    // a rule that stops what is not finite would have stopped it
}

// warns reports whether somebody is warned of a run in this state.
func warns(s state.State) bool { return s == state.Diverging || s.Final() && !s.Usable() }

// judgeHistory judges a history as `peregrine watch --once` does.
func judgeHistory(t *testing.T, h corpus.History) judged {
	t.Helper()
	dir := t.TempDir()
	must.OK(t, h.Unpack(dir))
	var files []string
	for _, name := range h.Files {
		files = append(files, filepath.Join(dir, h.Name, name))
	}
	o := Options{
		Options: state.Options{Limit: float64(h.Limit)}, Ending: state.Ending{Known: h.HasStatus, Status: h.Status},
	}
	j := judged{History: h, doomed: math.Inf(1)}
	if err := Once(files, o, func(l Line) {
		switch {
		case l.File != files[0]:
		case l.Final:
			j.state, j.iterations, j.first, j.doomed = l.State, l.Iteration, *l.FirstSign, min(j.doomed, l.Iteration)
		case warns(l.State):
			j.alarms++
			j.doomed = min(j.doomed, l.Iteration)
			j.stopped = j.stopped || l.State == state.NonFinite
		default:
			j.doomed = math.Inf(1)
		}
	}); err != nil {
		t.Fatalf("%s: %v", h.Name, err)
	}
	return j
}

// score counts how a part of the corpus is judged.
type score struct {
	right, all         int
	confused           map[corpus.Label]map[state.State]int
	good, bad          int
	goodLost, badTaken int // good ones called unusable, bad ones called usable
	alarms, stopped    int // in good runs; good runs
	iterations         float64
	// by run that ends badly: the share of its iterations that was to go at the first sign
	left   map[corpus.Label][]float64
	doomed map[corpus.Label][]float64 // the same, from when on it was warned of without a break
}

func (s *score) add(j judged) {
	if s.confused == nil {
		s.confused = map[corpus.Label]map[state.State]int{}
		s.left, s.doomed = map[corpus.Label][]float64{}, map[corpus.Label][]float64{}
	}
	if s.confused[j.Label] == nil {
		s.confused[j.Label] = map[state.State]int{}
	}
	s.confused[j.Label][j.state]++
	s.all++
	right := string(j.state) == string(j.Label)
	if right {
		s.right++
	}
	if j.Label.Usable() {
		s.good++
		s.alarms += j.alarms
		s.iterations += j.iterations
		if j.stopped {
			s.stopped++
		}
		if !j.state.Usable() {
			s.goodLost++
		}
		return
	}
	s.bad++
	if j.state.Usable() {
		s.badTaken++
	}
	left, doomed := 0.0, 0.0
	if right && j.iterations > 0 {
		left = 1 - j.first/j.iterations
	}
	if !j.state.Usable() && j.iterations > 0 {
		doomed = 1 - j.doomed/j.iterations
	}
	s.left[j.Label] = append(s.left[j.Label], left)
	s.doomed[j.Label] = append(s.doomed[j.Label], doomed)
}

// foreseeable are the ends that a run's numbers show beforehand. A signal that kills it, and a limit or a stop that
// nobody told of, they do not.
var foreseeable = []corpus.Label{corpus.NonFinite, corpus.Diverged, corpus.Unphysical, corpus.Oscillating,
	corpus.Stalled, corpus.Limit, corpus.Slow}

// reached is how many of 100 tuned ones are right, of the labels that end badly; less is a step back. The goal is 95.
var reached = map[corpus.Label]int{
	corpus.NonFinite: 100, corpus.Diverged: 97, corpus.Unphysical: 93, corpus.Dead: 100, corpus.Oscillating: 88,
	corpus.Stalled: 95,
	corpus.Limit:   95, corpus.EndedEarly: 100, corpus.Slow: 100,
}

// foreseen is the median over the runs whose end can be foreseen.
func (s *score) foreseen(share map[corpus.Label][]float64) float64 {
	var all []float64
	for _, label := range foreseeable {
		all = append(all, share[label]...)
	}
	return median(all)
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// runs returns every so many-th history of the corpus.
func runs(t *testing.T, step int) (some []corpus.History) {
	t.Helper()
	all := must.Value(corpus.Load())(t)
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

// TestJudgement scores the judgement on the corpus: the part that it was tuned on, and the solver and the family of
// cases that it was not. Short tests take a sample.
func TestJudgement(t *testing.T) {
	step, file := 30, "testdata/sample.md"
	if testenv.IsLong(t) {
		step, file = 1, "testdata/score.md"
	}
	parts := map[corpus.Split]*score{corpus.Tune: {}, corpus.Held: {}}
	for _, h := range runs(t, step) {
		j := judgeHistory(t, h)
		parts[h.Split].add(j)
		if string(j.state) != string(h.Label) && h.Split == corpus.Tune {
			t.Logf("%s: %s, not %s: %s", h.Name, j.state, h.Label, h.How)
		}
	}
	tuned, held := parts[corpus.Tune], parts[corpus.Held]
	for name, s := range map[string]*score{"tuned": tuned, "held out": held} {
		t.Logf("%s: %d of %d right, %d of %d good ones lost, %d of %d bad ones taken, %.3f alarms in 1000 iterations "+
			"of good runs",
			name, s.right, s.all, s.goodLost, s.good, s.badTaken, s.bad, 1000*float64(s.alarms)/s.iterations)
	}
	if tuned.stopped+held.stopped > 0 {
		t.Errorf("%d runs that come to a good end would have been stopped", tuned.stopped+held.stopped)
	}
	golden.Text(t, file, tuned.table("tuned on")+"\n"+held.table("held out"))
	if !testenv.IsLong(t) {
		return // a sample is too small for the shares below
	}
	if 100*tuned.goodLost > tuned.good || 100*tuned.badTaken > tuned.bad {
		t.Error("more than 1 of 100 good ones lost or bad ones taken")
	}
	if float64(tuned.alarms) >= 0.1*tuned.iterations/1000 {
		t.Errorf("%d warnings in %.0f iterations of good runs; want fewer than 0.1 in 1000", tuned.alarms,
			tuned.iterations)
	}
	for label, percent := range reached {
		if right, all := tuned.confused[label][state.State(label)], len(tuned.left[label]); 100*right < percent*all {
			t.Errorf("%d of %d right that end %s; want %d of 100", right, all, label, percent)
		}
	}
	if foreseen := tuned.foreseen(tuned.left); foreseen < 0.5 {
		t.Errorf("doomed runs are named with %.3f of their iterations to go; want half", foreseen)
	}
}

// table is the confusion matrix in Markdown.
func (s *score) table(title string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"%d histories %s: %d right (%.1f %%); %d of %d good ones called unusable, %d of %d bad ones usable; %.2f "+
			"warnings in 1000 iterations of good runs; "+
			"those that can be foreseen to end badly named with %.0f %% of their iterations to go in the median, and "+
			"warned of for good with %.0f %%.\n\n"+
			"| label | runs | right | called otherwise | named with, of the iterations to go | warned of for good "+
			"with |\n|---|---:|---:|---|---:|---:|\n",
		s.all, title, s.right, 100*float64(s.right)/float64(max(s.all, 1)), s.goodLost, s.good, s.badTaken, s.bad,
		1000*float64(s.alarms)/max(s.iterations, 1), 100*s.foreseen(s.left), 100*s.foreseen(s.doomed))
	for _, label := range state.Order {
		row := s.confused[corpus.Label(label)]
		if row == nil {
			continue
		}
		sum, others := 0, []string{}
		for _, got := range slices.SortedFunc(maps.Keys(row), cmp.Compare[state.State]) {
			sum += row[got]
			if got != label {
				others = append(others, fmt.Sprintf("%s %d", got, row[got]))
			}
		}
		named, warned := "", ""
		if left := s.left[corpus.Label(label)]; len(left) > 0 {
			named, warned = fmt.Sprintf("%.0f %%", 100*median(left)), fmt.Sprintf("%.0f %%",
				100*median(s.doomed[corpus.Label(label)]))
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s | %s | %s |\n", label, sum, row[label], strings.Join(others, ", "),
			named, warned)
	}
	return b.String()
}

// The rule that stops the hopeless stops no run of the corpus that ends well, and so many of the others, of whose
// iterations it saves so much. It is told no limit.
func TestHopelessAreStopped(t *testing.T) {
	set, err := rule.New(rule.Shape{}, []config.Rule{{Name: "stop_hopeless", Pos: document.Pos{Line: 1, Column: 1}}})
	must.OK(t, err)
	rules := &Rules{Single: set, Study: must.Value(rule.NewStudy(nil, nil))(t)}
	step, least := 40, 4
	switch {
	case testenv.IsSoak():
		step, least = 1, 100
	case testenv.IsLong(t):
		step, least = 4, 25
	}
	list := runs(t, step)
	var good []string
	all, bad, saved := 0, 0, 0.0
	for _, h := range list {
		at, end := stoppedAt(t, rules, h)
		switch {
		case h.Label.Usable():
			all++
			if at > 0 {
				good = append(good, h.Name)
			}
		case at > 0:
			bad++
			saved += 1 - at/end
		}
	}
	t.Logf("%d good runs of %d, %d bad ones of %d are stopped, with %.0f %% of their iterations to go", len(good), all,
		bad, len(list)-all, 100*saved/float64(max(1, bad)))
	if len(good) > 0 || bad < least {
		t.Errorf("it stops %s, which end well, and %d others", strings.Join(good, ", "), bad)
	}
}

// stoppedAt is the iteration at which a rule would stop a run, 0 if none would, and that of its end.
func stoppedAt(t *testing.T, rules *Rules, h corpus.History) (at, end float64) {
	t.Helper()
	dir := t.TempDir()
	must.OK(t, h.Unpack(dir))
	var files []string
	for _, name := range h.Files {
		files = append(files, filepath.Join(dir, h.Name, name))
	}
	if err := Once(files, Options{Rules: rules}, func(l Line) {
		end = max(end, l.Iteration)
		if at == 0 && slices.ContainsFunc(l.Findings,
			func(f rule.Finding) bool { return f.Rule == "stop_hopeless" && f.Does.Verb == rule.Stop }) {
			at = l.Iteration
		}
	}); err != nil {
		t.Fatalf("%s: %v", h.Name, err)
	}
	return at, end
}
