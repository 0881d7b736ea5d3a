package sensor_test

import (
	"context"
	"fmt"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// What follows would stand in a solver's package, which does not import this one.

// Sensor takes numbers of a thread.
type Sensor = interface {
	On() bool
	Record(values ...float64)
}

// Sensors are what observes a run. A thread of the solver asks for its own.
type Sensors interface {
	Sensor(name, thread, block string) Sensor
}

// solve is a solver that halves its residual in each iteration.
func solve(sensors Sensors) {
	residual := sensors.Sensor("residual", "worker 0", "rotor")
	numbers := make([]float64, 2)
	for n := range 100 {
		numbers[0], numbers[1] = float64(n+1), 1/float64(int(1)<<(n%50))
		residual.Record(numbers...)
	}
}

// Each 25th residual of a solver reaches the rules as an event.
func ExampleBoard_Solver() {
	board := sensor.NewBoard(sensor.BoardOptions{})
	err := board.Declare(sensor.Spec{
		Name: "residual", Kind: sensor.Extended, Event: event.Iteration,
		Fields: []sensor.Field{{Name: "iteration"}, {Name: "residual"}},
		Filter: sensor.Filter{Op: sensor.EveryNth, N: 25},
	})
	if err != nil {
		panic(err)
	}
	var central sensor.Central
	local, err := sensor.NewLocal(board, &central, sensor.LocalOptions{})
	if err != nil {
		panic(err)
	}
	stream, err := central.Join(sensor.Events(func(e event.Event) error {
		fmt.Println(e.Run, e.Kind, e.Sensor.Thread, e.Values["iteration"], e.Values["residual"])
		return nil
	}), sensor.StreamOptions{Only: sensor.Selector{Sensor: "resid*"}})
	if err != nil {
		panic(err)
	}

	sensors := board.Solver("fan-1")
	solve(sensors)
	sensors.Close()

	ctx := context.Background()
	if err := local.Close(ctx); err != nil {
		panic(err)
	}
	if err := stream.Leave(ctx); err != nil {
		panic(err)
	}
	// Output:
	// fan-1 iteration worker 0 25 5.960464477539063e-08
	// fan-1 iteration worker 0 50 1.7763568394002505e-15
	// fan-1 iteration worker 0 75 5.960464477539063e-08
	// fan-1 iteration worker 0 100 1.7763568394002505e-15
}
