package plugin

// The recording of a run's sensors: objects of the run's registry, so that it is steered like others.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// recording registers the objects of a recording.
func (s *sensing) recording(specs []sensor.Spec, r *steer.Registry) {
	s.text(r, "record", "sensors that are recorded in the file: all, none, or names and kinds of sensors",
		func() string { return s.picked }, func(text string) error { return pickable(specs, text) },
		func(text string) error { return s.pick(specs, text) })
	s.text(r, "mode", "when records are written: "+spell.List(document.Texts(recording.Modes()), "or"),
		func() string { return string(s.how.Mode) }, func(text string) error {
			if text != "" && !slices.Contains(document.Texts(recording.Modes()), text) {
				return fmt.Errorf("want %s", spell.List(document.Texts(recording.Modes()), "or"))
			}
			return nil
		}, func(text string) error {
			s.how.Mode = recording.Mode(text)
			return s.rerecord()
		})
	s.text(r, "threads", "threads that are recorded, separated by commas; empty: all",
		func() string { return strings.Join(s.how.Threads, ",") }, func(string) error { return nil },
		func(text string) error {
			s.how.Threads = split(text)
			return s.rerecord()
		})
	how := &s.how
	number(s, r, "buffer", "", "records that are kept before they are written; 0: as the mode needs", 1e7, 1,
		&how.Buffer)
	number(s, r, "quota.records", "", "most records in the file; 0: any number", 1e15, 1, &how.Records)
	number(s, r, "quota.bytes", "B", "size of the file at most; 0: any", 1e15, 1, &how.Bytes)
	number(s, r, "period", "s", "time between two writes of the mode periodic; 0: a second", 1e9, time.Second,
		&how.Period)
	number(s, r, "begin", "s", "time of the run from which is recorded", 1e9, time.Second, &how.Begin)
	number(s, r, "end", "s", "and to which; 0: the run's end", 1e9, time.Second, &how.End)
}

// split splits a text at its commas.
func split(text string) (list []string) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// pickable returns why a text is no list of sensors to record.
func pickable(specs []sensor.Spec, text string) error {
	known := append(document.Texts(recording.Kinds()), "all", "none")
	for _, spec := range specs {
		known = append(known, spec.Name)
	}
	for _, w := range split(text) {
		if !slices.Contains(known, w) {
			return fmt.Errorf("no sensor has the name or the kind %q%s", w, spell.Hint(w, known))
		}
	}
	return nil
}

// pick switches on the sensors that a text has, and the others off. The file gets the records of the former.
func (s *sensing) pick(specs []sensor.Spec, text string) error {
	picked := split(text)
	has := func(w string) bool { return slices.Contains(picked, w) }
	s.picked = text
	for _, spec := range specs {
		on := !has("none") && (has("all") || has(spec.Name) || has(string(spec.Kind)))
		if on {
			if err := s.toFile(true); err != nil {
				return err
			}
		}
		s.change(spec.Name, func() { s.on[spec.Name] = on })
	}
	return nil
}

// rerecord gives the recorder its changed setting.
func (s *sensing) rerecord() error {
	s.out.Lock()
	defer s.out.Unlock()
	if s.recorder != nil {
		s.recorder.Change(s.how)
	}
	return nil
}

func (s *sensing) text(r *steer.Registry, name, doc string, get func() string, check, set func(string) error) {
	s.setting(r, steer.Object{Name: name, Type: steer.Text, Doc: doc},
		func() steer.Value { return steer.TextValue(get()) },
		func(v steer.Value) error { return check(v.Text) }, func(v steer.Value) error { return set(v.Text) })
}

// number registers a number, which is held in so many parts of its unit.
func number[T int | uint64 | int64 | time.Duration](s *sensing, r *steer.Registry, name, unit, doc string,
	most float64, parts T, at *T) {
	least := 0.0
	s.setting(r, steer.Object{Name: name, Type: steer.Float, Unit: unit, Doc: doc, Min: &least, Max: &most},
		func() steer.Value { return steer.FloatValue(float64(*at) / float64(parts)) }, nil, func(v steer.Value) error {
			*at = T(v.Number * float64(parts))
			if s.how.Bytes > 0 {
				s.how.Bytes = max(s.how.Bytes, recording.LeastBytes)
			}
			return s.rerecord()
		})
}
