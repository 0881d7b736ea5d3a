package plugin

// The sensors of a run. Nothing reads them until one is switched on, which is done by an object of the run's registry: so they are steered as all
// else. What they find are events of the run.

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// sensing is that of one run.
type sensing struct {
	board  *sensor.Board
	solver *sensor.Solver
	emit   func(event.Event)

	mu      sync.Mutex
	central sensor.Central
	local   *sensor.Local // nil: no sensor was ever on
	stream  *sensor.Stream
	on      map[string]bool
	every   map[string]int
}

// newSensing declares the sensors of a run and registers what switches them. They are off.
func newSensing(specs []sensor.Spec, run string, r *steer.Registry, at clock.Clock, emit func(event.Event)) (*sensing, error) {
	s := &sensing{board: sensor.NewBoard(sensor.BoardOptions{Clock: at}), emit: emit, on: map[string]bool{}, every: map[string]int{}}
	for _, spec := range specs {
		spec.Off = true
		if err := s.board.Declare(spec); err != nil {
			return nil, err
		}
		s.register(spec, r)
	}
	s.solver = s.board.Solver(run)
	return s, nil
}

// register registers the switches of a sensor, which may be used at any time.
func (s *sensing) register(spec sensor.Spec, r *steer.Registry) {
	name := spec.Name
	s.every[name] = max(1, spec.Every)
	operations := []steer.Operation{steer.Read, steer.Write, steer.Actuate}
	r.Add(steer.Object{Name: "sensors." + name + ".on", Type: steer.Bool, Effect: steer.Monitor, Operations: operations, Doc: spec.Doc}, steer.Binding{
		Get: func() steer.Value {
			s.mu.Lock()
			defer s.mu.Unlock()
			return steer.BoolValue(s.on[name])
		},
		Set: func(v steer.Value) error { return s.change(name, func() { s.on[name] = v.Bool }) },
	})
	one, most := 1.0, 1e6
	r.Add(steer.Object{Name: "sensors." + name + ".every", Type: steer.Int, Min: &one, Max: &most, Effect: steer.Monitor, Operations: operations, Doc: "of so many records one is taken"}, steer.Binding{
		Get: func() steer.Value {
			s.mu.Lock()
			defer s.mu.Unlock()
			return steer.IntValue(int64(s.every[name]))
		},
		Set: func(v steer.Value) error { return s.change(name, func() { s.every[name] = int(v.Number) }) },
	})
}

// change changes what is wanted of a sensor. The first one that is switched on brings the monitor that reads them.
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
	s.stream, err = s.central.Join(sensor.Events(func(e event.Event) error {
		s.emit(e)
		return nil
	}), sensor.StreamOptions{})
	if err == nil {
		s.local, err = sensor.NewLocal(s.board, &s.central, sensor.LocalOptions{})
	}
	return err
}

// sensingTime bounds the end of a run's sensors.
const sensingTime = 2 * time.Second

// close ends the sensors with the run: what they have found is emitted before.
func (s *sensing) close() error {
	s.solver.Close()
	s.mu.Lock()
	local, stream := s.local, s.stream
	s.mu.Unlock()
	if local == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sensingTime)
	defer cancel()
	return errors.Join(local.Close(ctx), stream.Leave(ctx))
}

// encodeSensors writes declarations as the protocol has them.
func encodeSensors(specs []sensor.Spec) (list []string) {
	for _, s := range specs {
		text, err := json.Marshal(s)
		if err == nil { // all of it can be written
			list = append(list, string(text))
		}
	}
	return list
}

// decodeSensors reads them. What is none is left out: another program may know more kinds.
func decodeSensors(list []string) (specs []sensor.Spec) {
	for _, text := range list {
		var s sensor.Spec
		if json.Unmarshal([]byte(text), &s) == nil && s.Check() == nil {
			specs = append(specs, s)
		}
	}
	return specs
}
