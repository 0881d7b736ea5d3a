//go:build linux

package crash

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// What a study says of the attempts that it lost, and that none of these gave an answer.

// scratchOf are the folders in which a process keeps sockets.
func (t *trial) scratchOf(pid int) []string {
	found, _ := filepath.Glob(filepath.Join(t.tmp(), fmt.Sprintf("peregrine-%d-*", pid))) // the pattern is right
	return found
}

var nodeName = regexp.MustCompile(`\bn(ode)?[1-4](\.\d+)?\b`)

// left is how a host says that it found an attempt of one that was killed.
var left = regexp.MustCompile(
	`^\S+ (was lost on n(ode)?[1-4]\S* with process \d+, which made it|had not begun when the process ended)`)

// explained holds of each attempt that another followed: an event of the study names it, and the node it was on, and
// says why; and its result is no answer, unless it is one of a host that was killed just then.
func (t *trial) explained(killed bool) {
	t.Helper()
	ended := map[string]event.Event{}
	text := t.read(filepath.Join(t.work(), study, "study.jsonl"))
	for line := range strings.Lines(string(text)) {
		var e event.Event
		if json.Unmarshal([]byte(line), &e) == nil && e.Run != "" && (e.Kind == event.Ended && !e.Cached ||
			e.Kind == event.Message && left.MatchString(e.Text)) {
			ended[e.Run] = e
		}
	}
	retried, _ := filepath.Glob(filepath.Join(t.work(), study, "*"+record.AttemptMark+"2")) // the pattern is right
	for _, second := range retried {
		first := strings.TrimSuffix(second, record.AttemptMark+"2")
		name := filepath.Base(first)
		var end plugin.Ending
		if err := plugin.ReadFile(first, plugin.ResultFile, &end); err != nil {
			t.Errorf("%s was followed by another attempt: %v", name, err)
			continue
		}
		e, said := ended[name]
		switch _, err := record.Read(first); {
		case killed && end.Class == event.Converged && end.WrittenBy == event.Host:
			t.Logf("%s had ended when its host was killed, before its answer was in the cache", name)
		case end.Class == event.Converged:
			t.Errorf("%s was followed by another attempt, and has an answer of %s", name, end.WrittenBy)
		case !said || e.Text == "" || err == nil && !nodeName.MatchString(e.Host+" "+e.Text):
			t.Errorf("the log explains the loss of %s with %+v; its result is of %s: %s %s", name, e, end.WrittenBy,
				end.Class, end.Message)
		default:
			t.Logf("%s on %s: %s, %s (result by %s)", name, e.Host, e.Class, e.Text, end.WrittenBy)
		}
	}
}
