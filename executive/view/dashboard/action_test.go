package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
)

// The actions of keys and their runs: 1 hot, 2 cold, 3 a name of other letters run; waits has not begun, lost has
// ended.
func TestActions(t *testing.T) {
	for _, c := range []struct {
		name       string
		keys       []string
		want, said string
	}{
		{"pause", []string{"p"}, "pause hot", "hot pause ..."},
		{"step", []string{"down", "."}, "step cold", "cold step ..."},
		{"stop is asked", []string{"x"}, "", "x again ends hot with the results so far; any other key cancels"},
		{"stop", []string{"x", "x"}, "stop hot", "hot stop ..."},
		{"stop of another", []string{"x", "down", "x"}, "", "x again ends cold"},
		{"stop, then not", []string{"x", "?", "esc", "x"}, "", "x again ends hot"},
		{"stop, not by another action", []string{"x", "p", "x"}, "pause hot", "x again ends hot"},
		{"checkpoint", []string{"c"}, "checkpoint hot at-149", "hot checkpoint ..."},
		{"hold", []string{"H"}, "hold", "hold of the study ..."},
		{"workers", []string{"+", "-"}, "workers 1, workers -1", "workers of the study ..."},
		{"on the page", []string{"enter", "p", "n", "."}, "pause hot, step cold", "cold step ..."},
		{"in the filter", []string{"/", "p", "x", "x", "esc"}, "", "q quit"},
		{"on the help", []string{"?", "p"}, "", "q quit"},
		{"of what waits", []string{"/", "w", "a", "i", "t", "s", "enter", "p"}, "", "waits has not begun"},
		{"of what has ended", []string{"/", "l", "o", "s", "t", "enter", "c"}, "", "lost has ended: out_of_memory"},
		{"of nothing", []string{"/", "z", "enter", "p"}, "", "q quit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, now := mixed()
			m := dashboard.NewModel(b, false)
			m.Resize(100, 24)
			press(m, "s") // as they began
			var did []string
			m.Act = func(a dashboard.Action) {
				text := strings.Join(strings.Fields(fmt.Sprint(a.Verb, " ", a.Run, " ", a.Name)), " ")
				if a.By != 0 {
					text += fmt.Sprint(" ", a.By)
				}
				did = append(did, text)
			}
			press(m, c.keys...)
			if got := strings.Join(did, ", "); got != c.want {
				t.Errorf("it did %q, want %q", got, c.want)
			}
			if foot := footOf(m.Frame(now)); !strings.HasPrefix(foot, c.said) {
				t.Errorf("it says %q, want %q", foot, c.said)
			}
		})
	}
}

func footOf(f dashboard.Frame) string {
	text := f.Text()
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// One key holds and releases a run, whoever holds it.
func TestHeldRunIsReleased(t *testing.T) {
	b, _ := mixed()
	m := dashboard.NewModel(b, false)
	press(m, "s")
	var did []dashboard.Verb
	m.Act = func(a dashboard.Action) { did = append(did, a.Verb) }
	b.Observe(commanded("hot", "sync", true))
	press(m, "p")
	b.Observe(commanded("hot", "release", false))
	press(m, "p")
	if fmt.Sprint(did) != "[release pause]" {
		t.Errorf("%v", did)
	}
}

// Runs that cannot be steered, such as those of files, are left alone, and the keys report it.
func TestNothingToSteer(t *testing.T) {
	b, now := judged()
	m := dashboard.NewModel(b, false)
	for _, key := range []string{"p", ".", "x", "c", "H", "+", "-"} {
		press(m, key)
		if foot := footOf(m.Frame(now)); foot != "these runs can be watched, not steered" {
			t.Errorf("%s: %s", key, foot)
		}
	}
}
