package trace

import "github.com/peregrine-sim/peregrine/watchdog/event"

// Executive is the name of the process that plans the runs of a study.
const Executive = "executive"

// OfEvent is a study's event as a record. The attempts of runs are processes, which are in the region "run" from their
// start to their end; the study is a region of the executive. Seconds are since 1970.
func OfEvent(e *event.Event) Record {
	at := float64(e.Time.UnixNano()) / 1e9
	r := Record{
		Time: at, Measured: at + e.Skew, Host: e.Host, Process: e.Run, Seq: uint64(max(e.Seq, 0)), Kind: Marker,
		Name: string(e.Kind), Values: map[string]any{},
	}
	if r.Process == "" {
		r.Process = Executive
	}
	for name, x := range e.Values {
		r.Values[name] = x
	}
	note := func(name, text string) {
		if text != "" {
			r.Values[name] = text
		}
	}
	note("class", string(e.Class))
	note("name", e.Name)
	note("component", e.Component)
	note("text", e.Text)
	switch e.Kind {
	case event.StudyBegun:
		r.Kind, r.Name = Enter, "study"
	case event.StudyEnded:
		r.Kind, r.Name = Leave, "study"
	case event.Started:
		r.Kind, r.Name = Enter, "run"
		if e.Waited > 0 {
			r.Values["waited"] = e.Waited
		}
	case event.Ended:
		r.Kind, r.Name = Leave, "run"
		r.Values["wall"] = e.Wall
	case event.Iteration:
		r.Kind = Count
	case event.Sensed:
		r.Kind, r.Name = Count, e.Name
		if e.Sensor != nil {
			r.Thread = e.Sensor.Thread
		}
	}
	if len(r.Values) == 0 {
		r.Values = nil
	}
	return r
}
