package study

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// The bytes of an entry are part of bundles and of their checksums: its keys and their order stay.
func TestEntryKeepsItsKeys(t *testing.T) {
	a := StoredAnswer{
		Format: 1,
		Answer: run.Answer{
			Result: plugin.Result{Class: event.Converged, Message: "m", Numbers: map[string]float64{"x": 1}},
			Solver: "s 1", Fidelity: "f", Study: "st", Component: "fan", Run: "r", Folder: "/st/r", Wall: 5,
			Halted: true, Sum: "abc", Unlike: "u",
		},
		Made: time.Unix(0, 0).UTC(), Host: "h", Request: map[string]float64{"N": 2},
		Steered: []event.Receipt{{}},
	}
	text := must.Value(json.Marshal(a))(t)
	receipt := must.Value(json.Marshal(event.Receipt{}))(t)
	want := `{"format":1,"class":"converged","message":"m","numbers":{"x":1},"solver":"s 1","fidelity":"f",` +
		`"study":"st","component":"fan","run":"r","folder":"/st/r","wall_ns":5,"halted":true,"solution":"abc",` +
		`"unlike":"u","made":"1970-01-01T00:00:00Z","host":"h","request":{"N":2},"steered":[` + string(receipt) + `]}`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// A failure that is remembered goes first when the cache reaches its limit.
func TestFailureCostsNothing(t *testing.T) {
	for data, want := range map[string]float64{`{"wall_ns": 1000}`: 1e-6, `{"wall_ns": 1000, "failures": 1}`: 0} {
		if got := Cost([]byte(data)); got != want {
			t.Errorf("%s costs %g s", data, got)
		}
	}
}

// The answers of kept runs, and of a kept study, stay in a cache that reaches its limit, in any work folder; so do
// those whose marks cannot be read.
func TestKeptAnswersStay(t *testing.T) {
	work, other := t.TempDir(), t.TempDir()
	for study, run := range map[string]string{"a": "r", "b": "", filepath.Join("..", filepath.Base(other), "d"): "r"} {
		must.OK(t, os.Mkdir(filepath.Join(work, study), 0o755))
		must.OK(t, studylog.AddNote(filepath.Join(work, study), nil, event.Event{Run: run, Name: studylog.Keep}))
	}
	must.OK(t, os.MkdirAll(filepath.Join(work, "e", studylog.NotesName), 0o755)) // no file
	cost := CostUnlessKept(work)
	for name, want := range map[string]float64{"a/r": math.Inf(1), "a/s": 1, "b/r": math.Inf(1), "c/r": 1, "../r": 1,
		"d/r": math.Inf(1), "d/s": 1, "e/r": math.Inf(1)} {
		of, run := path.Split(name)
		data := fmt.Sprintf(`{"wall_ns": 1000000000, "study": %q, "run": %q, "folder": %q}`, path.Clean(of), run,
			filepath.Join(other, of, run))
		if got := cost([]byte(data)); got != want {
			t.Errorf("%s costs %g s", name, got)
		}
	}
}
