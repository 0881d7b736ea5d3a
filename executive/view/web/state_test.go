package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// A client that asks now and then has, after each answer, the state as a whole.
func TestChangesAddUp(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := newState("s", time.Unix(1e9, 0))
		seen := map[string]json.RawMessage{}
		now := int64(0)
		for i := range rapid.IntRange(1, 300).Draw(t, "changes") {
			name := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "run"))
			if s.put(runs, name, Run{Run: name, Iteration: float64(i / 2)}) != nil {
				t.Fatal("a run is no JSON")
			}
			if !rapid.Bool().Draw(t, "asks") {
				continue
			}
			var whole, part struct{ Runs []json.RawMessage }
			text, _, _ := s.since(0)
			if json.Unmarshal(text, &whole) != nil {
				t.Fatalf("%s", text)
			}
			text, now, _ = s.since(now)
			if json.Unmarshal(text, &part) != nil {
				t.Fatalf("%s", text)
			}
			for _, r := range part.Runs {
				var run Run
				_ = json.Unmarshal(r, &run)
				seen[run.Run] = r
			}
			if len(seen) != len(whole.Runs) {
				t.Fatalf("%d runs were seen, there are %d", len(seen), len(whole.Runs))
			}
			for _, r := range whole.Runs {
				var run Run
				_ = json.Unmarshal(r, &run)
				if string(seen[run.Run]) != string(r) {
					t.Fatalf("run %s: seen %s, it is %s", run.Run, seen[run.Run], r)
				}
			}
		}
	})
}

// A client of an earlier server gets all, however many changes the later one has had by then.
func TestNumbersOfAnEarlierServer(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	read := func(s *state, since int64) (names []string, last int64, all bool) {
		text, _, _ := s.since(since)
		var w struct {
			Runs       []Run
			Seq, Since int64
		}
		must.OK(t, json.Unmarshal(text, &w))
		for _, r := range w.Runs {
			names = append(names, r.Run)
		}
		return names, w.Seq, w.Since == 0
	}
	change := func(s *state, names ...string) {
		for _, name := range names {
			must.OK(t, s.put(runs, name, Run{Run: name}))
		}
	}
	earlier, later := newState("s", begun), newState("s", begun.Add(time.Minute))
	change(earlier, "a", "b")
	change(later, "a", "b", "c", "d")
	_, seen, _ := read(earlier, 0)
	for _, since := range []int64{0, 1, seen, seen + 1e12} {
		names, _, all := read(later, since)
		must.Equal(t, "a b c d true", fmt.Sprint(strings.Join(names, " "), " ", all))
	}
	_, seen, _ = read(later, 0)
	change(later, "e")
	names, _, all := read(later, seen)
	must.Equal(t, "e false", fmt.Sprint(strings.Join(names, " "), " ", all))
}

// A thinned curve keeps the peaks, in a bounded number of points.
func TestThinnedCurveKeepsPeaks(t *testing.T) {
	h := &histories{runs: map[string]*history{}}
	h.begin("r")
	for i := range 100_000 {
		y := math.Sin(float64(i) / 13)
		if i == 31_234 {
			y = 77
		}
		h.add("r", map[string]float64{"iteration": float64(i), "residual": y})
	}
	c := h.of("r", nil)["residual"]
	if len(c.X) > most || len(c.X) < most/4 || !c.Thinned || len(c.X) != len(c.Y) {
		t.Fatalf("%d points, thinned %v", len(c.X), c.Thinned)
	}
	found := false
	for i := range c.X {
		found = found || c.X[i] == 31_234 && c.Y[i] == 77
		if i > 0 && c.X[i] < c.X[i-1] {
			t.Fatalf("the iteration decreases at point %d", i)
		}
	}
	must.Equal(t, true, found)
}

// The picture of a turbine's map is over its pressure ratio, and says where its axes are.
func TestPictureOfATurbine(t *testing.T) {
	m := must.Value(perfmap.MakeTurbine(perfmap.TurbineShape{Name: "hpt", PR: 5, Eff: 0.927}))(t)
	var text bytes.Buffer
	must.OK(t, must.Value(format.FindWriter("peregrine"))(t).Write(&text, m))
	f := NewFeed(t.TempDir(), clock.Real, func(text string) { t.Error(text) })
	f.keptChart("hpt", &report.KeptChart{Component: "hpt", Map: text.Bytes()})
	got := httptest.NewRecorder()
	f.state.picture(got, httptest.NewRequest(http.MethodGet, "/api/map?name=hpt", nil))
	svg := got.Body.String()
	must.Contain(t, svg, `data-over="PR"`, ">Efficiency<", `role="img"`)
	if strings.Contains(svg, " style=") {
		t.Error("a style, which the page's policy forbids")
	}
	_, frame, _ := strings.Cut(svg, `data-frame="`)
	var x0, x1, left, right, y0, y1, low, high float64
	must.Value(fmt.Sscan(frame, &x0, &x1, &left, &right, &y0, &y1, &low, &high))(t)
	if x0 > m.X[0] || x1 < numeric.Last(m.X) || left >= right || y0 >= y1 || low <= high {
		t.Errorf("axes %g to %g at %g to %g, %g to %g at %g to %g", x0, x1, left, right, y0, y1, low, high)
	}
	got = httptest.NewRecorder()
	f.state.picture(got, httptest.NewRequest(http.MethodGet, "/api/map?name=none", nil))
	must.Equal(t, http.StatusNotFound, got.Code)
}

// The last picture of a map is drawn once, an earlier or a past one when it is asked for; a fault does not stay.
func TestPicturesAreNotKept(t *testing.T) {
	live, before := newState("s", time.Unix(1e9, 0)), newState("s", time.Unix(1e9, 0))
	drawn := map[string]int{}
	keep := func(s *state, picture string) {
		s.keep("hpt", picture, func() (string, error) {
			if drawn[picture]++; picture == "faulty" && drawn[picture] == 1 {
				return "", errors.New("the file is gone")
			}
			return picture, nil
		})
	}
	ask := func(picture string) {
		for range 2 {
			live.picture(httptest.NewRecorder(),
				httptest.NewRequest(http.MethodGet, "/api/map?picture="+picture, nil))
		}
	}
	keep(live, "first")
	ask("first")
	keep(live, "last")
	keep(before, "past")
	live.borrow(before)
	for _, picture := range []string{"first", "last", "past"} {
		ask(picture)
	}
	keep(live, "faulty")
	ask("faulty")
	must.Equal(t, map[string]int{"first": 3, "last": 1, "past": 2, "faulty": 2}, drawn)
}

// A warning has its line when that comes after it was published, and when many lines came between.
func TestCauseComesLate(t *testing.T) {
	f := NewFeed(t.TempDir(), clock.NewManual(time.Unix(1e9, 0)), func(text string) { t.Error(text) })
	lines := make([]event.Event, 300)
	var file bytes.Buffer
	for i := range lines {
		lines[i] = event.Event{Source: event.File, Kind: event.Iteration, Run: "r", Seq: int64(i + 1), File: "log",
			Line: fmt.Sprint("line ", i+1)}
		must.OK(t, json.NewEncoder(&file).Encode(lines[i]))
	}
	must.OK(t, os.Mkdir(filepath.Join(f.folder, "r"), 0o755))
	must.OK(t, os.WriteFile(filepath.Join(f.folder, "r", event.LogName), file.Bytes(), 0o600))
	find := func(seq int64) {
		f.observe(&event.Event{Source: event.Executive, Kind: event.Finding, Run: "r", Text: "found",
			Cause: &event.Ref{Stream: lines[0].Stream(), Seq: seq}})
	}
	shown := func(line string) bool {
		f.publish(true)
		text, _, _ := f.state.since(0)
		return strings.Contains(string(text), `"line":"`+line+`"`)
	}
	find(7)
	must.Equal(t, false, shown("line 7"))
	for i := range lines {
		f.observe(&lines[i])
	}
	must.Equal(t, true, shown("line 7"))
	find(2)
	must.Equal(t, false, shown("line 2"))
	f.seek()
	must.Equal(t, true, shown("line 2"))
}

// Runs of a study whose process was killed do not run any more.
func TestRunsOfAKilledStudy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study")
	must.OK(t, os.Mkdir(folder, 0o755))
	l := studylog.New(clock.Real, func(event.Event) {})
	must.OK(t, l.Open(folder))
	l.Record(event.Event{Source: event.Executive, Kind: event.StudyBegun, Name: "E3"})
	l.Record(event.Event{Source: event.Host, Kind: event.Started, Run: "fan-a", Component: "fan", Seq: 1})
	look := func() string {
		f, _, err := Read(t.Context(), folder, clock.Real, func(*event.Event) {})
		must.OK(t, err)
		var w struct {
			State    string
			Progress Progress
			Runs     []Run
		}
		must.OK(t, json.Unmarshal(must.Value(f.Snapshot(nil, unit.SI))(t), &w))
		return fmt.Sprint(w.State, ", ", w.Progress.Running, " running: ", w.Runs[0].State)
	}
	must.Equal(t, "running, 1 running: running", look())
	must.OK(t, l.Close())
	must.Equal(t, "lost, 0 running: lost", look())
}

// A case that is being solved says how far it is as the terminal does, with units.
func TestProgressHasUnits(t *testing.T) {
	f := NewFeed(t.TempDir(), clock.Real, func(text string) { t.Error(text) })
	f.observe(&event.Event{Source: event.Executive, Kind: event.Progress, Name: "slam", Wall: 2,
		Values: map[string]float64{"t": 4, "duration": 10, "step": 0.02, "shafts.lp.N": 8000, "burner.out.Tt": 1500,
			"fan.SMN": 12}})
	f.publish(true)
	text, _, _ := f.state.since(0)
	must.Contain(t, string(text), `"text":"t 4.000 of 10 s (2 x real time, about 3 s left), step 0.02 s, `+
		`N lp 8000 rpm, burner 1500 K, SMN fan 12.0 %"`)
}

// flood passes warnings and commands to a feed, so many a second, for some seconds. A client takes the changes.
func flood(t testing.TB, f *Feed, at *clock.Manual, seconds, rate int, client func(text []byte)) {
	number, seen := int64(0), int64(0)
	for range seconds {
		for range int(time.Second / beat) {
			for range rate * int(beat) / int(time.Second) {
				number++
				e := event.Event{Source: event.Executive, Kind: event.Finding, Name: "slow", Severity: "warning",
					Run: fmt.Sprint("fan-", number%50), Text: fmt.Sprint("step ", number), Time: at.Now(),
					Cause: &event.Ref{Stream: event.Stream{Run: "r", Source: event.File}, Seq: number}}
				if number%2 == 0 {
					e.Kind, e.Act = event.Command, &event.Receipt{State: event.Applied}
				}
				f.observe(&e)
			}
			at.Advance(beat)
			f.publish(false)
			text, now, _ := f.state.since(seen)
			if seen = now; client != nil {
				client(text)
			}
		}
	}
	f.publish(true)
	text, _, _ := f.state.since(seen)
	client(text)
}

// Of a flood of warnings and commands the last ones are kept, by severity, and each is counted. A client that keeps as
// many has the state as it is.
func TestFloodOfWarnings(t *testing.T) {
	at := clock.NewManual(time.Unix(1e9, 0))
	f := NewFeed(t.TempDir(), at, func(text string) { t.Error(text) })
	f.observe(&event.Event{Source: event.Executive, Kind: event.Finding, Name: "first", Severity: "error", Text: "x"})
	const seconds, rate = 2, 10_000
	have, messages := map[string]map[int]string{"warnings": {}, "commands": {}}, 0
	flood(t, f, at, seconds, rate, func(text []byte) {
		var w map[string]json.RawMessage
		must.OK(t, json.Unmarshal(text, &w))
		for of, list := range have {
			var entries []json.RawMessage
			if w[of] != nil {
				must.OK(t, json.Unmarshal(w[of], &entries))
				messages++
			}
			for _, x := range entries {
				var id struct {
					ID       int
					Severity string
				}
				must.OK(t, json.Unmarshal(x, &id))
				list[id.ID] = id.Severity
			}
			for severity, n := "warning", 0; n < 2; severity, n = "", n+1 {
				ids := slices.Sorted(maps.Keys(list))
				ids = slices.DeleteFunc(ids, func(id int) bool { return list[id] != severity })
				for _, id := range ids[:max(0, len(ids)-mostAlike)] {
					delete(list, id)
				}
			}
		}
	})
	text, _, _ := f.state.since(0)
	var w struct {
		Warnings []Warning
		Commands []Command
		Progress Progress
	}
	must.OK(t, json.Unmarshal(text, &w))
	must.Equal(t, []int{1 + mostAlike, mostAlike, seconds*rate - 2*mostAlike},
		[]int{len(w.Warnings), len(w.Commands), w.Progress.Omitted})
	must.Equal(t, "error", w.Warnings[0].Severity)
	must.Equal(t, map[string]int{"error": 1, "warning": seconds * rate / 2}, f.state.count().warnings)
	for _, x := range w.Warnings {
		delete(have["warnings"], x.ID)
	}
	for _, x := range w.Commands {
		delete(have["commands"], x.ID)
	}
	must.Equal(t, 0, len(have["warnings"])+len(have["commands"]))
	if most := 2 * (seconds*int(time.Second/thinned) + 3); messages > most {
		t.Errorf("%d messages with warnings or commands, want at most %d", messages, most)
	}
	for name, n := range map[string]int{"order": len(f.order), "sent": len(f.sent), "uncaused": len(f.uncaused),
		"pieces": len(f.state.pieces)} {
		if n > 2*mostAlike+64 {
			t.Errorf("%s has %d entries", name, n)
		}
	}
}

// BenchmarkFlood measures what a second with 10,000 warnings and commands costs a server with one client, of one core,
// and the bytes that the client reads. A half of them are warnings whose lines never come.
func BenchmarkFlood(b *testing.B) {
	at := clock.NewManual(time.Unix(1e9, 0))
	f := NewFeed(b.TempDir(), at, func(text string) { b.Error(text) })
	read := 0
	client := func(text []byte) { read += len(text) }
	flood(b, f, at, 5, 10_000, client)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	read = 0
	for b.Loop() {
		flood(b, f, at, 1, 10_000, client)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(f)
	b.ReportMetric(float64(read)/float64(b.N), "read-B/s")
	b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/float64(b.N), "kept-B/s")
}
