package fact_test

import (
	"fmt"
	"log"

	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// Two solvers' runs of one component that disagree are doubted as long as they do.
func Example() {
	const name, component, pr = 0, 1, 2 // the fields of a run
	m := fact.New([]fact.Kind{
		{
			Name: "run",
			Fields: []fact.Field{
				{Name: "name", Type: fact.Text},
				{Name: "component", Type: fact.Text},
				{Name: "PR", Type: fact.Number},
			},
		},
		{Name: "doubt", Fields: []fact.Field{{Name: "component", Type: fact.Text}}},
	}, []fact.Rule{{
		Name: "disagree",
		Patterns: []fact.Pattern{
			{Kind: "run"},
			{Kind: "run", Join: []fact.Join{
				{Field: component, Op: fact.Equal, Of: 0, Other: component},
				{Field: pr, Op: fact.Greater, Of: 0, Other: pr, Plus: 0.01},
			}},
		},
		Then: func(x *fact.Match) {
			fmt.Printf("%s and %s disagree\n", x.Fact(0).Text(name), x.Fact(1).Text(name))
			x.Assert("doubt", x.Fact(0).Value(component))
		},
	}, {
		Name:     "doubtful",
		Patterns: []fact.Pattern{{Kind: "doubt"}},
		Counts:   []fact.Pattern{{Kind: "run", Join: []fact.Join{{Field: component, Op: fact.Equal, Of: 0, Other: 0}}}},
		When:     func(x *fact.Match) bool { return x.Count(0) > 1 },
		Then: func(x *fact.Match) {
			fmt.Printf("the %s is in doubt, with %d runs\n", x.Fact(0).Text(0), x.Count(0))
		},
	}}, 0)
	run := func() {
		if _, err := m.Run(100); err != nil {
			log.Fatal(err)
		}
	}
	coarse := m.Assert("run", fact.Str("coarse"), fact.Str("fan"), fact.Num(1.60))
	m.Assert("run", fact.Str("fine"), fact.Str("fan"), fact.Num(1.63))
	run()
	m.Change(coarse, fact.Str("coarse"), fact.Str("fan"), fact.Num(1.625))
	run()
	fmt.Println("doubts left:", m.Len("doubt"))
	// Output:
	// coarse and fine disagree
	// the fan is in doubt, with 2 runs
	// doubts left: 0
}
