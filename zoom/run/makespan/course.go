package makespan

import (
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Course is what the jobs of a study took, batch by batch, and the executive beside them. Times are in s, from the
// study's begin.
type Course struct {
	Study, Engine, Command string
	Length                 float64
	Ended                  bool // else it runs, or was killed
	Batches                []Batch
	After                  float64   // executive's time after the last batch
	Waits                  []float64 // of blocks of nodes in their queues
}

// Batch is jobs that queued together.
type Batch struct {
	Before  float64 // executive's time since the last batch that ended earlier
	Begin   float64
	Workers int
	Jobs    []Job
}

// Job is a job in a worker.
type Job struct {
	Name, Component string
	Begin, End      float64
	Needed          float64 // time of a worker, without waits
	Beside          float64 // time of further workers, which had attempts beside others
	Cached          bool
	Attempts        []Attempt
}

// Attempt is an attempt at a job.
type Attempt struct {
	Run        string
	Class      event.Class
	Begin, End float64
	Answers    bool
	Outrun     bool    // another attempt beside it decided
	First      float64 // its first report, s since its begin; 0: none is known
	Last       float64 // its last report, likewise
	Silence    float64 // the longest between two reports, or before the answer, s; 0: not known
}

// CourseOf reads the course of the last command of a study's log.
func CourseOf(events []event.Event) *Course {
	s := read(events)
	c := &Course{Study: s.name, Engine: s.engine, Command: s.command, Length: s.length, Ended: s.ended}
	last := 0.0
	for _, b := range s.batches {
		before := 0.0
		for _, o := range s.batches {
			if o.end <= b.begin {
				before = max(before, o.end)
			}
		}
		batch := Batch{Before: b.begin - before, Begin: b.begin, Workers: b.workers}
		for _, t := range b.tasks {
			j := Job{Name: t.job, Component: t.component, Begin: t.begin, End: t.end, Needed: b.net(t),
				Beside: t.beside(), Cached: t.cached}
			for _, x := range t.tries {
				j.Attempts = append(j.Attempts, Attempt{x.run, x.class, x.begin, x.end, x.answers, x.outrun, x.first,
					x.last, x.silence})
			}
			batch.Jobs = append(batch.Jobs, j)
		}
		last = max(last, b.end)
		c.Batches = append(c.Batches, batch)
	}
	c.After = s.length - last
	waits := map[string]float64{}
	for i := range events {
		if of := events[i].Used; of != nil {
			for _, u := range of.Nodes {
				if u.Block != "" {
					waits[events[i].Name+" "+u.Block] = u.Waited // the last account counts
				}
			}
		}
	}
	for _, block := range slices.Sorted(maps.Keys(waits)) {
		c.Waits = append(c.Waits, waits[block])
	}
	return c
}

// Executive returns the executive's time before each batch, then after the last, s.
func (c *Course) Executive() []float64 {
	list := make([]float64, 0, len(c.Batches)+1)
	for _, b := range c.Batches {
		list = append(list, b.Before)
	}
	return append(list, c.After)
}

// Attempt returns an attempt, for how long it needed a worker, s, and how many workers there were; nil: not known.
// The last attempt at a job has the time that the worker spent on the job beside its attempts.
func (c *Course) Attempt(run string) (a *Attempt, s float64, workers int) {
	for _, b := range c.Batches {
		for _, j := range b.Jobs {
			rest := j.Needed + j.Beside
			for i := range j.Attempts {
				a := &j.Attempts[i]
				took := a.End - a.Begin
				if i == len(j.Attempts)-1 {
					took = max(rest, 0)
				}
				if a.Run == run {
					return a, took, b.Workers
				}
				rest -= took
			}
		}
	}
	return nil, 0, 0
}
