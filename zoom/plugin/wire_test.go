package plugin

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
	"github.com/peregrine-sim/peregrine/zoom/steer"
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
		must.Equal(t, req, decodeRequest(over(t, encodeRequest(req), &pb.RunRequest{})), bits)
		res := Result{Class: event.Diverged, Message: rapid.String().Draw(t, "message"), Numbers: numbersOf(t),
			Arrays: arraysOf(t)}
		must.Equal(t, res, decodeResult(over(t, encodeResult(res), &pb.Outcome{})), bits)
	})
}

// Every field of a description passes, also one that is new: what the types have is drawn.
func TestDescriptionSurvivesTheWire(t *testing.T) {
	some := rapid.Make[Description]()
	testenv.Check(t, func(t *rapid.T) {
		d := some.Draw(t, "description")
		d.Sensors = nil // JSON, and only those that are valid
		for _, list := range [][]Quantity{d.Inputs, d.Outputs, d.Settings} {
			for i := range list {
				list[i].Shape = rapid.SampledFrom([]Shape{Scalar, Profile, Text, FileName}).Draw(t, "shape")
			}
		}
		for _, f := range d.Files {
			for name := range f.Widths {
				f.Widths[name] = rapid.IntRange(1, history.MaxWidth).Draw(t, "width")
			}
		}
		must.Equal(t, d, decodeDescription(over(t, encodeDescription(d), &pb.Description{})), cmpopts.EquateEmpty())
	})
}

func TestReceivedEvents(t *testing.T) {
	at := time.Unix(1700000000, 123456789).UTC()
	sent := event.Event{
		Seq: 7, Time: at, Kind: event.Iteration, Text: "bad \xff text",
		Values: map[string]float64{"residual": math.NaN(), "W": 5},
		Arrays: map[string][]float64{"ok": {1}, "Pt": {1, math.Inf(1)}},
	}
	want := event.Event{
		Study: "s", Run: "r", Seq: 7, Time: at, Source: event.Plugin, Kind: event.Iteration, Text: "bad \uFFFD text",
		Values: map[string]float64{"W": 5}, Arrays: map[string][]float64{"ok": {1}},
		NonFinite: []string{"Pt", "residual"},
	}
	got := decodeEvent(over(t, sent.Encode(), &eventproto.Event{}), Request{Study: "s", Run: "r"})
	must.Equal(t, want, got)
	for _, kind := range []event.Kind{event.Ended, event.Result, "dance"} {
		if got := decodeEvent(&eventproto.Event{Kind: string(kind)}, Request{}); got.Kind != event.Message {
			t.Errorf("a plugin may not send %q", got.Kind)
		}
	}
	if got := encodeResult(Result{Message: "\xff", Numbers: map[string]float64{"\xff": 1}}); !proto.Equal(got,
		over(t, got, &pb.Outcome{})) {
		t.Error("names and texts of any bytes must pass")
	}
}

// anyValue draws a value of any type: numbers of any bits, texts of any letters.
var anyValue = rapid.Custom(func(t *rapid.T) steer.Value {
	field := func(v steer.Value) steer.Field {
		return steer.Field{Name: rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "field"), Value: v}
	}
	// alone, one that is not finite becomes a text
	number := any64.Filter(func(x float64) bool { return x == x && x-x == 0 })
	switch rapid.IntRange(0, 5).Draw(t, "type") {
	case 0:
		return steer.BoolValue(rapid.Bool().Draw(t, "bool"))
	case 1:
		return steer.FloatValue(number.Draw(t, "number"))
	case 2:
		return steer.TextValue(rapid.String().Draw(t, "text"))
	case 3:
		return steer.ArrayValue(rapid.SliceOf(any64).Draw(t, "array"))
	case 4:
		return steer.Value{Type: steer.Struct, Fields: []steer.Field{
			field(steer.FloatValue(number.Draw(t, "number"))),
			field(steer.ArrayValue(rapid.SliceOf(any64).Draw(t, "array"))),
		}}
	}
	return steer.Value{}
})

var equalValues = cmp.Options{
	cmp.Comparer(func(a, b steer.Value) bool { return a.Equal(b) || sameNaN(a, b) }), cmpopts.EquateEmpty(),
}

// sameNaN reports whether two values have the same JSON: of a NaN that keeps only that it is one.
func sameNaN(a, b steer.Value) bool { return encodeValue(a) == encodeValue(b) }

func TestSteeringSurvivesTheWire(t *testing.T) {
	at := time.Unix(1700000000, 123).UTC()
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 8, -1)
		value := func(name string) steer.Value { return anyValue.Draw(t, name) }
		c := steer.Command{
			ID: text.Draw(t, "id"), Verb: steer.Set, Operation: steer.Write, Name: text.Draw(t, "name"),
			Steps: rapid.Int64().Draw(t, "steps"),
			At:    rapid.Int64().Draw(t, "at"), When: text.Draw(t, "when"), Until: rapid.Int64().Draw(t, "until"),
			Holds: rapid.Bool().Draw(t, "holds"),
			By:    "ann", From: "here", Time: at,
			Changes: []steer.Change{
				{Object: "a.b[2]", Number: 7, Value: value("value"), Expect: value("expect"), Seen: value("seen")},
			},
		}
		must.Equal(t, c, must.Value(decodeCommand(encodeCommand(c)))(t), equalValues)
		x := event.Receipt{
			ID: "a", State: event.RolledBack, Verb: steer.Switch, Name: text.Draw(t, "name"), Operation: steer.Sense,
			Iteration: 7, File: "f",
			Reason: text.Draw(t, "reason"), Steps: 3, Held: true, By: "ann", From: "here", Time: at,
			Effects: []event.Done{
				{Object: "o", Number: 3, Effect: steer.Answer, Setting: "s", Old: value("old"), New: value("new"),
					Seen: value("seen"), Argument: value("argument")},
			},
		}
		must.Equal(t, x, must.Value(event.DecodeReceipt(x.Encode()))(t), equalValues)
		o := steer.Listed{Value: value("value"), Object: steer.Object{
			Number: 5, Name: "n", Type: steer.Struct, Shape: []int{2, 3},
			Fields: []steer.Part{{Name: "p", Type: steer.Float, Unit: "K", Min: new(1.0), Max: new(2.0)}},
			Unit:   "Pa", Doc: "d", Min: new(-1.0), Max: new(4.0), Effect: steer.Numerics, Operations: steer.Operations,
			Setting: "s",
		}}
		must.Equal(t, o, decodeObject(over(t, encodeObject(o), &pb.Object{})), equalValues)
	})
}

// A receipt with a faulty field keeps the others, and says what is wrong; what is no value is a text. Of one without a
// verb its event says it.
func TestDamagedReceipt(t *testing.T) {
	for receipt, want := range map[string]string{
		`{"time": "now", "verb": "set", "effects": [{"number": "1"}, {"effect": "answer", "old": 1, "new": [1, [2]]}],
			"iteration": 5, "reason": "why"}`: "why; the receipt is damaged: json: cannot unmarshal string",
		`{"verb": "set", "effects": [{"effect": "answer", "old": {"a": [[]]}}], "iteration": 5}`: "",
	} {
		a := decodeEvent(&eventproto.Event{Kind: "command", Receipt: receipt}, Request{}).Act
		if a == nil || !a.Changes() || a.Iteration != 5 || !strings.HasPrefix(a.Reason, want) ||
			(want == "") != (a.Reason == "") {
			t.Errorf("%s: %+v", receipt, a)
		}
	}
	e := decodeEvent(&eventproto.Event{Kind: "command", Text: "by ann", Receipt: `{"verb": 7}`}, Request{})
	if e.Act != nil || !strings.HasPrefix(e.Text, "by ann; the receipt is damaged: json: ") {
		t.Errorf("%+v", e)
	}
}

// A float stays one, whatever JSON makes of it.
func TestFloatsStayFloats(t *testing.T) {
	for _, x := range []float64{5, -0.5, math.Inf(1)} {
		o := steer.Listed{Object: steer.Object{Name: "x", Type: steer.Float}, Value: steer.FloatValue(x)}
		if got := decodeObject(encodeObject(o)).Value; got.Type != steer.Float || !got.Equal(o.Value) {
			t.Errorf("%g became %v (%s)", x, got, got.Type)
		}
	}
}

// A list that is longer than one message comes whole.
func TestLongListOfObjects(t *testing.T) {
	u := steer.Update{Version: 9, Lost: 2, Gone: []int64{1}, Objects: make([]steer.Listed, 2*objectsAtOnce+1)}
	objects := 0
	parts := encodeUpdate(u, nil)
	for i, m := range parts {
		objects += len(m.Objects)
		if m.More != (i < len(parts)-1) || m.Version != 9 || m.Lost != 2 {
			t.Errorf("part %d: %d objects, more: %v", i, len(m.Objects), m.More)
		}
	}
	if objects != len(u.Objects) || len(parts) != 3 || len(parts[2].Gone) != 1 {
		t.Errorf("%d objects in %d parts", objects, len(parts))
	}
}

// What goes in brief comes as what goes whole, whatever changes: values, other parts of an object, and which objects
// there are.
func TestBriefObjects(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		sent, received := newHad(), newHad()
		now := map[int64]steer.Listed{}
		brief := 0
		for range rapid.IntRange(1, 20).Draw(t, "updates") {
			var u steer.Update
			for number := range int64(4) {
				o := now[number]
				switch rapid.SampledFrom([]string{"same", "value", "value", "whole", "gone"}).Draw(t, "what") {
				case "same":
					continue
				case "gone":
					delete(now, number)
					u.Gone = append(u.Gone, number)
					continue
				case "whole":
					o.Doc = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "doc")
				}
				o.Number = number
				o.Type = rapid.SampledFrom([]steer.Type{steer.Float, steer.Float, steer.Int, steer.Text}).Draw(t,
					"type")
				switch o.Type {
				case steer.Float:
					o.Value = steer.FloatValue(rapid.Float64().Draw(t, "x"))
				case steer.Int:
					o.Value = steer.IntValue(rapid.Int64().Draw(t, "n"))
				default:
					o.Value = steer.TextValue("t")
				}
				now[number] = o
				u.Objects = append(u.Objects, o)
			}
			var whole, short []steer.Listed
			for _, m := range encodeUpdate(u, nil) {
				whole = newHad().update(whole, m)
			}
			for _, m := range encodeUpdate(u, sent) {
				brief += len(m.Changed)
				short = received.update(short, m)
			}
			order := func(a, b steer.Listed) int { return int(a.Number - b.Number) }
			slices.SortFunc(whole, order)
			slices.SortFunc(short, order)
			if diff := cmp.Diff(whole, short); diff != "" {
				t.Fatalf("in brief it comes otherwise:\n%s", diff)
			}
		}
	})
}
