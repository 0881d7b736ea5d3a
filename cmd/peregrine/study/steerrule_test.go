package study

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// The rules of a study are listed and changed while its runs go on. What is added is judged on the runs that go on;
// their answers have no key of the cache then, and those of runs that begin later have that of the new rules.
func TestSteerRules(t *testing.T) {
	testenv.Long(t, "runs a study")
	t.Parallel()
	dir := e3With(t, "settings: {"+coarseFan+"}")
	s := beginHeld(t, dir, "mine")
	file := filepath.Join(dir, "rules.yaml")
	programtest.Write(t, file,
		"rules:\n  - {name: watched, when: iteration >= 20, message: 'at {iteration}'}\n"+
			"  - {name: spare, when: iteration > 1e6}\n")
	change := func(verbs ...string) (string, error) {
		return verb(t, append(append([]string{"steer", "rule"}, verbs...), "--work", s.work())...)
	}
	lists := func(want map[string]string) {
		t.Helper()
		var all []rules.TableRule
		must.OK(t, json.Unmarshal([]byte(must.Value(change("list", "mine", "--json"))(t)), &all))
		got := map[string]string{}
		for _, r := range all {
			if want[r.Name] != "" {
				got[r.Name] += map[bool]string{true: "on", false: "off"}[r.On]
			}
		}
		must.Equal(t, want, got)
	}
	lists(map[string]string{"fan_surge": "on", "converged": "on", "stop_hopeless": "off"})
	for _, verbs := range [][]string{
		{"add", "mine", file}, {"off", "mine", "fan_surge"}, {"remove", "mine", "spare"},
		{"off", "mine", "hung"}, {"on", "mine", "hung"}, {"on", "mine", "watched", "--act"},
	} {
		must.Value(change(verbs...))(t)
	}
	lists(map[string]string{"watched": "on", "hung": "on", "fan_surge": "off"})
	if out, err := change("list", "mine"); err != nil || strings.Contains(out, "spare") {
		t.Errorf("a rule that was removed is listed: %v\n%s", err, out)
	}
	for want, verbs := range map[string][]string{
		"did you mean watched":  {"off", "mine", "wached"},
		"built in":              {"remove", "mine", "hung"},
		"no such file":          {"add", "mine", filepath.Join(dir, "none.yaml")},
		"there is no rule":      {"on", "mine", "nobody"},
		"unknown kind of facts": {"off", "mine", "curve"},
		"there is no study":     {"list", "nowhere"},
	} {
		out, err := change(verbs...)
		if err == nil || !strings.Contains(out+err.Error(), want) {
			t.Errorf("%q: %s%v, want %s", verbs, out, err, want)
		}
	}
	before := must.Value(record.Names(filepath.Join(s.work(), "mine")))(t)
	s.steer("", "release")
	must.OK(t, <-s.ended)
	names := must.Value(record.Names(filepath.Join(s.work(), "mine")))(t)
	warned, done := map[string]bool{}, 0
	for _, e := range must.Value(event.Read(filepath.Join(s.work(), "mine", studylog.FileName)))(t) {
		if e.Kind == event.Finding && e.Name == "watched" {
			warned[e.Run] = true
		}
		if e.Kind == event.Command && e.Act != nil && len(e.Act.Effects) > 0 &&
			strings.HasPrefix(e.Act.Effects[0].Object, "rules.") && e.Act.State == "applied" && e.Act.By != "" {
			done++
		}
	}
	must.Equal(t, 6, done)
	for _, name := range names {
		record := must.Value(record.Read(filepath.Join(s.work(), "mine", name)))(t)
		met := slices.Contains(before, name)
		if met != (record.Key == "") || met && !warned[name] {
			t.Errorf("%s: the change met it: %v, its key %q, warned of: %v", name, met, record.Key, warned[name])
		}
	}
	// of those at ends of speed lines, which lead nowhere, nobody is warned
	if len(before) == 0 || len(warned) <= len(before) {
		t.Errorf("%d of %d runs had begun, warned of %d", len(before), len(names), len(warned))
	}
}
