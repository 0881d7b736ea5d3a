package main

// The runs: a case of a family, with all data that its histories share.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// setup is a case of a family.
type setup struct {
	name   string // such as cavity-07
	family string
	app    string            // OpenFOAM's application
	files  map[string]string // by path, all but system/controlDict
	watch  []monitor
	fields string  // whose residuals are tabled
	limit  int     // iterations, or time steps at most, of the run that tells how the case behaves
	step   float64 // time step; 1 for steady solvers
	end    float64 // end time of that run, time-marching alone
	adjust float64 // largest Courant number of a time step that adjusts itself; 0: fixed
	mute   bool    // its residuals carry no information: all histories show values

	restless bool                          // the flow keeps moving: only the cause of its end can be labelled
	entries  string                        // further ones of controlDict
	prepare  []string                      // commands between blockMesh and the solver
	targets  func(equation string) float64 // criterion of an equation, 0 without one; nil: as solution writes it

	how string // the variations, in a few words
}

// control returns system/controlDict of a run to the time end.
func (s *setup) control(end float64, functions string) string {
	adjust := ""
	if s.adjust > 0 {
		adjust = fmt.Sprintf("adjustTimeStep yes; maxCo %g; maxDeltaT 1;", s.adjust)
	}
	return dictionary("dictionary", "controlDict",
		fmt.Sprintf(`application %s; startFrom startTime; startTime 0; stopAt endTime; endTime %g; deltaT %g;
writeControl timeStep; writeInterval 1000000; writeFormat ascii; writePrecision 6; timeFormat general; timePrecision 8; runTimeModifiable no; %s%s
functions {
%s}
`, s.app, end, s.step, adjust, s.entries, functions))
}

// functions returns the function objects of a run.
func (s *setup) functions(log, residuals bool, every int) string {
	var b strings.Builder
	for _, m := range s.watch {
		b.WriteString(m.text(log, every))
	}
	if residuals && s.fields != "" {
		fmt.Fprintf(&b,
			"    solverInfo { type solverInfo; libs (utilityFunctionObjects); fields (%s); writeResidualFields "+
				"no; }\n", s.fields)
	}
	return b.String()
}

// steady reports whether the solver marches by iterations.
func (s *setup) steady() bool { return s.end == 0 }

// dice draws parameters.
type dice struct{ *rand.Rand }

// roll returns the dice of case i of a family: the same cases come from the same seed.
func roll(seed uint64, family string, i int) dice {
	h := seed
	for _, c := range family {
		h = h*1099511628211 + uint64(c)
	}
	return dice{rand.New(rand.NewPCG(h, uint64(i)))}
}

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// between draws evenly.
func (d dice) between(low, high float64) float64 {
	return float64(int((low+(high-low)*d.Float64())*1e4)) / 1e4
}

func (d dice) chance(p float64) bool { return d.Float64() < p }

// steadyNumerics draws the numerics of an incompressible or buoyant flow. One in four draws is too bold.
func (d dice) steadyNumerics() numerics {
	n := numerics{
		convection: pick(d, "bounded Gauss upwind", "bounded Gauss linearUpwind grad(U)",
			"bounded Gauss limitedLinear 1", "bounded Gauss linearUpwind grad(U)", "bounded Gauss linear"),
		others:     pick(d, "bounded Gauss upwind", "bounded Gauss upwind", "bounded Gauss limitedLinear 1"),
		correction: pick(d, "corrected", "limited 0.5"),
		relTol:     pick(d, 0.1, 0.05, 0.01),
		target:     pick(d, 1e-4, 1e-5, 1e-5, 1e-6, 1e-6, 0),
		pressure:   "p", energy: "e",
	}
	n.consistent = d.chance(0.4)
	if n.consistent {
		n.relaxP, n.relaxU = 1, d.between(0.7, 0.93)
	} else {
		n.relaxP, n.relaxU = d.between(0.2, 0.45), d.between(0.5, 0.85)
	}
	n.relaxOther = d.between(0.4, 0.8)
	switch {
	case d.chance(0.12):
		n.consistent, n.relaxP, n.relaxU, n.relaxOther = false, d.between(0.75, 1), d.between(0.9, 1), d.between(0.8, 1)
	case d.chance(0.1):
		n.consistent, n.relaxP, n.relaxU = false, d.between(0.45, 0.75), d.between(0.8, 0.95)
	}
	return n
}

// String describes the draw.
func (n *numerics) String() string {
	kind := "SIMPLE"
	if n.consistent {
		kind = "SIMPLEC"
	}
	target := "no criterion"
	if n.target > 0 {
		target = fmt.Sprintf("criterion %g", n.target)
	}
	return fmt.Sprintf("%s U %g p %g other %g, %s, %s", kind, n.relaxU, n.relaxP, n.relaxOther,
		strings.TrimPrefix(n.convection, "bounded Gauss "), target)
}
