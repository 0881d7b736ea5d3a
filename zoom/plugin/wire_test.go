package plugin

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// over sends a message over the wire.
func over[M proto.Message](t rapid.TB, m, into M) M {
	t.Helper()
	data := must.Value(proto.Marshal(m))(t)
	must.OK(t, proto.Unmarshal(data, into))
	return into
}

var any64 = rapid.Custom(func(t *rapid.T) float64 {
	return math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
})

func numbersOf(t *rapid.T) map[string]float64 {
	return rapid.MapOfN(rapid.StringMatching(`[a-zA-Z_]{1,8}`), any64, 1, 5).Draw(t, "numbers")
}

func arraysOf(t *rapid.T) map[string][]float64 {
	return rapid.MapOfN(rapid.StringMatching(`[a-z]{1,8}`), rapid.SliceOfN(any64, 1, 9), 1, 4).Draw(t, "arrays")
}

// Every number arrives to the last bit, NaN and infinities among them.
func TestValuesSurviveTheWire(t *testing.T) {
	bits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	testenv.Check(t, func(t *rapid.T) {
		req := Request{
			Study: "s", Run: "r", Folder: "/f", Numbers: numbersOf(t), Arrays: arraysOf(t),
			Texts: map[string]string{"t": rapid.String().Draw(t, "text")},
		}
		if diff := cmp.Diff(req, decodeRequest(over(t, encodeRequest(req), &pb.RunRequest{})), bits); diff != "" {
			t.Fatal(diff)
		}
		res := Result{Class: event.Diverged, Message: rapid.String().Draw(t, "message"), Numbers: numbersOf(t), Arrays: arraysOf(t)}
		if diff := cmp.Diff(res, decodeResult(over(t, encodeResult(res), &pb.Outcome{})), bits); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDescriptionSurvivesTheWire(t *testing.T) {
	d := alternative()
	d.Fidelity, d.Pauses, d.Checkpoints, d.WholeState = "f", true, true, true
	d.Files = []history.File{
		{Pattern: "log", Format: "regexp", Patterns: []history.Pattern{{Regexp: "a(?P<b>c)", Begins: true, Kind: event.Message}}, Doc: "d"},
		{Pattern: "h*", Format: "columns", Columns: []string{"a", "b"}, Key: "k", Rename: map[string]string{"a": "b"}, Scale: map[string]float64{"b": 2}},
		{Pattern: "s", Format: "columns", Keys: []string{"a"}, Boxed: true, Prose: true, Widths: map[string]int{"a": 2}, Unnamed: true, Drop: []string{"c"}, Units: true, Guess: true,
			Patterns: []history.Pattern{{Line: "end {text}", Kind: event.Status, Status: "ended"}}},
	}
	d.Inputs[0].Dim, d.Inputs[0].Doc, d.Settings[0].Coarse = unit.Speed, "speed", new(0.5)
	if diff := cmp.Diff(d, decodeDescription(over(t, encodeDescription(d), &pb.Description{})), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestReceivedEvents(t *testing.T) {
	at := time.Unix(1700000000, 123456789).UTC()
	sent := event.Event{
		Seq: 7, Time: at, Kind: event.Iteration, Text: "bad \xff text",
		Values: map[string]float64{"residual": math.NaN(), "W": 5}, Arrays: map[string][]float64{"ok": {1}, "Pt": {1, math.Inf(1)}},
	}
	want := event.Event{
		Study: "s", Run: "r", Seq: 7, Time: at, Source: event.Plugin, Kind: event.Iteration, Text: "bad \uFFFD text",
		Values: map[string]float64{"W": 5}, Arrays: map[string][]float64{"ok": {1}}, NonFinite: []string{"Pt", "residual"},
	}
	got := decodeEvent(over(t, sent.Encode(), &eventproto.Event{}), Request{Study: "s", Run: "r"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, kind := range []event.Kind{event.Ended, event.Result, "dance"} {
		if got := decodeEvent(&eventproto.Event{Kind: string(kind)}, Request{}); got.Kind != event.Message {
			t.Errorf("a plugin may not send %q", got.Kind)
		}
	}
	if got := encodeResult(Result{Message: "\xff", Numbers: map[string]float64{"\xff": 1}}); !proto.Equal(got, over(t, got, &pb.Outcome{})) {
		t.Error("names and texts of any bytes must pass")
	}
}
