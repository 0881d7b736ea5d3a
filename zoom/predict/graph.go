package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Failure is a class of failures of an attempt.
type Failure struct {
	Class event.Class
	Rate  float64 // share of the attempts
	Time  Spread  // until it is noticed
}

// Run is a run of a study, or with no cores work of the executive.
type Run struct {
	Name      string
	Job       string // name of the same run in other studies; empty: Name
	Component string // of the engine: components share the cluster
	Solver    string
	After     []string // runs and transfers that must end first

	Cores    int // 0: it needs no node
	Memory   int64
	Licences map[string]int
	In, Out  int64 // bytes to the run's node and back

	Cells, Iterations float64
	Settings          map[string]float64 // of the solver; they select earlier runs
	Time              *Spread            // of an attempt that answers; nil: to be estimated
	Failures          []Failure
	Policy            run.Policy // on failures
	Second            float64    // s from the start of one that hangs until another may start beside it; 0: never
	Share             float64    // of the samples in which it is needed; 0: all
	Cached            bool       // its answer is in the cache: it takes no time
	Executive         int        // number of the executive's work between batches of runs, from 1; 0: a run
}

// Transfer is data that goes from the first node of a route to the last.
type Transfer struct {
	Name  string
	Route []int // nodes, from 0; between two the network chooses the way
	Start float64
	Bytes int64
	After []string
}

// Graph is a study: runs and transfers, and what each waits for.
type Graph struct {
	Name        string
	Runs        []Run
	Transfers   []Transfer
	Assumptions []string

	after   [][]int32 // of each run, then of each transfer: those that wait for it
	wait    []int32   // of each: how many it waits for
	numbers []string  // of the runs, as names for the scheduler
}

// Clone returns a copy whose runs can be estimated on their own.
func (g *Graph) Clone() *Graph {
	o := *g
	o.Runs, o.Assumptions = slices.Clone(g.Runs), slices.Clone(g.Assumptions)
	return &o
}

// name returns the name of a run or a transfer.
func (g *Graph) name(i int32) string {
	if n := int32(len(g.Runs)); i >= n {
		return g.Transfers[i-n].Name
	}
	return g.Runs[i].Name
}

// problem is a fault of a graph.
type problem struct {
	key     string // of the run or transfer: after, cores, memory, licences, route
	item    int32
	text    string // at fault; may be empty
	message string
}

// link finds who waits for whom. It reports unknown names and cycles.
func (g *Graph) link() (faults []problem) {
	n := len(g.Runs) + len(g.Transfers)
	index := make(map[string]int32, n)
	for i := range int32(n) {
		if _, twice := index[g.name(i)]; twice {
			faults = append(faults, problem{"", i, g.name(i), "a run or transfer of this name is there already"})
			continue
		}
		index[g.name(i)] = i
	}
	g.after, g.wait, g.numbers = make([][]int32, n), make([]int32, n), make([]string, len(g.Runs))
	for i := range g.numbers {
		g.numbers[i] = strconv.Itoa(i)
	}
	for i := range int32(n) {
		for _, name := range g.afterOf(i) {
			k, known := index[name]
			if !known {
				faults = append(faults, problem{"after", i, name, "no run or transfer has this name" +
					hint(name, index)})
				continue
			}
			g.after[k] = append(g.after[k], i)
			g.wait[i]++
		}
	}
	if cycle := g.cycle(); cycle != nil {
		names := make([]string, len(cycle))
		for i, k := range cycle {
			names[i] = g.name(k)
		}
		faults = append(faults, problem{"after", cycle[0], "", "it waits for itself: " +
			strings.Join(append(names, names[0]), " waits for ")})
	}
	return faults
}

func hint(name string, index map[string]int32) string {
	known := make([]string, 0, len(index))
	for k := range index {
		known = append(known, k)
	}
	slices.Sort(known)
	return spell.Hint(name, known)
}

func (g *Graph) afterOf(i int32) []string {
	if n := int32(len(g.Runs)); i >= n {
		return g.Transfers[i-n].After
	}
	return g.Runs[i].After
}

// cycle returns runs each of which waits for the next, and the last for the first; nil: there is none.
func (g *Graph) cycle() []int32 {
	left := slices.Clone(g.wait)
	var ready []int32
	for i, n := range left {
		if n == 0 {
			ready = append(ready, int32(i))
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, k := range g.after[i] {
			if left[k]--; left[k] == 0 {
				ready = append(ready, k)
			}
		}
	}
	if done == len(left) {
		return nil
	}
	before := make([]int32, len(left)) // of each in the rest one of the rest that it waits for
	for i := range left {
		for _, k := range g.after[i] {
			if left[i] > 0 {
				before[k] = int32(i)
			}
		}
	}
	seen := map[int32]int{}
	at := int32(slices.IndexFunc(left, func(n int32) bool { return n > 0 }))
	var path []int32
	for ; ; at = before[at] {
		if begin, again := seen[at]; again {
			cycle := path[begin:]
			least := slices.Index(cycle, slices.Min(cycle))
			return slices.Concat(cycle[least:], cycle[:least])
		}
		seen[at] = len(path)
		path = append(path, at)
	}
}

// Check reports why a graph cannot run on a cluster: unknown names, cycles, and runs that no node can hold.
func (g *Graph) Check(c *Cluster) error {
	var list []string
	for _, p := range g.problems(c) {
		list = append(list, fmt.Sprintf("%s: %s", cmp.Or(g.name(p.item), "a run"), p.message))
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(list, "\n"))
}

// problems lists all faults. The cluster may be nil.
func (g *Graph) problems(c *Cluster) []problem {
	list := g.link()
	if c == nil {
		return list
	}
	for i := range g.Runs {
		if r := &g.Runs[i]; !r.Cached && r.Cores > 0 {
			if key, why := c.misfit(r); why != "" {
				list = append(list, problem{key, int32(i), "", why})
			}
		}
	}
	if len(g.Transfers) == 0 {
		return list
	}
	net := c.transfers()
	for i := range g.Transfers {
		if _, err := net.Path(g.Transfers[i].Route); err != nil {
			list = append(list, problem{"route", int32(len(g.Runs) + i), "", err.Error()})
		}
	}
	return list
}

// Estimated reports whether a run has a time.
func (r *Run) Estimated() bool { return r.Time != nil || r.Cached }
