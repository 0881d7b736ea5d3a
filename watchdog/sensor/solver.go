package sensor

// Sensors for a solver that does not know this package.

import (
	"fmt"
	"sync"
)

// Taker is what a solver's thread sees of an instance. It is an alias of a type that has no name, so that a
// package which must not import this one can write it down as well, and mean the same.
type Taker = interface {
	On() bool
	Record(values ...float64)
}

// Solver gives the sensors of a board to one run of a solver. It satisfies the interface that the solver
// declares; see the example of this type.
type Solver struct {
	board *Board
	run   string

	mu      sync.Mutex
	threads map[string]*Thread
}

// Solver returns the sensors for a run. Close it when the run has ended.
func (b *Board) Solver(run string) *Solver {
	return &Solver{board: b, run: run, threads: map[string]*Thread{}}
}

// Sensor returns a declared sensor's instance in a thread of the solver, which alone may call it, for a
// block. A name that is not declared is a mistake in the solver: it panics.
//
// A call of Record by way of an interface makes the compiler put its arguments on the heap. A thread that
// records often keeps a slice: t.Record(s.numbers...).
func (s *Solver) Sensor(name, thread, block string) Taker {
	of, err := s.board.Sensor(name)
	if err != nil {
		panic(fmt.Sprintf("run %s: %v; declare it in the solver's description", s.run, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.threads[thread]
	if t == nil {
		t = s.board.Thread(s.run, thread)
		s.threads[thread] = t
	}
	return of.In(t, block)
}

// Close closes the threads, once they have ended.
func (s *Solver) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.threads {
		t.Close()
	}
}
