package fact_test

import (
	"context"
	"fmt"
	"log"

	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// Two solvers' runs of one component that disagree are doubted as long as they do.
func Example() {
	const name, component, pr = 0, 1, 2 // the fields of a run
	m, err := fact.New([]fact.Kind{
		{
			Name: "run", Fields: []fact.Field{{Name: "name", Type: fact.Text}, {Name: "component", Type: fact.Text},
				{Name: "PR", Type: fact.Number}},
		},
		{Name: "doubt", Fields: []fact.Field{{Name: "component", Type: fact.Text}}},
	}, []fact.Rule{{
		Name: "disagree",
		Patterns: []fact.Pattern{
			{Name: "a", Kind: "run"},
			{Name: "b", Kind: "run", Join: []fact.Join{
				{Field: "component", Op: fact.Equal, Of: "a", Other: "component"},
				{Field: "PR", Op: fact.Greater, Of: "a", Other: "PR", Plus: 0.01},
			}},
		},
		Then: func(f *fact.Firing) error {
			fmt.Printf("%s and %s disagree\n", f.Fact(0).Text(name), f.Fact(1).Text(name))
			_, err := f.Assert("doubt", f.Fact(0).Value(component))
			return err
		},
	}, {
		Name:     "doubtful",
		Patterns: []fact.Pattern{{Name: "d", Kind: "doubt"}},
		Given: []fact.Given{{
			Fold: fact.Most, Kind: "run", Field: "PR", Op: fact.Greater, Value: 1.6,
			Join: []fact.Join{{Field: "component", Op: fact.Equal, Of: "d", Other: "component"}},
		}},
		Then: func(f *fact.Firing) error {
			most, _ := f.Given(0)
			fmt.Printf("the %s is in doubt, up to PR %.2f\n", f.Fact(0).Text(0), most)
			return nil
		},
	}}, fact.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ids := map[string]fact.ID{}
	for _, run := range []struct {
		name string
		pr   float64
	}{{"coarse", 1.60}, {"fine", 1.63}} {
		if ids[run.name], err = m.Assert("run", fact.Str(run.name), fact.Str("fan"), fact.Num(run.pr)); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := m.Run(context.Background(), 100); err != nil {
		log.Fatal(err)
	}
	fine, _ := m.Fact(ids["fine"])
	fmt.Printf("%s at PR %.2f\n", fine.Text(name), fine.Number(pr))
	if err := m.Change(ids["coarse"], fact.Set{Field: "PR", Value: fact.Num(1.625)}); err != nil {
		log.Fatal(err)
	}
	if _, err := m.Run(context.Background(), 100); err != nil {
		log.Fatal(err)
	}
	fmt.Println("doubts left:", m.Len("doubt"))
	// Output:
	// coarse and fine disagree
	// the fan is in doubt, up to PR 1.63
	// fine at PR 1.63
	// doubts left: 0
}
