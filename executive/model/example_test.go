package model_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/model"
)

// An engine goes from one operating point to the next, each solved from the last.
func ExampleSession_Point() {
	engine, err := config.Load("../../config/examples/turbojet.yaml", components.Catalogue(), nil)
	if err != nil {
		log.Fatal(err)
	}
	session, err := model.NewSession(context.Background(), engine)
	if err != nil {
		log.Fatal(err)
	}
	point, err := session.Point()
	if err != nil {
		log.Fatal(err)
	}
	for _, thrust := range []float64{45e3, 40e3, 35e3} {
		throttle := config.Case{Name: "throttle", Solve: []config.Balance{{Vary: "burner.FAR", Until: "performance.Fn", Target: thrust}}}
		if _, err := point.Solve(context.Background(), &throttle); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.0f kN at %.0f K\n", thrust/1e3, point.Value("burner.out.Tt"))
	}
	// Output:
	// 45 kN at 1228 K
	// 40 kN at 1173 K
	// 35 kN at 1121 K
}

// Point's methods are those of a simulation that goes its own way: there and back.
func ExamplePoint() {
	engine, err := config.Load("../../config/examples/turbojet.yaml", components.Catalogue(), nil)
	if err != nil {
		log.Fatal(err)
	}
	session, err := model.NewSession(context.Background(), engine)
	if err != nil {
		log.Fatal(err)
	}
	point, err := session.Point()
	if err != nil {
		log.Fatal(err)
	}
	design := point.Value("performance.Fn")
	climb := config.Case{Name: "climb", Set: []config.Setting{{Path: "ambient.altitude", Value: config.Value{Num: 5000, Set: true}}}}
	if _, err := point.Solve(context.Background(), &climb); err != nil {
		log.Fatal(err)
	}
	high := point.Result("climb").Performance.Fn
	if err := point.Home(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(high < design, math.Abs(point.Value("performance.Fn")/design-1) < 1e-9)
	// Output:
	// true true
}
