package event

// The outcome of a command to a run. A receipt is the answer to the command, and the run's record holds its JSON.

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is the state of a command.
type State string

// The states. All after Armed are final.
const (
	Accepted    State = "accepted"
	Armed       State = "armed" // waits for its iteration or condition
	Applied     State = "applied"
	Refused     State = "refused"
	RolledBack  State = "rolled_back" // a postcondition did not hold; all is as it was
	Overtaken   State = "overtaken"   // by a later command to the same objects
	Expired     State = "expired"
	Late        State = "late"        // the run was over, or past its iteration
	Unconfirmed State = "unconfirmed" // it was passed on, and its effect is unknown
)

// Final reports whether no other state follows.
func (s State) Final() bool { return s != Accepted && s != Armed }

// Verb is the kind of a command, Operation a possible operation on an object, and Effect the effect of a change of it.
// Package zoom/steer has their values.
type (
	Verb      string
	Operation string
	Effect    string
)

// Receipt reports the outcome of a command.
type Receipt struct {
	ID        string    `json:"id"`
	State     State     `json:"state"`
	Verb      Verb      `json:"verb"`
	Name      string    `json:"name,omitempty"`      // of a checkpoint or synch point
	Operation Operation `json:"operation,omitempty"` // that was switched
	Iteration int64     `json:"iteration"`           // at whose end it was done; 0: before the first, or not yet
	Effects   []Done    `json:"effects,omitempty"`
	File      string    `json:"file,omitempty"` // that a checkpoint wrote, relative to the run folder
	Reason    string    `json:"reason,omitempty"`
	Steps     int64     `json:"steps,omitempty"`
	// pause, resume, step, sync, release: the run is held afterwards, or will be after its steps
	Held bool   `json:"held,omitempty"`
	By   string `json:"by,omitempty"`
	From string `json:"from,omitempty"`
	// the in-process rule that issued the command; such changes are part of the request
	Rule string    `json:"rule,omitempty"`
	Time time.Time `json:"time"`
}

// Done is the outcome for an object.
type Done struct {
	Object   string `json:"object"` // its name, with the place inside it: limits.k4[2]
	Number   int64  `json:"number"`
	Effect   Effect `json:"effect,omitempty"`
	Setting  string `json:"setting,omitempty"` // of the request, whose value the whole object is
	Old      Value  `json:"old,omitzero"`
	New      Value  `json:"new,omitzero"`      // get: the value read; call: the value returned
	Seen     Value  `json:"seen,omitzero"`     // by the sender of the command
	Argument Value  `json:"argument,omitzero"` // call
}

// Changes reports whether the run's answer may depend on the command: whether it changed the numerics or the answer
// itself.
func (r *Receipt) Changes() bool {
	changing := []Verb{"set", "write", "call"}
	return slices.Contains(changing, r.Verb) && slices.ContainsFunc(r.Effects, func(d Done) bool {
		return (d.Effect == "numerics" || d.Effect == "answer") && (r.Verb == "call" || !d.Old.Equal(d.New))
	})
}

// Encode returns the receipt's JSON, as it travels.
func (r *Receipt) Encode() string {
	text, _ := json.Marshal(r) // of such a struct it does not fail
	return string(text)
}

// DecodeReceipt is the inverse of Encode. A field that cannot be read is empty, and the receipt's Reason reports it.
// The error reports a text without a readable verb.
func DecodeReceipt(text string) (r Receipt, err error) {
	type fields Receipt
	x := struct {
		*fields
		Effects []json.RawMessage `json:"effects"` // a fault in these two would end the decoding of the others
		Time    json.RawMessage   `json:"time"`
	}{fields: (*fields)(&r)}
	problems := []error{json.Unmarshal([]byte(text), &x)}
	for _, effect := range x.Effects {
		var d Done
		problems = append(problems, json.Unmarshal(effect, &d))
		r.Effects = append(r.Effects, d)
	}
	if x.Time != nil {
		problems = append(problems, json.Unmarshal(x.Time, &r.Time))
	}
	if err = errors.Join(problems...); err == nil {
		return r, nil
	}
	err = fmt.Errorf("the receipt is damaged: %w", err)
	if r.Verb == "" {
		return Receipt{}, err
	}
	r.Reason = strings.TrimPrefix(r.Reason+"; "+err.Error(), "; ")
	return r, nil
}

// UnmarshalJSON implements [json.Unmarshaler]. JSON that is no value becomes a Text: a receipt is read whatever a
// plugin has put into its values.
func (d *Done) UnmarshalJSON(data []byte) error {
	type fields Done
	x := struct {
		*fields
		Old      lenient `json:"old"`
		New      lenient `json:"new"`
		Seen     lenient `json:"seen"`
		Argument lenient `json:"argument"`
	}{fields: (*fields)(d)}
	err := json.Unmarshal(data, &x)
	d.Old, d.New, d.Seen, d.Argument = Value(x.Old), Value(x.New), Value(x.Seen), Value(x.Argument)
	return err
}

// lenient is a value of a receipt.
type lenient Value

func (v *lenient) UnmarshalJSON(data []byte) error {
	if (*Value)(v).UnmarshalJSON(data) != nil {
		*v = lenient{Type: Text, Text: string(data)}
	}
	return nil
}
