package run_test

// Rules that runs judge themselves.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// boarder sends rules along with each run, and halts one that one of them has stopped.
type boarder struct {
	text string

	mu   sync.Mutex
	able map[string]bool // by run
	seen []event.Event
}

func (b *boarder) Board(name string, able bool) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.able == nil {
		b.able = map[string]bool{}
	}
	if b.able[name] = able; !able {
		return ""
	}
	return b.text
}

func (b *boarder) Observe(e event.Event) *attempt.Halt {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = append(b.seen, e)
	if e.Act != nil && e.Act.Rule != "" && e.Act.Verb == steer.Stop {
		return &attempt.Halt{Class: event.Diverged, Message: "rule " + e.Act.Rule, Cause: e.Ref()}
	}
	return nil
}

// tame lowers the mock's gain at each second iteration from the fourth on.
const tame = `{"rules": [{"name": "tame", "when": ["iteration >= 4"], "repeat": 2, "severity": "info", "message": "m", "action": {"set": {"gain": "gain * residual / residual / 2"}}, "act": true, "where": "run"}]}`

// A run obeys its own rules at the iterations at which they hold, as its events tell. Its answer is that of its
// request, since the rules are part of what was asked for; replayed it is the same to the last bit, and so it is made
// again.
func TestRulesAboard(t *testing.T) {
	kept := openCache(t, t.TempDir())
	first := newStudy(t, kept)
	b := &boarder{text: tame}
	first.Pool.Monitor, first.Rules = b, table("tame")
	one, _ := evaluate(t, first, steeredJob("a"))
	o := one[0]
	if !o.OK() || o.Steered != nil || o.Key != keyOf(t, first, steeredJob("a")).String() || !b.able["a"] {
		t.Fatalf("%+v", o)
	}
	var acts, said []string
	var residuals []float64
	for _, e := range b.seen {
		switch {
		case e.Act != nil:
			acts = append(acts, fmt.Sprintf("%d %s %s %s", e.Act.Iteration, e.Act.Rule, e.Act.ID, e.Text))
		case e.Kind == event.Message && e.Name != "":
			said = append(said, e.Text)
		case e.Kind == event.Iteration && e.Source == event.Plugin:
			residuals = append(residuals, e.Values["residual"])
		}
	}
	want := []string{
		"4 tame rule tame 1 by rule tame: set gain 0.5 -> 0.25",
		"6 tame rule tame 2 by rule tame: set gain 0.25 -> 0.125",
		"8 tame rule tame 3 by rule tame: set gain 0.125 -> 0.0625",
	}
	must.Equal(t, want, acts)
	if len(said) != 1 || !strings.Contains(said[0], "tame") || residuals[4]/residuals[3] != 0.25 ||
		residuals[9]/residuals[8] != 0.0625 {
		t.Errorf("%q, %v", said, residuals)
	}
	r, err := pool.Replay(t.Context(), first.Pool.Host, first.Pool.Program, "a")
	if err != nil || r.Difference != "" || r.Commands != 3 || r.Iterations != 10 {
		t.Errorf("%+v, %v", r, err)
	}
	repeated := newStudy(t, nil)
	c := &boarder{text: tame}
	repeated.Pool.Monitor, repeated.Rules = c, table("tame")
	two, _ := evaluate(t, repeated, steeredJob("a"))
	var second []float64
	for _, e := range c.seen {
		if e.Kind == event.Iteration && e.Source == event.Plugin {
			second = append(second, e.Values["residual"])
		}
	}
	if two[0].Key != o.Key || !slices.Equal(residuals, second) {
		t.Errorf("made again it is another: %v, %v", residuals, second)
	}
	other := newStudy(t, kept)
	other.Pool.Monitor, other.Rules = &boarder{}, table(table("none"))
	if _, runs := evaluate(t, other, steeredJob("a")); runs != 1 {
		t.Error("without the rule it has the answer with it")
	}
	// What others do to it makes it another answer, as ever; what the rules do is no part of that.
	third := newStudy(t, kept)
	third.Pool.Monitor, third.Rules = &boarder{text: tame}, table("tame")
	j := steeredJob("b", setGain("c", 0.75, 5))
	j.Request.Numbers["x"] = 4
	three, _ := evaluate(t, third, j)
	if len(three[0].Steered) != 1 || three[0].Steered[0].ID != "c" || three[0].Key == o.Key {
		t.Errorf("%+v", three[0])
	}
}

// A rule that does not act says what it would do. One that stops the run ends it as the monitor says. A text that is
// none is told, and the host is left to judge; a solver that judges no rules gets none.
func TestRulesAboardThatDoNotAct(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		class            event.Class
	}{
		{"would", strings.Replace(tame, `"act": true`, `"act": false`, 1), "would tame set gain = 0.25",
			event.Converged},
		{"warns", strings.Replace(tame, `"info"`, `"warning"`, 1), "finding tame m", event.Converged},
		{"stops", strings.Replace(tame, `{"set": {"gain": "gain * residual / residual / 2"}}`, `"stop"`, 1),
			"command stop by rule tame: stop", event.Diverged},
		{"broken", "rules: [", "warning  the run does not judge rules itself", event.Converged},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := without(t)
			b := &boarder{text: c.text}
			p.Monitor = b
			out, err := p.Run(t.Context(), []run.Job{job("a", 3, "iterate 10 5ms")})
			if err != nil || out[0].Class != c.class || out[0].Halted != (c.class == event.Diverged) {
				t.Fatalf("%v, %+v", err, out[0])
			}
			var all []string
			for _, e := range b.seen {
				all = append(all, fmt.Sprintf("%s %s %s", e.Kind, e.Name, e.Text))
			}
			if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("no %q in %q", c.want, all)
			}
		})
	}
}

// A run that goes on from a checkpoint has rules that have not seen what came before: its answer is not kept.
func TestRulesAboardAfterRewind(t *testing.T) {
	kept := openCache(t, t.TempDir())
	s := newStudy(t, kept)
	b := &boarder{text: tame}
	s.Pool.Monitor, s.Rules = b, table("tame")
	var once sync.Once
	s.Pool.Observe = func(e event.Event) {
		if e.Act != nil && e.Act.Name == "here" {
			once.Do(func() {
				w := branch.Rewinding{ID: "w", Checkpoint: "here"}
				noError(t, branch.Rewind(filepath.Join(s.Pool.Host.Folder(), "a"), w))
			})
		}
	}
	j := steeredJob("a", steer.Command{ID: "k", Verb: steer.Checkpoint, Name: "here", At: 3},
		steer.Command{ID: "e", Verb: steer.Stop, At: 8})
	out, err := s.Evaluate(t.Context(), []run.Job{j})
	if err != nil || out[0].Run != "a~2" || out[0].Key != "" {
		t.Errorf("%v, %+v", err, out[0])
	}
	if request, err := record.Read(out[0].Folder); err != nil || request.Key != "" {
		t.Errorf("its folder has the key %q, by which it would be harvested: %v", request.Key, err)
	}
}
