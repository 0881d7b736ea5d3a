package runs

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// The list of a study without runs of its own names the studies whose runs gave its answers.
func TestStudyFromTheCacheNamesItsSources(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	earlier := filepath.Join(work, "first", "fan-1")
	must.OK(t, os.MkdirAll(earlier, 0o755))
	must.OK(t, os.WriteFile(filepath.Join(earlier, plugin.EventsFile), nil, 0o644))
	must.OK(t, os.MkdirAll(filepath.Join(work, "again"), 0o755))
	log := must.Value(event.Append(filepath.Join(work, "again", studylog.FileName)))(t)
	for _, e := range []event.Event{
		{Kind: event.Ended, Run: "fan-1", Cached: true, Folder: earlier, Class: event.Converged},
		{Kind: event.Ended, Run: "fan-2", Cached: true, Folder: filepath.Join(work, "removed", "fan-2"),
			Class: event.Converged},
	} {
		must.OK(t, log.Write(e))
	}
	must.OK(t, log.Close())
	must.Equal(t, "study again made no runs: all its 2 answers came from the cache\n"+
		"1 of them by runs of first: peregrine runs list first", (&EmptyStudyError{"again"}).whence(work))
	must.Equal(t, "", (&EmptyStudyError{"other"}).whence(work))
	log = must.Value(event.Append(filepath.Join(work, "again", studylog.FileName)))(t)
	must.OK(t, log.Write(event.Event{Kind: event.Ended, Run: "fan-3", Class: event.Converged}))
	must.OK(t, log.Close())
	must.Equal(t, "", (&EmptyStudyError{"again"}).whence(work)) // of fan-3 the run was removed
}

// Differences of requests name values, and of long texts the first line that differs.
func TestChanges(t *testing.T) {
	t.Parallel()
	a := plugin.Request{Numbers: map[string]float64{"cfl": 50, "N": 1},
		Texts: map[string]string{"blade": "one\ntwo\nthree"}, Arrays: map[string][]float64{"Pt": {1, 2}}}
	b := plugin.Request{Numbers: map[string]float64{"cfl": 40, "N": 1},
		Texts: map[string]string{"blade": "one\n 2\nthree"}, Arrays: map[string][]float64{"Pt": {1, 2.5}}}
	must.Equal(t, []string{"Pt: by 0.5 at most", "blade line 2: two -> 2", "cfl 50 -> 40"}, texts(changes(&a, &b)))
	must.Equal(t, []Change(nil), changes(&a, &a))
	b = plugin.Request{Numbers: a.Numbers, Arrays: a.Arrays, Texts: map[string]string{"blade": "one\ntwo\nthree\n"}}
	must.Equal(t, []string{"blade: all after line 3"}, texts(changes(&a, &b)))
}

func texts(list []Change) (all []string) {
	for _, c := range list {
		all = append(all, c.String())
	}
	return all
}

// The nearest run is the one that explains most: the same request without an answer, then the fewest differences.
func TestNearest(t *testing.T) {
	t.Parallel()
	maker := func(sum string) run.Maker { return run.Maker{Program: []string{"file " + sum}} }
	request := func(cfl float64, blade, restart string) plugin.Request {
		return plugin.Request{Numbers: map[string]float64{"cfl": cfl, "N": 1},
			Texts: map[string]string{"blade": blade, plugin.InRestart: restart}}
	}
	type made struct {
		earlierRun
		request plugin.Request
		maker   run.Maker
		steered []event.Receipt
	}
	begun := time.Unix(1000, 0)
	earlier := func(name, key string, class event.Class, cfl float64, blade string) made {
		return made{earlierRun{"s/" + name, name, "1", class, begun.Add(-time.Second), key, nil},
			request(cfl, blade, name), maker("a"), nil}
	}
	is := Wanted{Job: "p", Solver: "own", Version: "1", Request: request(40, "x 1\ny 2 3\n", ""), Key: "k",
		Program: func() run.Maker { return maker("a") }, Before: begun}
	with := func(m made, change func(*made)) made { change(&m); return m }
	other := earlier("p", "o", event.Converged, 50, "x 1\ny 2 3\n")
	same := earlier("q", "k", event.Converged, 40, "x 1\ny 2 3\n")
	for name, c := range map[string]struct {
		list []made
		want string
	}{
		"none":      {nil, ": "},
		"a setting": {[]made{other}, "s/p: cfl 50 -> 40"},
		"a line of the blade file": {[]made{earlier("p", "o", event.Converged, 40, "x 1\ny 4 3\n")},
			"s/p: blade line 2: 4 -> 2"},
		"a solver rebuilt": {[]made{with(same, func(m *made) { m.key, m.maker = "o", maker("b") })},
			"s/q: program b -> a"},
		"a version": {[]made{with(other, func(m *made) { m.version = "0" })}, "s/p: version 0 -> 1, cfl 50 -> 40"},
		"another cache": {[]made{other, same},
			"s/q: nothing: its answer is in another cache, or was removed"},
		"a failure of the same request": {[]made{other, with(same, func(m *made) { m.class = event.Hung })},
			"s/q: it ended hung, which is no answer"},
		"a failure of another": {[]made{with(other, func(m *made) { m.class = event.Hung })},
			"s/p: cfl 50 -> 40, it ended hung, which is no answer"},
		"a steered one": {[]made{with(same, func(m *made) { m.steered = make([]event.Receipt, 1) })},
			"s/q: it was steered, so that its answer counts in its study alone"},
		"the rules": {[]made{with(same, func(m *made) { m.key = "o" })},
			"s/q: the rules, the solver's code, or the run from which it starts"},
		"a later one": {[]made{with(same, func(m *made) { m.ended = begun })}, ": "},
		"one of a bundle": {[]made{with(other, func(m *made) {
			m.answer = &study.StoredAnswer{Request: map[string]float64{"cfl": 30}}
		})}, "s/p: cfl 30 -> 40"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Earlier{work: t.TempDir(), runs: map[string][]earlierRun{}}
			for _, m := range c.list {
				e.runs["own"] = append(e.runs["own"], m.earlierRun)
				folder := filepath.Join(e.work, m.name)
				must.OK(t, os.MkdirAll(folder, 0o755))
				must.OK(t, record.Write(folder, record.Record{Request: m.request, Key: m.key,
					Process: record.ProcessRecord{Launcher: "local", Maker: m.maker}}))
				must.OK(t, plugin.WriteFile(folder, plugin.ResultFile, plugin.Ending{Steered: m.steered}))
			}
			near := e.Nearest(&is)
			must.Equal(t, c.want, near.Name+": "+near.String())
		})
	}
}
