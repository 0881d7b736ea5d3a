//go:build linux

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Studies that nodes cannot make: they end, and say why.

// A run under which two nodes died goes to no third one, and the study goes on without it.
func TestRunThatKillsNodes(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	on := newSite(newTrial(t, s.shop, nodesKind))
	c := on.start(study)
	name := ""
	for n := 1; n <= 2; n++ {
		on.until(c, fmt.Sprintf("attempt %d", n), func() bool {
			if name == "" {
				name = on.anyRun()
			}
			return name != "" && on.killUnder(name, n)
		})
	}
	code, by := on.exit(c)
	if code != 0 && code != noZoom {
		t.Errorf("it ended with %d %v", code, by)
	}
	var end plugin.Ending
	second := filepath.Join(on.work(), study, name+record.AttemptMark+"2")
	must.OK(t, plugin.ReadFile(second, plugin.ResultFile, &end))
	if end.Class != event.Crashed || len(nodeName.FindAllString(end.Message, -1)) < 2 {
		t.Errorf("%s was given up with %s, %q", name, end.Class, end.Message)
	}
	if third := strings.TrimSuffix(second, "2") + "3"; on.there(third) {
		t.Errorf("%s was sent on", third)
	}
	must.Contain(t, c.log.String(), name)
	on.sweep()
	on.gone(on.remains)
}

// noZoom is the exit code of a study whose component could not be zoomed.
const noZoom = 3

func (t *trial) there(path string) bool { _, err := os.Stat(path); return err == nil }

// anyRun is a run that has begun and has no result; empty: there is none.
func (t *trial) anyRun() string {
	folders, _ := filepath.Glob(filepath.Join(t.work(), study, "*", plugin.RequestFile)) // the pattern is right
	for _, f := range folders {
		if dir := filepath.Dir(f); !t.there(filepath.Join(dir, plugin.ResultFile)) {
			return filepath.Base(dir)
		}
	}
	return ""
}

// killUnder kills the node on which an attempt at a run goes on, and reports whether it does.
func (s *site) killUnder(name string, n int) bool {
	if n > 1 {
		name += fmt.Sprint(record.AttemptMark, n)
	}
	folder := filepath.Join(s.work(), study, name)
	record, err := record.Read(folder)
	events, _ := os.ReadFile(filepath.Join(folder, plugin.EventsFile)) // none: it has not begun
	if err != nil || s.there(filepath.Join(folder, plugin.ResultFile)) ||
		!strings.Contains(string(events), `"kind":"watched"`) {
		return false // its solver has no request, or has ended
	}
	number, node := 0, strings.TrimPrefix(record.Process.Machine, "node")
	if _, err := fmt.Sscan(node, &number); err != nil {
		node, _, _ = strings.Cut(node, ".")
		_, _ = fmt.Sscan(node, &number) // 0: it kills nothing
	}
	s.kill(number)
	s.Logf("%s on %s", name, record.Process.Machine)
	return true
}

// Where no solver starts on any node, the study ends with words. Where all blocks end at once package fleet holds that,
// by a clock moved by hand: the pauses between blocks take minutes.
func TestNoNodeOfUse(t *testing.T) {
	t.Parallel()
	s := newSuite(t)
	on := newSite(newTrial(t, s.shop, nodesKind))
	on.more = append(on.more, "--launcher", "full")
	c := on.start(study)
	if code, by := on.exit(c); code != noZoom && code != machineFault {
		t.Errorf("it ended with %d %v", code, by)
	}
	must.Contain(t, c.log.String(), "blocks in a row brought no node on which a solver starts")
	on.gone(on.remains)
}
