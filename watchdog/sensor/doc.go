// Package sensor takes numbers out of a running solver, at a cost that is measured and limited. The terms are Falcon's
// (W. Gu, G. Eisenhauer, K. Schwan, J. Vetter, Falcon: On-line Monitoring for Steering Parallel Programs, Concurrency:
// Practice and Experience 10, 1998).
//
// A sensor is declared by a name, fields and units ([Spec]). The [Board] of a run has its sensors. Each thread of the
// solver asks for a [Taker] of its own, for each block of its mesh. Sensors are switched on and off and given another
// rate while the solver runs ([Board.Switch]).
//
//	thread -> ring --+
//	thread -> ring --+--> Monitor --> function of the caller
//	thread -> ring --+
//
// A thread writes records into a ring of its own: without a lock, without an allocation, and without waiting. A record
// that finds the ring full is lost; its number is missing then. The [Monitor] of the board reads the rings. A [Record]
// is an event in a compact form, and [Record.Event] makes it one. [Writer] and [Reader] are the binary form in files.
//
// Sensors also record what a thread does: regions that it is in, messages, processes that it starts, and marks of the
// author ([Kind]). A [Recorder] writes records to a file, all or the last of them, within a quota; its last record
// states how many are missing, by kind, and why.
//
// Packages below components must not import this one. A solver declares the methods of Taker as an alias of its own, so
// that both packages mean the same type. The thread keeps a slice for its numbers, as arguments of a call by way of an
// interface are allocated on the heap:
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
// The thread pays for the record, and for waking the monitor if the monitor sleeps, which takes some microseconds. The
// first record wakes a monitor that sleeps. From then on the monitor polls while it finds records, else dozes for ten
// milliseconds at a time, in which a record does not wake it. It sleeps after a doze that ends without records. The
// cost of sensors is measured. Above 1 % of a thread's time the rate of the most expensive sensor is lowered, and an
// event of kind [event.Rate] reports it.
//
// Where a solver keeps all processors busy, Go's scheduler runs the monitor some ten milliseconds later.
package sensor
