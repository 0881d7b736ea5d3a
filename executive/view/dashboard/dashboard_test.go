package dashboard_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// zoomed is a board of a recorded zoom of the E3's fan, half-way, and the time of its last event.
func zoomed(t testing.TB) (*dashboard.Board, time.Time) {
	t.Helper()
	events := must.Value(event.Read(filepath.Join("testdata", "zoom.jsonl")))(t)
	b := dashboard.New("e3")
	for _, e := range events {
		b.Observe(e)
	}
	return b, events[len(events)-1].Time
}

// mixed is a board of the other contents: hosts, warnings, failures, a waiting job, names of all kinds.
func mixed() (*dashboard.Board, time.Time) {
	b := dashboard.New("study")
	n := int64(0)
	add := func(s float64, e event.Event) {
		n++
		e.Time, e.Seq = start.Add(time.Duration(s*float64(time.Second))), n
		b.Observe(e)
	}
	add(0, event.Event{Source: event.Executive, Kind: event.StudyBegun, Study: "study",
		Name: "An engine\x1b[31m with a name"})
	for i, name := range []string{"hot", "cold", "夜-long", "waits", "from the cache", "lost"} {
		add(0, event.Event{Source: event.Executive, Run: name, Kind: event.Planned, Name: name})
		if i < 3 || name == "lost" {
			add(1, event.Event{
				Source: event.Host, Run: name, Kind: event.Started, Host: []string{"node1", "node2"}[i%2], Attempt: 1,
				Folder: "/studies/study/" + name,
			})
		}
	}
	add(1, event.Event{Source: event.Executive, Run: "from the cache", Kind: event.Ended, Class: event.Converged,
		Cached: true})
	for i := range 150 {
		x := float64(i)
		for k, name := range []string{"hot", "cold", "夜-long"} {
			values := map[string]float64{"iteration": x, "residual_u": math.Pow(10, -x/float64(20*(k+1))),
				"residual_p": 0.1, "W_in": 20 + float64(k), "W_out": 20 + x/150, "PR": 1.5 + 0.1*float64(k)}
			add(2+x/10, event.Event{Source: event.Plugin, Run: name, Kind: event.Iteration, Values: values})
		}
	}
	add(17, event.Event{Source: event.File, Run: "cold", Kind: event.Warning, Text: "bounding\tk, min: -1",
		Line: "bounding k"})
	add(18, event.Event{Source: event.Host, Run: "lost", Kind: event.Ended, Class: event.OutOfMemory,
		Text: "it used more than 4 GiB", Wall: 17})
	return b, start.Add(20 * time.Second)
}

// judged is a board of files that the caller judges.
func judged() (*dashboard.Board, time.Time) {
	b := dashboard.NewJudged("case1 case2")
	for i := range 80 {
		at := start.Add(time.Duration(i) * 200 * time.Millisecond)
		for k, name := range []string{"case1", "case2"} {
			e := event.Event{Source: event.File, Run: name, Time: at, Kind: event.Iteration, File: "log",
				Line: fmt.Sprintf("Time = %d", i), Values: map[string]float64{
					"iteration": float64(i), "residual_Ux": math.Pow(10, -float64(i)/30),
					"residual_p": math.Pow(10, -float64(i)/60), "Fx": 12.5 + float64(k), "clock": 1,
				}}
			b.Observe(e)
		}
	}
	now := start.Add(16 * time.Second)
	b.Judge("case1", now,
		state.Judgement{
			State: state.Converging, Reasons: []string{"p falls: 0.05, target 0.0001, in 150 iterations at this rate",
				"Ux falls"}, Iteration: 79, Left: 150, Between: []float64{120, 180},
		}, false)
	b.Judge("case2", now, state.Judgement{State: state.Stalled, Reasons: []string{"p stands"}, Iteration: 79}, true)
	return b, now
}

// held is a mixed board with a held run.
func held() (*dashboard.Board, time.Time) {
	b, now := mixed()
	b.Observe(commanded("hot", "pause", true))
	return b, now
}

// commanded is the event of a command's result.
func commanded(run string, verb event.Verb, held bool) event.Event {
	return event.Event{Source: event.Plugin, Run: run, Kind: event.Command, Name: string(verb),
		Time: start.Add(19 * time.Second), Text: "by somebody: " + string(verb),
		Act: &event.Receipt{Verb: verb, State: "applied", Held: held, Iteration: 149}}
}

func press(m *dashboard.Model, keys ...string) {
	for _, k := range keys {
		m.Key(k)
	}
}

// Frames are kept as text under testdata; PEREGRINE_STORE=1 writes them anew.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name          string
		board         func(testing.TB) (*dashboard.Board, time.Time)
		width, height int
		keys          []string
		ascii, screen bool
		colour        bool
		steered       bool
	}{
		{name: "zoom-80x24", board: zoomed, width: 80, height: 24},
		{name: "zoom-120x40", board: zoomed, width: 120, height: 40},
		{name: "zoom-40x10", board: zoomed, width: 40, height: 10},
		{name: "zoom-colour", board: zoomed, width: 80, height: 24, screen: true, colour: true},
		{name: "zoom-grey", board: zoomed, width: 80, height: 24, screen: true},
		{name: "zoom-ascii", board: zoomed, width: 80, height: 24, ascii: true},
		{name: "zoom-run", board: zoomed, width: 80, height: 24, keys: []string{"enter"}},
		{name: "zoom-run-scrolled", board: zoomed, width: 80, height: 24, keys: []string{"enter", "pgdown"}},
		{name: "zoom-help", board: zoomed, width: 80, height: 24, keys: []string{"?"}},
		{name: "mixed-80x24", board: other(mixed), width: 80, height: 24},
		{name: "mixed-120x40", board: other(mixed), width: 120, height: 40, keys: []string{"s", "s", "s"}},
		{
			name: "mixed-chosen", board: other(mixed), width: 80, height: 24,
			keys: []string{"space", "down", "space", "o", "r"},
		},
		{
			name: "mixed-typing", board: other(mixed), width: 80, height: 24,
			keys: []string{"/", "c", "o", "x", "backspace"},
		},
		{
			name: "mixed-filtered", board: other(mixed), width: 80, height: 24,
			keys: []string{"/", "!", "c", "o", "l", "d", "space", "n", "o", "d", "e", "enter"},
		},
		{name: "mixed-none", board: other(mixed), width: 80, height: 24, keys: []string{"/", "z", "enter"}},
		{name: "steered-80x24", board: zoomed, width: 80, height: 24, steered: true},
		{name: "steered-help", board: zoomed, width: 80, height: 24, steered: true, keys: []string{"?"}},
		{name: "steered-run", board: other(mixed), width: 80, height: 24, steered: true, keys: []string{"enter"}},
		{name: "steered-held", board: other(held), width: 80, height: 24, steered: true},
		{name: "steered-stop", board: other(held), width: 80, height: 24, steered: true, keys: []string{"x"}},
		{name: "steered-said", board: other(held), width: 80, height: 24, steered: true, keys: []string{"p"}},
		{name: "files-80x24", board: other(judged), width: 80, height: 24},
		{name: "files-run", board: other(judged), width: 80, height: 24, keys: []string{"enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, now := c.board(t)
			m := dashboard.NewModel(b, c.ascii)
			m.Stop = "interrupts the study"
			m.Resize(c.width, c.height)
			if c.steered {
				m.Act = func(dashboard.Action) {}
			}
			m.Frame(now) // the selected run is among the shown ones
			press(m, c.keys...)
			f := m.Frame(now)
			text := f.Text()
			if c.screen {
				text = visible(f.Screen(c.colour))
			}
			golden.Text(t, filepath.Join("testdata", c.name+".txt"), text+"\n")
		})
	}
}

func other(make func() (*dashboard.Board, time.Time)) func(testing.TB) (*dashboard.Board, time.Time) {
	return func(testing.TB) (*dashboard.Board, time.Time) { return make() }
}

// visible writes the codes of a terminal as text.
func visible(text string) string {
	return strings.ReplaceAll(text, "\x1b", "\\e")
}

// Whatever the size, whatever is pressed: a frame has as many lines as the screen, none wider, and no character that
// commands a terminal but those of its styles.
func TestFrameFits(t *testing.T) {
	keys := []string{"up", "down", "pgup", "pgdown", "home", "end", "enter", "esc", "space", "o", "c", "/", "a", "s",
		"r", "n", "N", "u", "p", ".", "x", "H", "+", "-", "?", "k", "j", "g", "G", "backspace", "tab", "left", "right"}
	testenv.Check(t, func(t *rapid.T) {
		board := rapid.SampledFrom([]func() (*dashboard.Board, time.Time){mixed, judged}).Draw(t, "board")
		b, now := board()
		m := dashboard.NewModel(b, rapid.Bool().Draw(t, "ascii"))
		if rapid.Bool().Draw(t, "steered") {
			m.Act = func(dashboard.Action) {}
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			w, h := rapid.IntRange(1, 200).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height")
			m.Resize(w, h)
			press(m, rapid.SliceOfN(rapid.SampledFrom(keys), 0, 5).Draw(t, "keys")...)
			f := m.Frame(now)
			lines := strings.Split(f.Text(), "\n")
			must.Equal(t, h, len(lines))
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > w {
					t.Fatalf("a line of %d cells of %d: %q", n, w, l)
				}
				if strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Fatalf("a control character: %q", l)
				}
			}
			if got := ansi.Strip(f.Screen(true)); strings.TrimRight(got, " ") == "" && f.Text() != "" {
				t.Fatalf("the screen shows nothing of %q", f.Text())
			}
		}
	})
}

// The selection is kept while runs come and the order changes.
func TestPointedRunStays(t *testing.T) {
	b, now := mixed()
	m := dashboard.NewModel(b, false)
	press(m, "s", "s", "down", "down") // by name
	before := pointed(m, now)
	b.Observe(event.Event{Source: event.Host, Run: "a-new-one", Kind: event.Started, Time: now})
	if after := pointed(m, now); after != before || before == "" {
		t.Errorf("%q is pointed to, and was %q", after, before)
	}
}

// pointed is the line of the table that is pointed to.
func pointed(m *dashboard.Model, now time.Time) string {
	for _, l := range strings.Split(m.Frame(now).Text(), "\n") {
		if name, ok := strings.CutPrefix(l, "> "); ok {
			name, _, _ = strings.Cut(name, " ")
			return name
		}
	}
	return ""
}
