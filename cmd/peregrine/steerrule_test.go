package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// The rules of a study are listed and changed while its runs go on. What is added is judged on the runs that go on; their answers have no key of the
// cache then, and those of runs that begin later have that of the new rules.
func TestSteerRules(t *testing.T) {
	testenv.Long(t, "runs a study")
	t.Parallel()
	dir := e3With(t, "settings: {"+coarseFan+"}")
	s := beginHeld(t, dir, "mine")
	file := filepath.Join(dir, "rules.yaml")
	writeFile(t, file, "rules:\n  - {name: watched, when: iteration >= 20, message: 'at {iteration}'}\n  - {name: spare, when: iteration > 1e6}\n")
	change := func(verbs ...string) (string, error) {
		return verb(t, append(append([]string{"steer", "rule"}, verbs...), "--work", s.work())...)
	}
	list := func() (on, off []string) {
		t.Helper()
		out, err := change("list", "mine", "--json")
		var all []rules.TableRule
		if err != nil || json.Unmarshal([]byte(out), &all) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, r := range all {
			if r.On {
				on = append(on, r.Name)
			} else {
				off = append(off, r.Name)
			}
		}
		return on, off
	}
	if on, off := list(); !slices.Contains(on, "fan_surge") || !slices.Contains(on, "converged") || slices.Contains(off, "fan_surge") || !slices.Contains(off, "stop_hopeless") {
		t.Errorf("at first %q, and off %q", on, off)
	}
	for _, verbs := range [][]string{{"add", "mine", file}, {"off", "mine", "fan_surge"}, {"remove", "mine", "spare"}, {"off", "mine", "hung"}, {"on", "mine", "hung"}, {"on", "mine", "watched", "--act"}} {
		if out, err := change(verbs...); err != nil {
			t.Fatalf("%q: %v, %s", verbs, err, out)
		}
	}
	if on, off := list(); !slices.Contains(on, "watched") || !slices.Contains(on, "hung") || slices.Contains(on, "spare") || !slices.Contains(off, "fan_surge") {
		t.Errorf("then %q, and off %q", on, off)
	}
	for want, verbs := range map[string][]string{
		"did you mean watched": {"off", "mine", "wached"},
		"built in":             {"remove", "mine", "hung"},
		"no such file":         {"add", "mine", filepath.Join(dir, "none.yaml")},
		"there is no rule":     {"on", "mine", "nobody"},
		"there is no kind":     {"off", "mine", "curve"},
		"there is no study":    {"list", "nowhere"},
	} {
		out, err := change(verbs...)
		text := out
		if err != nil && err != error(errNotDone) {
			text += err.Error()
		}
		if err == nil || !strings.Contains(text, want) {
			t.Errorf("%q: %s, want %s", verbs, text, want)
		}
	}
	before, err := run.Names(filepath.Join(s.work(), "mine"))
	must.OK(t, err)
	s.steer("", "release")
	must.OK(t, <-s.ended)
	names, err := run.Names(filepath.Join(s.work(), "mine"))
	must.OK(t, err)
	warned := map[string]bool{}
	log, err := event.Read(filepath.Join(s.work(), "mine", studylog.FileName))
	must.OK(t, err)
	done := 0
	for _, e := range log {
		if e.Kind == event.Finding && e.Name == "watched" {
			warned[e.Run] = true
		}
		if e.Kind == event.Command && e.Act != nil && len(e.Act.Effects) > 0 && strings.HasPrefix(e.Act.Effects[0].Object, "rules.") && e.Act.State == "applied" && e.Act.By != "" {
			done++
		}
	}
	if done != 6 {
		t.Errorf("the log has %d changes of the rules, want 6", done)
	}
	for _, name := range names {
		record, err := run.ReadRecord(filepath.Join(s.work(), "mine", name))
		must.OK(t, err)
		met := slices.Contains(before, name)
		if met != (record.Key == "") || met && !warned[name] {
			t.Errorf("%s: the change met it: %v, its key %q, warned of: %v", name, met, record.Key, warned[name])
		}
	}
	if len(before) == 0 || len(warned) <= len(before) { // of those at ends of speed lines, which lead nowhere, nobody is warned
		t.Errorf("%d of %d runs had begun, warned of %d", len(before), len(names), len(warned))
	}
}
