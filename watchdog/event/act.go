package event

// What was done to a run by command, for the record. The types mirror those of zoom/steer, which this package does
// not know: values are JSON texts here.

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event/proto"
)

// Act is what has become of a command.
type Act struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Verb      string `json:"verb"`
	Name      string `json:"name,omitempty"`      // of a checkpoint or synch point
	Operation string `json:"operation,omitempty"` // that was switched
	Iteration int64  `json:"iteration"`           // at whose end it was done; 0: before the first, or not at all
	Effects   []Done `json:"effects,omitempty"`
	File      string `json:"file,omitempty"` // that a checkpoint wrote, relative to the run folder
	Reason    string `json:"reason,omitempty"`
	Steps     int64  `json:"steps,omitempty"`
	// pause, resume, step, sync, release: something holds the run afterwards
	Held bool   `json:"held,omitempty"`
	By   string `json:"by,omitempty"`
	From string `json:"from,omitempty"`
	// that the run judges itself and that gave the command: it is of what was asked for, and no other's doing
	Rule string    `json:"rule,omitempty"`
	Time time.Time `json:"time"`
}

// Done is what has become of one object.
type Done struct {
	Object   string          `json:"object"`
	Number   int64           `json:"number"`
	Effect   string          `json:"effect,omitempty"`  // numerics, answer or monitor
	Setting  string          `json:"setting,omitempty"` // of the request, whose value the whole object is
	Old      json.RawMessage `json:"old,omitempty"`
	New      json.RawMessage `json:"new,omitempty"`
	Seen     json.RawMessage `json:"seen,omitempty"`
	Argument json.RawMessage `json:"argument,omitempty"`
}

// Verbs of acts that change objects.
var changing = []string{"set", "write", "call"}

// Changes reports whether the run's answer may depend on the act: whether something by which it is computed, or which
// is computed, became another.
func (a *Act) Changes() bool {
	return slices.Contains(changing, a.Verb) && slices.ContainsFunc(a.Effects, func(d Done) bool {
		return (d.Effect == "numerics" || d.Effect == "answer") && (a.Verb == "call" || !bytes.Equal(d.Old, d.New))
	})
}

// Encode returns the message of an act; nil of none.
func (a *Act) Encode() *proto.Act {
	if a == nil {
		return nil
	}
	m := &proto.Act{
		Id: valid(a.ID), State: valid(a.State), Verb: valid(a.Verb), Name: valid(a.Name),
		Operation: valid(a.Operation), Iteration: a.Iteration,
		File: valid(a.File), Reason: valid(a.Reason), Steps: a.Steps, Held: a.Held, By: valid(a.By),
		From: valid(a.From), TimeNanos: a.Time.UnixNano(), Rule: valid(a.Rule),
	}
	for _, d := range a.Effects {
		m.Effects = append(m.Effects, &proto.Done{
			Object: valid(d.Object), Number: d.Number, Effect: valid(d.Effect), Setting: valid(d.Setting),
			Old: valid(string(d.Old)), New: valid(string(d.New)), Seen: valid(string(d.Seen)),
			Argument: valid(string(d.Argument)),
		})
	}
	return m
}

// DecodeAct returns the act of a message; nil of none.
func DecodeAct(m *proto.Act) *Act {
	if m == nil {
		return nil
	}
	a := &Act{
		ID: m.GetId(), State: m.GetState(), Verb: m.GetVerb(), Name: m.GetName(), Operation: m.GetOperation(),
		Iteration: m.GetIteration(),
		File:      m.GetFile(), Reason: m.GetReason(), Steps: m.GetSteps(), Held: m.GetHeld(), By: m.GetBy(),
		From: m.GetFrom(), Time: time.Unix(0, m.GetTimeNanos()).UTC(), Rule: m.GetRule(),
	}
	for _, d := range m.GetEffects() {
		a.Effects = append(a.Effects, Done{
			Object: d.GetObject(), Number: d.GetNumber(), Effect: d.GetEffect(), Setting: d.GetSetting(),
			Old: raw(d.GetOld()), New: raw(d.GetNew()), Seen: raw(d.GetSeen()), Argument: raw(d.GetArgument()),
		})
	}
	return a
}

// raw returns a JSON text; one that is none, as a plugin's own text, so that the event can be written.
func raw(text string) json.RawMessage {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // of a string it does not fail
	return quoted
}
