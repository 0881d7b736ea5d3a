package rules

// The table of active rules, which may change during a study. Unfinished runs are judged by the new rules as if these
// had been active from the beginning of the runs: their events are read again from their folders. An unchanged rule
// does not repeat its findings. A new rule acts if it holds now, not because it held earlier. The answer of a run
// during which the table changed belongs to neither table: the run is ordered to drop its cache key (see run.Rules). A
// run gets the rules that it judges itself at its start; a change of these takes effect for later runs.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// table holds the rules of an engine file with the changes made to them since.
type table struct {
	shape rule.Shape // with the functions
	file  string     // its name, for messages
	rules []config.Rule
	off   []string // names of rules that are switched off, built-in ones among them
	added []string // paths of later additions, such as rules.hopeless, without a known file
}

// addedRules replaces the file name of added rules in messages.
const addedRules = "the rules that are added"

// origin is where a rule or function is from.
func (t *table) origin(path string) string {
	if slices.Contains(t.added, path) {
		return addedRules
	}
	return t.file
}

// isAdded records an addition.
func (t *table) isAdded(path string) {
	if !slices.Contains(t.added, path) {
		t.added = append(t.added, path)
	}
}

// clone returns a copy that may be changed.
func (t table) clone() table {
	t.rules, t.off, t.added, t.shape.Functions = slices.Clone(t.rules), slices.Clone(t.off), slices.Clone(
		t.added), slices.Clone(t.shape.Functions)
	return t
}

// find returns the index of a rule in the table; -1: no rule has that name.
func (t *table) find(name string) int {
	return slices.IndexFunc(t.rules, func(r config.Rule) bool { return r.Name == name })
}

// inForce returns the rules; rules that are switched off are replaced by rules that never hold.
func (t *table) inForce() []config.Rule {
	list := slices.Clone(t.rules)
	for _, name := range t.off {
		if i := slices.IndexFunc(list, func(r config.Rule) bool { return r.Name == name }); i >= 0 {
			list[i].When, list[i].Or = "false", nil
		} else {
			list = append(list, config.Rule{Name: name, When: "false", Severity: rule.Warning})
		}
	}
	return list
}

// compile compiles the table, and returns its identity.
func (t *table) compile() (Rules, string, error) {
	list := t.inForce()
	rules, err := compile(t.shape, list, t.origin)
	if err != nil {
		return rules, "", err
	}
	key, err := cache.NewKey(map[string]any{"builtin": string(rule.Builtin()), "engine": list,
		"functions": t.shape.Functions})
	return rules, key.String(), err
}

// TableRule is a rule of the table.
type TableRule struct {
	rule.Listed
	On bool `json:"on"`
}

// Table lists the rules that are active, and the rules that are switched off. It does not block.
func (j *Judge) Table() []TableRule { return slices.Clone(*j.listed.Load()) }

// show sets the list that Table returns. The caller holds the lock.
func (j *Judge) show(rules Rules) {
	var list []TableRule
	for _, l := range rules.List() {
		list = append(list, TableRule{l, !l.Off && !slices.Contains(j.table.off, l.Name) && len(l.When) > 0})
	}
	j.listed.Store(&list)
}

// known reports a name that no rule has.
func (j *Judge) known(name string, t *table) error {
	names := []string{}
	for _, l := range *j.listed.Load() {
		names = append(names, l.Name)
	}
	if t.find(name) >= 0 || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("there is no rule %q%s", name, spell.Hint(name, names))
}

// Add takes the rules and functions of a file of rules into the table. A rule or function replaces another with the
// same name.
func (j *Judge) Add(text string) error {
	file, err := config.ParseRules(addedRules, []byte(text))
	if err != nil {
		return err
	}
	return j.change(func(t *table) error {
		for _, f := range file.Functions {
			t.shape.Functions = slices.DeleteFunc(t.shape.Functions,
				func(g config.Function) bool { return g.Name == f.Name })
			t.shape.Functions = append(t.shape.Functions, f)
			t.isAdded("functions." + f.Name)
		}
		for _, r := range file.Rules {
			t.off = slices.DeleteFunc(t.off, func(name string) bool { return name == r.Name })
			t.isAdded("rules." + r.Name)
			if i := t.find(r.Name); i >= 0 {
				t.rules[i] = r
			} else {
				t.rules = append(t.rules, r)
			}
		}
		return nil
	})
}

// Remove takes a rule out of the table. If it had replaced a built-in rule, the built-in rule becomes active again.
func (j *Judge) Remove(name string) error {
	return j.change(func(t *table) error {
		i := t.find(name)
		if err := j.known(name, t); err != nil {
			return err
		}
		if i < 0 {
			return fmt.Errorf("%s is built in: it can be switched off, not removed", name)
		}
		t.rules = slices.Delete(t.rules, i, i+1)
		t.off = slices.DeleteFunc(t.off, func(n string) bool { return n == name })
		return nil
	})
}

// Switch switches a rule on or off, also a built-in rule that is off by default.
func (j *Judge) Switch(name string, on bool) error {
	return j.change(func(t *table) error {
		if !on {
			if err := j.known(name, t); err != nil {
				return err
			}
			if !slices.Contains(t.off, name) {
				t.off = append(t.off, name)
			}
			return nil
		}
		return j.switchOn(t, name)
	})
}

// switchOn switches a rule of the table on.
func (j *Judge) switchOn(t *table, name string) error {
	n := len(t.off)
	t.off = slices.DeleteFunc(t.off, func(n string) bool { return n == name })
	switch {
	case len(t.off) < n, t.find(name) >= 0:
		return nil
	case rule.Waits(name):
		t.rules = append(t.rules, config.Rule{Name: name})
		return nil
	}
	return j.known(name, t)
}

// Act makes a rule take its action from now on, and switches it on.
func (j *Judge) Act(name string) error {
	return j.change(func(t *table) error {
		if err := j.switchOn(t, name); err != nil {
			return err
		}
		i := t.find(name)
		if i < 0 {
			return fmt.Errorf("%s is built in, and acts already where it has an action", name)
		}
		t.rules[i].Act = true
		return nil
	})
}

// change makes a change of the table completely or, with an error, not at all.
func (j *Judge) change(do func(t *table) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	next := j.table.clone()
	if err := do(&next); err != nil {
		return err
	}
	rules, key, err := next.compile()
	if err != nil || key == j.key {
		return err
	}
	inSituRules, err := newInSitu(rules.Single)
	if err != nil {
		return err
	}
	inSituRules.told = j.inSitu.told
	fresh := differing(j.table.inForce(), next.inForce())
	j.table, j.key, j.inSitu = next, key, inSituRules
	j.version.Add(1)
	j.show(rules)
	clear(j.verdicts)
	before := j.monitor
	j.monitor = rule.NewMonitor(rules.Single)
	j.monitor.Inherit(before, fresh)
	for _, name := range slices.Sorted(maps.Keys(j.going)) {
		j.orders[name] = append(j.orders[name], attempt.Instruction{Reason: "the rules were changed", Beyond: true})
		j.rejudge(name, fresh)
	}
	after, list := j.study.With(rules.Study, fresh, j.past)
	j.study = after
	j.together(list)
	return nil
}

// differing returns the names of the rules that differ between two tables.
func differing(a, b []config.Rule) (names []string) {
	text := func(r config.Rule) []byte {
		data, _ := json.Marshal(r) // of such a value it does not fail
		return data
	}
	was := map[string][]byte{}
	for _, r := range a {
		was[r.Name] = text(r)
	}
	for _, r := range b {
		if !bytes.Equal(was[r.Name], text(r)) {
			names = append(names, r.Name)
		}
		delete(was, r.Name)
	}
	return append(names, slices.Sorted(maps.Keys(was))...)
}

// going is an unfinished run.
type going struct {
	folder string
	seen   int // events
}

// follow records the data for a new judgement of a run.
func (j *Judge) follow(e event.Event) {
	g := j.going[e.Run]
	if g == nil {
		g = &going{}
		j.going[e.Run] = g
	}
	g.seen++
	switch {
	case e.Kind == event.Started && e.Folder != "":
		g.folder = e.Folder
	case e.Kind == event.Ended && e.Source == event.Host:
		delete(j.going, e.Run)
	}
}

// past returns the events that an unfinished run has reported so far.
func (j *Judge) past(name string) []event.Event {
	g := j.going[name]
	if g == nil {
		return nil
	}
	events, _ := event.Read(filepath.Join(g.folder, plugin.EventsFile)) // damaged events are ignored
	return events[:min(len(events), g.seen)]
}

// rejudge judges a run by the changed rules, from the events in its folder. It adds a finding for each of the fresh
// rules that holds now.
func (j *Judge) rejudge(name string, fresh []string) {
	latest := map[string]rule.Finding{}
	events := j.past(name)
	if len(events) > 0 {
		if info, known := j.infoOf(events[0]); known {
			j.monitor.Run(info)
		}
	}
	for _, e := range events {
		for _, f := range j.monitor.Event(e) {
			latest[f.Rule] = f
		}
	}
	for _, of := range fresh {
		f, found := latest[of]
		if !found || !j.monitor.Stands(name, of) {
			continue
		}
		if j.act(f, j.add(f, nil)) {
			j.halts[name] = j.halt(f, nil)
		}
	}
}
