package sensor

// Sensors for a solver that does not know this package.

import (
	"fmt"
	"sync"
)

// Taker is a solver thread's view of an instance. It is an alias of a type without a name, so that a package that must
// not import this one can declare the same type.
type Taker = interface {
	On() bool
	Record(values ...float64)
}

// Solver gives the sensors of a board to a run of a solver. It satisfies the interface that the solver declares; see
// the example of this type.
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

// Sensor returns a declared sensor's instance for a block in a thread of the solver. Only that thread may call it. An
// undeclared name is a mistake in the solver: it panics.
//
// A call of Record through an interface makes the compiler put its arguments on the heap. A thread that records often
// keeps a slice: t.Record(s.numbers...).
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
