// Package sensor takes numbers out of a running solver and brings them to rules, displays, files and clients,
// at a price that is known and kept. Its words are those of Falcon (W. Gu, G. Eisenhauer, K. Schwan, J.
// Vetter, Falcon: On-line Monitoring for Steering Parallel Programs, Concurrency: Practice and Experience 10,
// 1998).
//
// A sensor is declared by a name, fields and units. A sampling sensor ([Counter], [Value]) is a place in
// memory that the monitor reads now and then; a tracing sensor ([Tracing]) makes a record each time; an
// extended one ([Extended]) looks at each record first and lets few through. A sensor has an [Instance] in
// each thread of a run, for each block of its mesh. Each can be switched on and off and given another rate
// while the solver runs ([Board.Switch]).
//
//	thread -> ring --+
//	thread -> ring --+--> Local --> Central --+--> rules
//	thread -> ring --+  (monitors)            +--> display
//	                                          +--> Writer ~~ another process ~~> Reader --> Central --> ...
//
// A thread writes records into a ring of its own. It takes no lock, allocates nothing and waits for nobody,
// unless the sensor is declared so ([Wait]). The [Local] monitors of the process read the rings and hand what
// they find to a [Sink]. A [Central] monitor is a sink to which any number of others join, and which they
// leave, at run time. A [Writer] and a [Reader] join the central monitors of two processes. A [Record] is an
// event in a compact form, and [Record.Event] makes it one.
//
// # A solver's thread
//
// Packages below components must not import this one. A solver declares what it needs of it, as an alias, so
// that both packages mean the same type:
//
//	// Sensor takes numbers of a thread.
//	type Sensor = interface {
//		On() bool
//		Record(values ...float64)
//	}
//
//	// Sensors are what observes a run. A thread of the solver asks for its own.
//	type Sensors interface {
//		Sensor(name, thread, block string) Sensor
//	}
//
// [Board.Solver] returns a [Solver], which satisfies it. The thread keeps what it got, and a slice for its
// numbers, as arguments of a call by way of an interface would go to the heap:
//
//	residual := sensors.Sensor("residual", "worker 0", "rotor")
//	numbers := make([]float64, 2)
//	for n := range iterations {
//		numbers[0], numbers[1] = float64(n), step()
//		residual.Record(numbers...)
//	}
//
// # What it costs
//
// The thread pays for two things: the record, and to wake the monitor if that sleeps, which takes some
// microseconds. So a monitor that sleeps is woken by the first record, and has it within some ten of them; from
// then on it goes on looking while it finds something, else dozes for a millisecond at a time, in which no record
// wakes it, until that finds nothing. What sensors take of a thread's time is measured, and a budget
// ([DefaultBudget]) lowers the rate of the dearest, and says so by an event of kind [event.Rate].
//
// Where a solver keeps all processors busy, a monitor runs when Go's scheduler lets it, some ten milliseconds
// later: leave one processor free if sinks are in a hurry.
package sensor
