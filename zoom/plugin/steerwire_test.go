package plugin

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	eventproto "github.com/peregrine-sim/peregrine/watchdog/event/proto"
	pb "github.com/peregrine-sim/peregrine/zoom/plugin/proto"
)

// anyValue draws a value of any type: numbers of any bits, texts of any letters.
var anyValue = rapid.Custom(func(t *rapid.T) steer.Value {
	field := func(v steer.Value) steer.Field {
		return steer.Field{Name: rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "field"), Value: v}
	}
	number := any64.Filter(func(x float64) bool { return x == x && x-x == 0 }) // alone, one that is not finite becomes a text
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
			field(steer.FloatValue(number.Draw(t, "number"))), field(steer.ArrayValue(rapid.SliceOf(any64).Draw(t, "array"))),
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
			ID: text.Draw(t, "id"), Verb: steer.Set, Operation: steer.Write, Name: text.Draw(t, "name"), Steps: rapid.Int64().Draw(t, "steps"),
			At: rapid.Int64().Draw(t, "at"), When: text.Draw(t, "when"), Until: rapid.Int64().Draw(t, "until"), Holds: rapid.Bool().Draw(t, "holds"),
			By: "ann", From: "here", Time: at,
			Changes: []steer.Change{{Object: "a.b[2]", Number: 7, Value: value("value"), Expect: value("expect"), Seen: value("seen")}},
		}
		if diff := cmp.Diff(c, decodeCommand(over(t, encodeCommand(c, "r"), &pb.SteerCommand{})), equalValues); diff != "" {
			t.Fatal(diff)
		}
		x := steer.Receipt{
			ID: "a", State: steer.RolledBack, Verb: steer.Switch, Name: text.Draw(t, "name"), Operation: steer.Sense, Iteration: 7, File: "f",
			Reason: text.Draw(t, "reason"), Steps: 3, Held: true, By: "ann", From: "here", Time: at,
			Effects: []steer.Done{{Object: "o", Number: 3, Effect: steer.Answer, Setting: "s", Old: value("old"), New: value("new"), Seen: value("seen"), Argument: value("argument")}},
		}
		if diff := cmp.Diff(x, ReceiptOf(event.DecodeAct(over(t, act(x).Encode(), &eventproto.Act{}))), equalValues); diff != "" {
			t.Fatal(diff)
		}
		o := steer.Listed{Value: value("value"), Object: steer.Object{
			Number: 5, Name: "n", Type: steer.Struct, Shape: []int{2, 3}, Fields: []steer.Part{{Name: "p", Type: steer.Float, Unit: "K", Min: new(1.0), Max: new(2.0)}},
			Unit: "Pa", Doc: "d", Min: new(-1.0), Max: new(4.0), Effect: steer.Numerics, Operations: steer.Operations, Setting: "s",
		}}
		if diff := cmp.Diff(o, decodeObject(over(t, encodeObject(o), &pb.Object{})), equalValues); diff != "" {
			t.Fatal(diff)
		}
	})
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

// What goes in brief comes as what goes whole, whatever changes: values, other parts of an object, and which objects there are.
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
				o.Type = rapid.SampledFrom([]steer.Type{steer.Float, steer.Float, steer.Int, steer.Text}).Draw(t, "type")
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
