package plugin

// The sensors of a run. They are read only after one is switched on, by an object of the run's registry: so they are
// steered like other objects. Their findings are events of the run.

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/clock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// SensorsFile is the file of a run folder that has the records of its sensors in a compact form; see [sensor.Writer].
const SensorsFile = "sensors.bin"

// MarksFile is the file of a run folder that has the marks of a described program. MarksVariable is the environment
// variable that names it to the program.
const (
	MarksFile     = "marks.txt"
	MarksVariable = "PEREGRINE_TRACE"
)

// sensing holds the sensors of one run.
type sensing struct {
	board  *sensor.Board
	emit   func(event.Event)
	folder string

	mu      sync.Mutex
	on      map[string]bool
	every   map[string]int
	filed   bool             // records go into the file
	how     sensor.Recording // of the file
	picked  string           // of sensors.record
	monitor *sensor.Monitor  // nil: no sensor was ever on

	out      sync.Mutex // the monitor holds it over a batch
	file     *os.File   // nil: records are events
	recorder *sensor.Recorder
}

// newSensing declares the sensors of a run and registers their switches. They are off.
func newSensing(specs []sensor.Spec, run, folder string, r *steer.Registry, at clock.Clock,
	emit func(event.Event)) (*sensing, error) {
	board, err := sensor.NewBoard(run, at, specs...)
	if err != nil {
		return nil, err
	}
	s := &sensing{board: board, folder: folder, emit: emit, on: map[string]bool{}, every: map[string]int{}}
	for _, spec := range specs {
		s.register(spec, r)
	}
	s.setting(r, steer.Object{Name: "file", Type: steer.Bool, Operations: []steer.Operation{steer.Read, steer.Actuate},
		Doc: "records go into the file " + SensorsFile + ", a tenth of the bytes, and are no events"},
		func() steer.Value { return steer.BoolValue(s.filed) }, nil,
		func(v steer.Value) error { return s.toFile(v.Bool) })
	s.recording(specs, r)
	return s, nil
}

// toFile sends the records into a file, or makes them events of the run again. The caller holds the lock mu.
func (s *sensing) toFile(file bool) (err error) {
	if file == s.filed {
		return nil
	}
	s.out.Lock()
	defer s.out.Unlock()
	if !file {
		s.filed = false
		return s.endFile("the file was closed by command")
	}
	s.file, err = private.Create(filepath.Join(s.folder, SensorsFile))
	if err != nil {
		s.file = nil
		return err
	}
	s.recorder, s.filed = sensor.NewRecorder(s.board, s.file, s.how), true
	return nil
}

// endFile ends the file, if there is one. The caller holds the lock out.
func (s *sensing) endFile(why string) error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.recorder.Close(why), s.file.Close())
	s.file, s.recorder = nil, nil
	return err
}

// take writes a batch into the file, or makes events of it. Reports of the monitor are always events.
func (s *sensing) take(b sensor.Batch) {
	s.out.Lock()
	defer s.out.Unlock()
	if s.recorder != nil {
		s.recorder.Take(b)
		b.Records = nil
	}
	for e := range b.All() {
		s.emit(e)
	}
}

// register registers the switches of a sensor, which may be used at any time.
func (s *sensing) register(spec sensor.Spec, r *steer.Registry) {
	name := spec.Name
	s.every[name] = max(1, spec.Every)
	s.setting(r, steer.Object{Name: name + ".on", Type: steer.Bool, Doc: spec.Doc},
		func() steer.Value { return steer.BoolValue(s.on[name]) }, nil, func(v steer.Value) error {
			if v.Bool && spec.Kind != sensor.Tracing { // only the file has other kinds of records
				if err := s.toFile(true); err != nil {
					return err
				}
			}
			s.change(name, func() { s.on[name] = v.Bool })
			return nil
		})
	one, most := 1.0, 1e6
	s.setting(r, steer.Object{Name: name + ".every", Type: steer.Int, Min: &one, Max: &most,
		Doc: "of so many records one is taken"},
		func() steer.Value { return steer.IntValue(int64(s.every[name])) }, nil, func(v steer.Value) error {
			s.change(name, func() { s.every[name] = int(v.Number) })
			return nil
		})
}

// setting registers an object of the sensors, whose functions have the lock mu.
func (s *sensing) setting(r *steer.Registry, o steer.Object, get func() steer.Value,
	check, set func(steer.Value) error) {
	o.Name, o.Effect = "sensors."+o.Name, steer.Monitor
	if o.Operations == nil {
		o.Operations = []steer.Operation{steer.Read, steer.Write, steer.Actuate}
	}
	r.Add(o, steer.Binding{Check: check, Get: func() steer.Value {
		s.mu.Lock()
		defer s.mu.Unlock()
		return get()
	},
		Set: func(v steer.Value) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			return set(v)
		},
	})
}

// change changes the setting of a sensor. Switching on the first sensor starts the monitor that reads all. The caller
// holds the lock mu.
func (s *sensing) change(name string, f func()) {
	f()
	if s.on[name] && s.monitor == nil {
		s.monitor = sensor.NewMonitor(s.board, s.take)
	}
	s.board.Switch(name, s.on[name], s.every[name])
}

// close ends the sensors with the run, whose registry is closed. It emits their last records first.
func (s *sensing) close() error {
	s.mu.Lock()
	monitor := s.monitor
	s.mu.Unlock()
	if monitor != nil {
		monitor.Close()
	}
	s.out.Lock()
	defer s.out.Unlock()
	return s.endFile("the run's end")
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
