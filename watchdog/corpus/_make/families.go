package main

// The families of OpenFOAM cases. Each draws a case from its dice.

import (
	"fmt"
	"math"
)

// family is a family of cases that are drawn.
type family struct {
	name string
	draw func(d dice) *setup
	n    int // cases
}

// setup draws the case i.
func (f *family) setup(seed uint64, i int) *setup {
	s := f.draw(roll(seed, f.name, i))
	s.family, s.name = f.name, fmt.Sprintf("%s-%02d", f.name, i)
	return s
}

// families in the order of their making.
var families = []family{
	{"cavity", cavity, 40}, {"step", step, 40}, {"nozzle", nozzle, 44}, {"cascade", cascade, 44}, {"bluff", bluff, 44},
	{"channel", channel, 42}, {"heated", heated, 44}, {"marching", marching, 34}, {"startup", startup, 16},
	{"supersonic", supersonic, 20},
}

// incompressible fills in the files of a case of simpleFoam: U and p by patch.
func incompressible(s *setup, mesh *lattice, n *numerics, nu float64, inU, turbulence string, u, p map[string]string) {
	s.app, s.step = "simpleFoam", 1
	n.turbulence = turbulence
	s.files = map[string]string{
		"system/blockMeshDict": mesh.blockMesh(),
		"system/fvSchemes":     n.schemes(),
		"system/fvSolution":    n.solution(),
		"constant/transportProperties": dictionary("dictionary", "transportProperties",
			fmt.Sprintf("transportModel Newtonian;\nnu %g;\n", nu)),
		"constant/turbulenceProperties": turbulenceProperties(turbulence),
		"0/U":                           field("U", dimVelocity, inU, u),
		"0/p":                           field("p", dimKinematic, "0", p),
	}
	s.fields = "p U"
	if turbulence != "" {
		s.fields += " " + turbulenceFields(s, turbulence, 0.05, 0.1, u)
	}
	s.how += ", " + n.String()
}

// turbulenceFields adds k, epsilon or omega and their conditions: for a fluctuation, m/s, and a length, m, at the
// inlet. The patches' kinds are those of the velocity's conditions. It returns the names of the solved fields.
func turbulenceFields(s *setup, model string, fluctuation, length float64, u map[string]string) string {
	k := 1.5 * fluctuation * fluctuation
	second, dims, value := "epsilon", dimEpsilon, math.Pow(0.09, 0.75)*math.Pow(k, 1.5)/length
	if model == "kOmegaSST" {
		second, dims, value = "omega", dimOmega, math.Sqrt(k)/(math.Pow(0.09, 0.25)*length)
	}
	conditions := func(v string, wall string) map[string]string {
		m := map[string]string{}
		for patch, c := range u {
			switch {
			case patch == "outlet":
				m[patch] = "type inletOutlet; inletValue uniform " + v + "; value uniform " + v + ";"
			case patch == "inlet":
				m[patch] = fixed(v)
			default:
				m[patch] = c // cyclic, slip, symmetry
				if c == noSlip {
					m[patch] = "type " + wall + "WallFunction; value uniform " + v + ";"
				}
			}
		}
		return m
	}
	s.files["0/k"] = field("k", dimKinematic, number(k), conditions(number(k), "kqR"))
	s.files["0/"+second] = field(second, dims, number(value), conditions(number(value), second))
	nut := map[string]string{}
	alphat := map[string]string{}
	for patch, c := range u {
		nut[patch], alphat[patch] = calculated, calculated
		if c == noSlip {
			nut[patch] = "type nutkWallFunction; value uniform 0;"
			alphat[patch] = "type compressible::alphatWallFunction; value uniform 0;"
		} else if patch != "inlet" && patch != "outlet" {
			nut[patch], alphat[patch] = c, c
		}
	}
	s.files["0/nut"] = field("nut", dimNut, "0", nut)
	if s.app == "rhoSimpleFoam" {
		s.files["0/alphat"] = field("alphat", dimAlphat, "0", alphat)
	}
	return "k " + second
}

// cavity is a square with a moving lid.
func cavity(d dice) *setup {
	re := pick(d, 10., 50, 100, 100, 200, 400, 400, 1000, 1000, 2500, 5000, 20000)
	cells := pick(d, 14, 16, 20, 24, 28)
	grade := pick(d, 1., 1, 3, 6)
	n := d.steadyNumerics()
	s := &setup{limit: 1200, how: fmt.Sprintf("lid-driven cavity Re %g, %d cells a side", re, cells)}
	mesh := &lattice{x: []float64{0, 1}, y: []float64{0, 1}, nx: []int{cells}, ny: []int{cells},
		gx: []string{bothEnds(grade)}, gy: []string{bothEnds(grade)},
		patch: func(_, _ int, side byte) string {
			if side == 'n' {
				return "lid"
			}
			return "wall"
		}, kind: map[string]string{"lid": "type wall;", "wall": "type wall;"}}
	if d.chance(0.25) { // a sheared cavity
		skew := d.between(0.2, 0.9)
		mesh.place = func(x, y float64) (float64, float64) { return x + skew*y, y }
		s.how += fmt.Sprintf(", sheared %g", skew)
	}
	incompressible(s, mesh, &n, 1/re, "(0 0 0)", "",
		map[string]string{"lid": fixed("(1 0 0)"), "wall": noSlip},
		map[string]string{"lid": noGradient, "wall": noGradient})
	s.watch = watch("force lidForce lid", "average lidPressure lid p")
	return s
}

// step is the flow over a backward-facing step in a channel.
func step(d dice) *setup {
	model := pick(d, "", "", "kEpsilon", "kEpsilon", "kOmegaSST", "kOmegaSST")
	re := pick(d, 5e3, 1e4, 2e4, 5e4, 1e5)
	if model == "" {
		re = pick(d, 30., 60, 100, 200, 400, 800, 1500)
	}
	ratio := pick(d, 1., 1, 0.5, 2)
	length := pick(d, 6., 10, 16)
	scale := pick(d, 0.7, 1, 1, 1.3)
	cells := func(n float64) int { return int(n * scale) }
	n := d.steadyNumerics()
	s := &setup{
		limit: 1200, how: fmt.Sprintf("backward-facing step Re %g, length %g, %s", re, length, laminarOr(model)),
	}
	mesh := &lattice{x: []float64{-2, 0, length}, y: []float64{-ratio, 0, 1},
		nx: []int{cells(10), cells(34)}, ny: []int{cells(9), cells(12)}, gx: []string{"0.5", "4"},
		hole: func(i, j int) bool { return i == 0 && j == 0 },
		patch: func(i, _ int, side byte) string {
			switch {
			case side == 'w' && i == 0:
				return "inlet"
			case side == 'e' && i == 1:
				return "outlet"
			}
			return "wall"
		}, kind: map[string]string{"wall": "type wall;"}}
	incompressible(s, mesh, &n, 1/re, "(1 0 0)", model,
		map[string]string{"inlet": fixed("(1 0 0)"), "outlet": noGradient, "wall": noSlip},
		map[string]string{"inlet": noGradient, "outlet": fixed("0"), "wall": noGradient})
	s.watch = watch("average inletPressure inlet p", "force wallForce wall")
	return s
}

func laminarOr(model string) string {
	if model == "" {
		return "laminar"
	}
	return model
}

// channel is a plane channel, or a diffuser where its walls open.
func channel(d dice) *setup {
	model := pick(d, "", "", "kEpsilon", "kOmegaSST")
	re := pick(d, 5e3, 2e4, 1e5)
	if model == "" {
		re = pick(d, 10., 50, 100, 300, 1000, 3000)
	}
	open := pick(d, 0., 0, 0, 0.3, 0.6, 1.2, -0.3)
	length := pick(d, 6., 10, 20)
	nx, ny := pick(d, 24, 36, 50), pick(d, 12, 16, 22)
	n := d.steadyNumerics()
	s := &setup{
		limit: 1200, how: fmt.Sprintf("channel Re %g, opens by %g, length %g, %dx%d, %s", re, open, length, nx, ny,
			laminarOr(model)),
	}
	mesh := &lattice{x: []float64{0, 0.2 * length, 0.6 * length, length}, y: []float64{0, 1},
		nx: []int{nx / 4, nx / 2, nx / 4}, ny: []int{ny}, gy: []string{bothEnds(pick(d, 1., 2, 4))},
		place: func(x, y float64) (float64, float64) {
			t := min(max((x/length-0.2)/0.4, 0), 1)
			h := 1 + open*t*t*(3-2*t)
			return x, (y - 0.5) * h
		},
		patch: func(i, _ int, side byte) string {
			switch {
			case side == 'w':
				return "inlet"
			case side == 'e':
				return "outlet"
			}
			return "wall"
		}, kind: map[string]string{"wall": "type wall;"}}
	incompressible(s, mesh, &n, 1/re, "(1 0 0)", model,
		map[string]string{"inlet": fixed("(1 0 0)"), "outlet": noGradient, "wall": noSlip},
		map[string]string{"inlet": noGradient, "outlet": fixed("0"), "wall": noGradient})
	s.watch = watch("average inletPressure inlet p", "sum outletFlow outlet phi", "drag wallDrag wall 1")
	return s
}

// bluff is a block in a stream: a square or a plate, which sheds vortices from a Reynolds number of about 50 on.
func bluff(d dice) *setup {
	model := pick(d, "", "", "", "", "kOmegaSST")
	re := pick(d, 5., 10, 20, 30, 40, 60, 80, 100, 150, 200, 300)
	if model != "" {
		re = pick(d, 1e4, 5e4)
	}
	tall := pick(d, 0.5, 1, 1, 1, 1.6)
	shift := pick(d, 0., 0, 0.13, 0.3)
	scale := pick(d, 0.8, 1, 1.25)
	cells := func(n float64) int { return int(n * scale) }
	n := d.steadyNumerics()
	s := &setup{
		limit: 1400, how: fmt.Sprintf("block %g high in a stream, Re %g, shifted %g, mesh %g, %s", tall, re, shift,
			scale, laminarOr(model)),
	}
	mesh := &lattice{x: []float64{-5, -0.5, 0.5, 12}, y: []float64{-4.5 - shift, -tall / 2, tall / 2, 4.5},
		nx: []int{cells(14), cells(8), cells(26)}, ny: []int{cells(13), cells(9), cells(13)},
		gx: []string{"0.15", "1", "8"}, gy: []string{"0.15", "1", "6.67"},
		hole: func(i, j int) bool { return i == 1 && j == 1 },
		patch: func(i, j int, side byte) string {
			switch {
			case side == 'w' && i == 0:
				return "inlet"
			case side == 'e' && i == 2:
				return "outlet"
			case side == 's' && j == 0 || side == 'n' && j == 2:
				return "far"
			}
			return "body"
		}, kind: map[string]string{"body": "type wall;"}}
	incompressible(s, mesh, &n, 1/re, "(1 0 0)", model,
		map[string]string{
			"inlet":  fixed("(1 0 0)"),
			"outlet": "type inletOutlet; inletValue uniform (0 0 0); value uniform (1 0 0);", "far": slip,
			"body": noSlip,
		},
		map[string]string{"inlet": noGradient, "outlet": fixed("0"), "far": slip, "body": noGradient})
	s.watch = watch("drag bodyForce body 0.1", "average bodyPressure body p")
	return s
}
