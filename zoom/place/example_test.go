package place_test

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/zoom/place"
)

// A scheduler reports slots, jobs and ends of runs; the place answers with the jobs to start
// and their slots.
func ExamplePlace() {
	p := &place.Place{}
	show := func(what string, starts []place.Start) { fmt.Println(what, starts) }
	starts, _ := p.AddSlot(place.Slot{Name: "node1", Amount: place.Amount{Cores: 2}})
	show("node1 added:", starts)
	starts, _ = p.Add(
		place.Job{Name: "fan-1", Component: "fan", Needs: place.Amount{Cores: 1}},
		place.Job{Name: "fan-2", Component: "fan", Needs: place.Amount{Cores: 1}},
		place.Job{Name: "hpc-1", Component: "hpc", Needs: place.Amount{Cores: 1}},
		place.Job{Name: "hpc-2", Component: "hpc", Needs: place.Amount{Cores: 64}},
	)
	show("four jobs:", starts)
	fmt.Println("no slot could hold", p.Stuck())
	waited, _ := p.Withdraw("hpc-2")
	fmt.Println("withdrawn:", waited)
	show("node1 removed:", p.RemoveSlot("node1"))
	fmt.Println("still running", p.Running())
	// Output:
	// node1 added: []
	// four jobs: [{fan-1 node1} {hpc-1 node1}]
	// no slot could hold [hpc-2]
	// withdrawn: true
	// node1 removed: []
	// still running [{fan-1 node1} {hpc-1 node1}]
}
