package runs

// The earlier run whose request is nearest to another, and the differences: why an answer was not in the cache.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

const (
	mostCompared = 20   // runs whose requests are read for a request
	mostEntries  = 2000 // answers of the cache that are read, the latest
)

// Wanted is a request, and all else on which its answer depends, as far as it is known.
type Wanted struct {
	Job, Solver, Version string
	Request              plugin.Request // with all defaults
	Key                  string         // of the answer; empty: not known
	Program              func() run.Maker
	Before               time.Time // only runs that had ended by then count; zero: all
}

// Nearest is an earlier run and its differences from a request.
type Nearest struct {
	Name    string   `json:"nearest,omitempty"` // STUDY/RUN; empty: no run of the solver is known
	Differs []Change `json:"differs"`
}

// Change is a value that differs. It is nil for the run that lacks it.
type Change struct {
	Name string `json:"name"`
	Was  any    `json:"was"` // of the earlier run
	Is   any    `json:"is"`
	text string
}

func (c Change) String() string {
	return cmp.Or(c.text, fmt.Sprintf("%s %s -> %s", c.Name, brief(c.Was), brief(c.Is)))
}

// String lists the differences, at most so many as fit into a line.
func (n *Nearest) String() string {
	const most = 2
	var parts []string
	for _, c := range n.Differs[:min(len(n.Differs), most)] {
		parts = append(parts, c.String())
	}
	if more := len(n.Differs) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// Earlier is the earlier runs by solver, the latest first, then the answers of the cache whose runs have no folder.
type Earlier struct {
	work string
	runs map[string][]earlierRun
}

// earlierRun is a run that has ended.
type earlierRun struct {
	name, job, version string
	class              event.Class
	ended              time.Time
	key                string              // of its answer; empty: none
	answer             *study.StoredAnswer // without a folder; nil: it has a folder
}

// EarlierRuns reads them from the index of runs and from the cache.
func EarlierRuns(ctx context.Context, x *index.Index, s settings.Settings) (*Earlier, error) {
	fields, err := x.Fields().Choose([]string{"study", "run", "solver", "version", "class", "ended", "key"})
	if err != nil {
		return nil, err
	}
	rows, err := x.Find(ctx, index.Query{Fields: fields, Sort: []index.Sorting{{Field: fields[5], Descending: true}}})
	if err != nil {
		return nil, err
	}
	e := &Earlier{work: x.Work, runs: map[string][]earlierRun{}}
	known := map[string]bool{}
	for _, row := range rows {
		text := func(i int) string { s, _ := row[i].(string); return s }
		r := earlierRun{name: text(0) + "/" + text(1), job: record.JobOf(text(1)), version: text(3),
			class: event.Class(text(4)), key: text(6)}
		r.ended, _ = index.ParseTime(text(5))
		if known[r.name] = true; r.class != index.Running && r.class != index.Unknown && r.class != run.NotRun {
			e.runs[text(2)] = append(e.runs[text(2)], r)
		}
	}
	e.addCached(s, known)
	return e, nil
}

// addCached adds the answers of the cache, if there is a cache, but for those of known runs.
func (e *Earlier) addCached(s settings.Settings, known map[string]bool) {
	if _, err := os.Stat(s.Cache); err != nil {
		return
	}
	c, err := executive.OpenCache(s)
	if err != nil {
		return
	}
	entries, _ := c.List()
	slices.SortStableFunc(entries, func(a, b cache.Entry) int { return b.Modified.Compare(a.Modified) })
	for _, entry := range entries[:min(len(entries), mostEntries)] {
		data, err := c.Peek(entry.Key)
		if err != nil {
			continue // it was removed meanwhile, or is damaged
		}
		a, err := study.ReadAnswer(entry.Key, data)
		if name := a.Study + "/" + a.Run; err == nil && !known[name] && a.Failures == 0 && len(a.Steered) == 0 {
			of, version, _ := strings.Cut(a.Solver, " ")
			e.runs[of] = append(e.runs[of], earlierRun{name, record.JobOf(a.Run), version, a.Class, a.Made,
				entry.Key.String(), &a})
		}
	}
}

// Nearest returns the run whose request differs least from another. Runs of the same request are compared first, then
// runs of the same point.
func (e *Earlier) Nearest(w *Wanted) Nearest {
	list := slices.DeleteFunc(slices.Clone(e.runs[w.Solver]), func(r earlierRun) bool {
		return !w.Before.IsZero() && !r.ended.Before(w.Before)
	})
	slices.SortStableFunc(list, func(a, b earlierRun) int { return a.distance(w) - b.distance(w) })
	best, least := Nearest{Differs: []Change{}}, 0
	for _, r := range list[:min(len(list), mostCompared)] {
		if differs, rank, ok := e.differs(&r, w); ok && (best.Name == "" || rank < least) {
			best, least = Nearest{r.name, differs}, rank
		}
	}
	return best
}

// distance is how early a run is compared with a request.
func (r *earlierRun) distance(w *Wanted) int {
	switch {
	case r.key != "" && r.key == w.Key:
		return 0
	case r.job == w.Job:
		return 1
	}
	return 2
}

// differs lists how a run differs from a request, and ranks that: a run of the same request that gave no answer comes
// before the answer to another request. It reports false if the run cannot be read.
func (e *Earlier) differs(r *earlierRun, w *Wanted) (list []Change, rank int, ok bool) {
	var of record.Record
	var end plugin.Ending
	request := w.Request
	if r.answer == nil {
		var err error
		folder := filepath.Join(e.work, filepath.FromSlash(r.name))
		if of, err = record.Read(folder); err != nil {
			return nil, 0, false // its folder was removed meanwhile, or is damaged
		}
		_ = plugin.ReadFile(folder, plugin.ResultFile, &end) // a run that was lost has none
	} else { // only its numbers are known
		of.Numbers, of.Process.Maker = r.answer.Request, r.answer.Maker
		request = plugin.Request{Numbers: maps.Clone(request.Numbers)}
		maps.DeleteFunc(request.Numbers, func(name string, _ float64) bool { _, has := of.Numbers[name]; return !has })
	}
	if r.version != w.Version {
		list = append(list, Change{Name: "version", Was: r.version, Is: w.Version})
	}
	list = append(list, changes(&of.Request, &request)...)
	same := r.key != "" && r.key == w.Key
	if is := w.Program; !same && (len(list) == 0 || solver.Builtin(w.Solver) == nil) {
		list = append(list, rebuilt(of.Process.Maker, is())...)
	}
	rank = 2 * len(list)
	switch {
	case len(end.Steered) > 0:
		return append(list, Change{Name: "steered", Was: true, Is: false,
			text: "it was steered, so that its answer counts in its study alone"}), rank + 1, true
	case !run.Repeatable(r.class):
		return append(list, Change{Name: "class", Was: string(r.class),
			text: "it ended " + string(r.class) + ", which is no answer"}), rank + 1, true
	case len(list) > 0:
		return list, rank, true
	}
	rest := Change{Name: "rules", text: "the rules, the solver's code, or the run from which it starts"}
	switch {
	case same:
		rest = Change{Name: "cache", text: "nothing: its answer is in another cache, or was removed"}
	case r.answer != nil:
		rest.text = "the rules, the solver's code, profiles or texts: it has no folder here"
	}
	return []Change{rest}, rank, true
}

// rebuilt compares the programs of two runs.
func rebuilt(was, is run.Maker) []Change {
	if a, b := was.Sum(), is.Sum(); a != "" && b != "" && a != b {
		return []Change{{Name: "program", Was: a, Is: b}}
	}
	return nil
}

// changes lists the differences of two requests, such as cfl 50 -> 40, and of texts the first line. Files from which
// the runs start are left out.
func changes(a, b *plugin.Request) (list []Change) {
	both := [2]map[string]any{requested(a), requested(b)}
	for _, name := range eitherHas(both) {
		x, y := both[0][name], both[1][name]
		if same(x, y) || name == plugin.InRestart || name == plugin.InNeighbour {
			continue
		}
		c := Change{Name: name, Was: x, Is: y}
		s, isText := x.(string)
		t, areTexts := y.(string)
		switch _, numbers := x.([]float64); {
		case numbers:
			c.text = fmt.Sprintf("%s: %s", name, cmp.Or(deviation(x, y), "of another length"))
		case isText && areTexts && strings.Contains(s+t, "\n"):
			c = firstLine(name, s, t)
		}
		list = append(list, c)
	}
	return list
}

// firstLine is the first line in which two texts differ.
func firstLine(name, a, b string) Change {
	for i := 1; ; i++ {
		x, restA, moreA := strings.Cut(a, "\n")
		y, restB, moreB := strings.Cut(b, "\n")
		switch {
		case x != y:
			return Change{name, x, y, fmt.Sprintf("%s line %d: %s", name, i, firstWord(x, y))}
		case moreA != moreB:
			return Change{name, restA, restB, fmt.Sprintf("%s: all after line %d", name, i)}
		}
		a, b = restA, restB
	}
}

// firstWord is where two lines differ: the words, without those that they have in common at either end.
func firstWord(a, b string) string {
	x, y := strings.Fields(a), strings.Fields(b)
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return brief(strings.Join(x, " ")) + " -> " + brief(strings.Join(y, " "))
}
