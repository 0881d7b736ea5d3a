package watch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/corpus"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// The rule that stops the hopeless stops no run of the corpus that ends well, and so many of the others, of whose iterations it saves so much. It is
// told no limit.
func TestHopelessAreStopped(t *testing.T) {
	set, err := rule.New(rule.Shape{}, []config.Rule{{Name: "stop_hopeless", Pos: document.Pos{Line: 1, Column: 1}}})
	must.OK(t, err)
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
		at, end := stoppedAt(t, &Rules{Single: set}, h)
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
	t.Logf("%d good runs of %d, %d bad ones of %d are stopped, with %.0f %% of their iterations to go", len(good), all, bad, len(list)-all, 100*saved/float64(max(1, bad)))
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
		if at == 0 && slices.ContainsFunc(l.Findings, func(f rule.Finding) bool { return f.Rule == "stop_hopeless" && f.Does.Verb == rule.Stop }) {
			at = l.Iteration
		}
	}); err != nil {
		t.Fatalf("%s: %v", h.Name, err)
	}
	return at, end
}
