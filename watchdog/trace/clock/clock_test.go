package clock

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, within)
	}
}

// The bounds of a pair are those of its messages: A to B gives o_B >= s - r, back o_B <= r - s.
func TestPair(t *testing.T) {
	list := Find([]Message{
		{"A", "B", 10, 7}, {"A", "B", 20, 16.5}, // o >= 3, 3.5
		{"B", "A", 30, 34}, {"B", "A", 40, 44.5}, // o <= 4, 4.5
	})
	a, b := list[0], list[1]
	if a.Process != "A" || a.Offset != 0 || !a.Consistent || b.Process != "B" || !b.Consistent || b.Drift != 0 {
		t.Fatalf("got %+v", list)
	}
	near(t, "low", b.Low, 3.5, 1e-12)
	near(t, "high", b.High, 4, 1e-12)
	near(t, "offset", b.Offset, 3.75, 1e-12)
}

// A message by way of a third process narrows the bounds.
func TestThird(t *testing.T) {
	list := Find([]Message{
		{"A", "B", 0, 1}, {"B", "A", 0, 9}, // -1 <= o_B <= 9
		{"A", "C", 5, 6}, {"C", "A", 5, 6}, // -1 <= o_C <= 1
		{"C", "B", 10, 8}, // o_B >= o_C + 2 >= 1
	})
	near(t, "low of B", list[1].Low, 1, 1e-12)
	near(t, "high of B", list[1].High, 9, 1e-12)
}

// An empty interval is reported.
func TestContradiction(t *testing.T) {
	for _, messages := range [][]Message{
		{{"A", "B", 10, 5}, {"B", "A", 5, 6}},                                               // o_B >= 5 and <= 1
		{{"A", "B", 0, 1}, {"A", "C", 0, 1}, {"B", "C", 10, 5}, {"C", "B", 10, 5}},          // B and C
		{{"A", "B", 0, 1}, {"B", "A", 100, 90}, {"A", "B", 200, 201}, {"B", "A", 300, 290}}, // each for itself
	} {
		bad := 0
		for _, o := range Find(messages) {
			if !o.Consistent {
				bad++
			}
		}
		if bad == 0 {
			t.Errorf("%v: no process is inconsistent", messages)
		}
	}
}

// Messages in one direction bound one side.
func TestOneDirection(t *testing.T) {
	list := Find([]Message{{"A", "B", 10, 8}})
	if list[1].Low != 2 || !math.IsInf(list[1].High, 1) || list[1].Offset != 2 || !list[1].Consistent {
		t.Errorf("got %+v", list[1])
	}
	text, err := json.Marshal(list[1])
	if err != nil || string(text) !=
		`{"process":"B","offset":2,"drift":0,"at":8,"consistent":true,"low":2,"high":null}` {
		t.Errorf("got %s, %v", text, err)
	}
}

// A clock that is slower by 2e-4: no offset satisfies the messages, the line does.
func TestDrift(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const drift, offset = 2e-4, 5.0
	local := func(at float64) float64 { return (at - offset) / (1 + drift) } // at = local + offset + drift local
	var messages []Message
	for i := range 200 {
		at := float64(i)
		messages = append(messages,
			Message{"A", "B", at, local(at + 1e-3 + 1e-3*random.Float64())},
			Message{"B", "A", local(at + 0.5), at + 0.501 + 1e-3*random.Float64()})
	}
	b := Find(messages)[1]
	if !b.Consistent {
		t.Fatalf("got %+v", b)
	}
	near(t, "drift", b.Drift, drift, 1e-5)
	near(t, "offset", b.Offset, offset+drift*b.At, 2e-3)
	if b.Low > offset+drift*b.At || b.High < offset+drift*b.At {
		t.Errorf("the true offset is outside of %v to %v", b.Low, b.High)
	}
}

// The true offsets are within the bounds for any messages.
func TestTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		truth := map[string]float64{"A": 0}
		names := []string{"A", "B", "C", "D"}
		for _, n := range names[1:] {
			truth[n] = 100 * random.NormFloat64()
		}
		messages := []Message{{"A", "B", 0, 1 - truth["B"]}}
		for range 40 {
			from, to := names[random.IntN(4)], names[random.IntN(4)]
			if from == to {
				continue
			}
			at := 1000 * random.Float64()
			messages = append(messages, Message{from, to, at - truth[from], at + random.ExpFloat64() - truth[to]})
		}
		for _, o := range Find(messages) {
			if x := truth[o.Process]; x < o.Low-1e-9 || x > o.High+1e-9 || !o.Consistent || o.Drift != 0 {
				t.Fatalf("%s is %v apart; got %+v", o.Process, x, o)
			}
		}
	}
}
