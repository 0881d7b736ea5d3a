package plugin

// The sensors of a run. They are read only after one is switched on, by an object of the run's registry: so they are
// steered like other objects. Their findings are events of the run.

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// SensorsFile is the file of a run folder that has the records of its sensors in a compact form; see [sensor.Writer].
const SensorsFile = "sensors.bin"

// sensing holds the sensors of one run.
type sensing struct {
	board  *sensor.Board
	solver *sensor.Solver
	emit   func(event.Event)

	mu      sync.Mutex
	central sensor.Central
	local   *sensor.Local  // nil: no sensor was ever on
	said    *sensor.Stream // of the monitors' own events
	events  *sensor.Stream // of records as events; nil: a file has them
	folder  string
	file    *os.File       // nil: records are events
	compact *sensor.Stream // into it
	on      map[string]bool
	every   map[string]int
}

// newSensing declares the sensors of a run and registers their switches. They are off.
func newSensing(specs []sensor.Spec, run, folder string, r *steer.Registry, at clock.Clock,
	emit func(event.Event)) (*sensing, error) {
	s := &sensing{board: sensor.NewBoard(sensor.BoardOptions{Clock: at}), folder: folder, emit: emit,
		on: map[string]bool{}, every: map[string]int{}}
	for _, spec := range specs {
		spec.Off = true
		if err := s.board.Declare(spec); err != nil {
			return nil, err
		}
		s.register(spec, r)
	}
	s.solver = s.board.Solver(run)
	r.Add(steer.Object{
		Name: "sensors.file", Type: steer.Bool, Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Read, steer.Actuate},
		Doc:        "records go into the file " + SensorsFile + ", a tenth of the bytes, and are no events",
	}, steer.Binding{
		Get: func() steer.Value {
			s.mu.Lock()
			defer s.mu.Unlock()
			return steer.BoolValue(s.file != nil)
		},
		Set: func(v steer.Value) error { return s.toFile(v.Bool) },
	})
	return s, nil
}

// toFile sends the records into a file, or makes them events of the run again. Records during the change may be both.
func (s *sensing) toFile(file bool) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case file && s.file == nil:
		if s.file, err = os.OpenFile(filepath.Join(s.folder, SensorsFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY,
			0o644); err != nil {
			return err
		}
		if s.compact, err = s.central.Join(sensor.NewWriter(s.file), sensor.StreamOptions{}); err == nil {
			err = leave(&s.events)
		}
	case !file && s.file != nil:
		if s.local != nil {
			err = s.asEvents()
		}
		err = errors.Join(err, s.endFile())
	}
	return err
}

// asEvents makes an event of each record. The caller holds the lock.
func (s *sensing) asEvents() (err error) {
	s.events, err = s.central.Join(sensor.Func(func(ctx context.Context, b sensor.Batch) error {
		b.Events = nil
		return sensor.Events(s.take).Take(ctx, b)
	}), sensor.StreamOptions{})
	return err
}

// endFile ends the file. The caller holds the lock.
func (s *sensing) endFile() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(leave(&s.compact), s.file.Close())
	s.file = nil
	return err
}

// leave ends a stream after it has passed on its content.
func leave(s **sensor.Stream) error {
	if *s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sensingTime)
	defer cancel()
	err := (*s).Leave(ctx)
	*s = nil
	return err
}

func (s *sensing) take(e event.Event) error {
	s.emit(e)
	return nil
}

// register registers the switches of a sensor, which may be used at any time.
func (s *sensing) register(spec sensor.Spec, r *steer.Registry) {
	name := spec.Name
	s.every[name] = max(1, spec.Every)
	operations := []steer.Operation{steer.Read, steer.Write, steer.Actuate}
	r.Add(steer.Object{Name: "sensors." + name + ".on", Type: steer.Bool, Effect: steer.Monitor,
		Operations: operations, Doc: spec.Doc}, steer.Binding{
		Get: func() steer.Value {
			s.mu.Lock()
			defer s.mu.Unlock()
			return steer.BoolValue(s.on[name])
		},
		Set: func(v steer.Value) error { return s.change(name, func() { s.on[name] = v.Bool }) },
	})
	one, most := 1.0, 1e6
	r.Add(steer.Object{Name: "sensors." + name + ".every", Type: steer.Int, Min: &one, Max: &most,
		Effect: steer.Monitor, Operations: operations, Doc: "of so many records one is taken"}, steer.Binding{
		Get: func() steer.Value {
			s.mu.Lock()
			defer s.mu.Unlock()
			return steer.IntValue(int64(s.every[name]))
		},
		Set: func(v steer.Value) error { return s.change(name, func() { s.every[name] = int(v.Number) }) },
	})
}

// change changes the setting of a sensor. Switching on the first sensor starts the monitor that reads all.
func (s *sensing) change(name string, f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	if s.on[name] && s.local == nil {
		if err := s.attend(); err != nil {
			return err
		}
	}
	_, err := s.board.Switch(sensor.Selector{Sensor: name}, sensor.Setting{Off: !s.on[name], Every: s.every[name]})
	return err
}

// attend starts the monitor. The caller holds the lock.
func (s *sensing) attend() (err error) {
	s.said, err = s.central.Join(sensor.Func(func(ctx context.Context, b sensor.Batch) error {
		b.Records = nil
		return sensor.Events(s.take).Take(ctx, b)
	}), sensor.StreamOptions{})
	if err == nil && s.file == nil {
		err = s.asEvents()
	}
	if err == nil {
		s.local, err = sensor.NewLocal(s.board, &s.central, sensor.LocalOptions{})
	}
	return err
}

// sensingTime bounds the end of a run's sensors.
const sensingTime = 2 * time.Second

// close ends the sensors with the run. It emits their last findings first.
func (s *sensing) close() error {
	s.solver.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.local != nil {
		ctx, cancel := context.WithTimeout(context.Background(), sensingTime)
		defer cancel()
		err = s.local.Close(ctx)
	}
	return errors.Join(err, leave(&s.events), leave(&s.said), s.endFile())
}

// encodeSensors writes declarations in the form of the protocol.
func encodeSensors(specs []sensor.Spec) (list []string) {
	for _, s := range specs {
		text, err := json.Marshal(s)
		if err == nil { // all of it can be written
			list = append(list, string(text))
		}
	}
	return list
}

// decodeSensors reads declarations. It skips unknown ones: another program may have more kinds.
func decodeSensors(list []string) (specs []sensor.Spec) {
	for _, text := range list {
		var s sensor.Spec
		if json.Unmarshal([]byte(text), &s) == nil && s.Check() == nil {
			specs = append(specs, s)
		}
	}
	return specs
}
