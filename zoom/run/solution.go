package run

// Solutions of earlier runs, from which other runs start. A run may take its initial guess from a neighbour's solution.
// Then its answer depends on that solution, by less than the error that it states, so the neighbour's key is part of
// its key. A run may continue from the end of a run with fewer orders. Then it has the answer and the key of an
// uninterrupted run, or, if that run was steered, the acts and a key of its own.
//
// Solutions remain in the folders of their runs, as most are never needed. The cache has their hashes. If a neighbour's
// solution was removed or changed, it is made once more by the same request. So a key always describes the origin of an
// answer, whichever files were removed. If the new answer differs, the run that needs the solution fails.

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Solution is the solution of an evaluated job, from which other runs can start.
type Solution struct {
	Job      Job                // as requested
	CacheKey string             // of its task; empty: none
	Judged   *Judged            // likewise
	Answer   map[string]float64 // its numbers
	Steered  []event.Receipt    // acts on which it depends
	Key      string             // of its answer in the cache; empty: none

	mu          sync.Mutex // of the fields below, held during Restore
	folder, sum string     // of the file
}

// NewSolution returns the solution of an outcome of a job. If the outcome has no hash of the file, as for a run that
// ended without its host, the solution is made once more when it is needed. So the set of runs with a solution does not
// depend on such accidents.
func NewSolution(j Job, o *Outcome) *Solution {
	return &Solution{Job: j, Answer: o.Result.Numbers, Steered: o.Steered, sum: o.Sum, folder: o.Folder}
}

// TakesNeighbour reports whether a solver can start from the solution of another request.
func TakesNeighbour(d *plugin.Description) bool {
	return d.HasSolution() && slices.ContainsFunc(d.Inputs, func(q plugin.Quantity) bool {
		return q.Name == plugin.InNeighbour && q.Shape == plugin.FileName
	})
}

// Path returns the path of the solution, if the file exists unchanged.
func (s *Solution) Path(d *plugin.Description) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.path(d)
}

func (s *Solution) path(d *plugin.Description) (string, bool) {
	path, ok := d.SolutionFile(s.folder)
	return path, ok && s.sum != "" && d.SolutionSum(s.folder) == s.sum
}

// errNone reports a run without the file that its solver describes.
var errNone = errors.New("the solver left no solution")

// Restore returns the path of the solution. If the file is missing or changed, remake makes it once more, and returns
// its folder and hash.
func (s *Solution) Restore(d *plugin.Description, remake func() (folder, sum string, err error)) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path, ok := s.path(d); ok {
		return path, nil
	}
	folder, sum, err := remake()
	if err != nil {
		return "", err
	}
	s.folder, s.sum = folder, sum
	path, ok := s.path(d)
	if !ok {
		return "", errNone
	}
	return path, nil
}

// Runs are judged by rules. Outcomes depend on them, so a cache key contains them. The rules may change while a study
// is under way. A run belongs to the rules in force when it was looked up, which are in its key. If the rules were
// different at any time until its end, its answer belongs to no set of rules, and it is not cached. A host that dies
// leaves the key in the run's folder, for a study that harvests it. So an attempt that begins under changed rules has
// no key, and an order removes the key of a run in progress.

// Rules are the rules of a pool's monitor. The methods may be called by several goroutines.
type Rules interface {
	Key() string  // identifies the rules: with equal keys and equal events the outcomes are equal
	Version() int // of the rules: different after each change, even a change back
	// Verdict returns, once, what the rules found on an ended run, to be kept with its answer; nil: it is to be judged
	// again from its events
	Verdict(run string) json.RawMessage
}

// Judged is the state of the rules by which a job is judged.
type Judged struct {
	rules   Rules
	version int
	key     string
}

// JudgedNow returns the present state of rules; nil: the pool has no rules.
func JudgedNow(r Rules) *Judged {
	if r == nil {
		return nil
	}
	version := r.Version() // read first: if the rules change now, InForce reports it
	return &Judged{r, version, r.Key()}
}

// InForce reports whether the rules are still the same.
func (b *Judged) InForce() bool { return b == nil || b.rules.Version() == b.version }

// Identity identifies the rules in a cache key; nil: no rules.
func (b *Judged) Identity() any {
	if b == nil {
		return nil
	}
	return b.key
}
