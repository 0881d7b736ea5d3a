// Package sensor takes numbers out of a running solver and brings them to rules, displays, files and clients, at a
// known and limited cost. Its terms are those of Falcon (W. Gu, G. Eisenhauer, K. Schwan, J. Vetter, Falcon: On-line
// Monitoring for Steering Parallel Programs, Concurrency: Practice and Experience 10, 1998).
//
// A sensor is declared by a name, fields and units. A sampling sensor ([Counter], [Value]) is a place in memory that
// the monitor reads now and then. A tracing sensor ([Tracing]) makes a record each time. An extended sensor
// ([Extended]) filters its records first and passes few. A sensor has an [Instance] in each thread of a run, for each
// block of its mesh. Each can be switched on and off and given another rate while the solver runs ([Board.Switch]).
//
//	thread -> ring --+
//	thread -> ring --+--> Local --> Central --+--> rules
//	thread -> ring --+  (monitors)            +--> display
//	                                          +--> Writer ~~ another process ~~> Reader --> Central --> ...
//
// A thread writes records into its own ring. It takes no lock, allocates no memory and never waits, unless the sensor
// is declared with [Wait]. The [Local] monitors of the process read the rings and pass the records to a [Sink]. A
// [Central] monitor is a sink that any number of others join and leave at run time. A [Writer] and a [Reader] join the
// central monitors of two processes. A [Record] is an event in a compact form, and [Record.Event] converts it.
//
// # A solver's thread
//
// Packages below components must not import this package. A solver declares the types that it needs, as an alias, so
// that both packages mean the same type:
//
//	// Sensor takes numbers of a thread.
//	type Sensor = interface {
//		On() bool
//		Record(values ...float64)
//	}
//
//	// Sensors are the observers of a run. A thread of the solver requests its own.
//	type Sensors interface {
//		Sensor(name, thread, block string) Sensor
//	}
//
// [Board.Solver] returns a [Solver], which satisfies it. The thread keeps the sensor, and a slice for its numbers,
// because arguments of a call through an interface would be allocated on the heap:
//
//	residual := sensors.Sensor("residual", "worker 0", "rotor")
//	numbers := make([]float64, 2)
//	for n := range iterations {
//		numbers[0], numbers[1] = float64(n), step()
//		residual.Record(numbers...)
//	}
//
// # Cost
//
// The thread pays for two things: the record, and the wake of a sleeping monitor, which takes some microseconds. So the
// first record wakes a sleeping monitor, which has it within some ten microseconds. The monitor continues to look while
// it finds records. Else it dozes for a millisecond at a time, in which no record wakes it, until it finds none after a
// doze. The share of sensors in a thread's time is measured, and a budget ([DefaultBudget]) lowers the rate of the most
// expensive sensor and reports it by an event of kind [event.Rate].
//
// If a solver keeps all processors busy, a monitor runs when Go's scheduler lets it, some ten milliseconds later: leave
// one processor free if sinks need records sooner.
package sensor
