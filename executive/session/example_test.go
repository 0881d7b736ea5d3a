package session_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/session"
)

// An engine moves from one operating point to the next, each solved from the last, and home to its design.
func ExampleSession_Point() {
	engine, err := config.Load("../../config/examples/turbojet.yaml", components.Catalogue(), nil)
	check(err)
	session, err := session.Open(context.Background(), engine)
	check(err)
	point, err := session.Point()
	check(err)
	design := point.Value("performance.Fn")
	for _, thrust := range []float64{45e3, 40e3, 35e3} {
		throttle := config.Case{
			Name: "throttle", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: thrust}},
		}
		_, err := point.Solve(context.Background(), &throttle)
		check(err)
		fmt.Printf("%.0f kN at %.0f K\n", thrust/1e3, point.Value("burner.out.Tt"))
	}
	climb := config.Case{
		Name: "climb", Set: []config.Setting{{Path: "ambient.altitude", Value: config.Value{Num: 5000, Set: true}}},
	}
	_, err = point.Solve(context.Background(), &climb)
	check(err)
	high := point.Result("climb").Performance.Fn
	check(point.Home())
	fmt.Println(high < design, math.Abs(point.Value("performance.Fn")/design-1) < 1e-9)
	// Output:
	// 45 kN at 1228 K
	// 40 kN at 1173 K
	// 35 kN at 1121 K
	// true true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
