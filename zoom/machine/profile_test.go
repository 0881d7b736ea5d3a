package machine_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

var air = average.Perfect{Gamma: 1.4, Rgas: 287.05}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1e-300, math.Abs(want))
}

// fanFace is about the E3's fan face at takeoff.
func fanFace() machine.Inlet {
	return machine.Inlet{W: 600, Pt: 101325, Tt: 288.15, RHub: 0.36, RTip: 1.05, Gas: air}
}

// Whatever the shape, the averages are the 1-D state.
func TestProfilesIntegrateBack(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		in := machine.Inlet{
			Pt: rapid.Float64Range(2e4, 4e6).Draw(t, "Pt"), Tt: rapid.Float64Range(220, 900).Draw(t, "Tt"),
			Alpha: rapid.Float64Range(-0.8, 0.8).Draw(t, "Alpha"),
			RHub:  rapid.Float64Range(0.05, 0.9).Draw(t, "hub"), RTip: 1, Gas: air,
			Hub: machine.Layer{Thickness: rapid.Float64Range(0, 0.4).Draw(t, "hub layer"),
				Power: rapid.Float64Range(3, 11).Draw(t, "n")},
			Tip: machine.Layer{Thickness: rapid.Float64Range(0, 0.4).Draw(t, "tip layer")},
			Swirl: rapid.SampledFrom([]machine.Swirl{"", machine.FreeVortex, machine.ForcedTwist, machine.EvenAngle}).
				Draw(t,
					"swirl"),
			Average: rapid.SampledFrom([]average.Averaging{average.Mass, average.Area}).Draw(t, "average"),
			Cells:   rapid.IntRange(1, 60).Draw(t, "cells"),
		}
		// A flow that fits: choked, 0.0404 sqrt(K)/(m/s) W sqrt(Tt)/(Pt A) for air.
		area := math.Pi * (1 - in.RHub*in.RHub)
		in.W = rapid.Float64Range(0.05, 0.5).Draw(t, "fill") * 0.0404 * in.Pt * area / math.Sqrt(in.Tt)
		p := must.Value(in.Profiles())(t)
		var w, a, pt, tt, alpha, total float64
		for i := range p.DW {
			weight := p.DW[i]
			if in.Average == average.Area {
				weight = p.DA[i]
			}
			w += p.DW[i]
			a += p.DA[i]
			total += weight
			pt += weight * p.Pt[i]
			tt += weight * p.Tt[i]
			alpha += weight * p.Alpha[i]
		}
		for what, v := range map[string][2]float64{
			"W": {w, in.W}, "area": {a, area}, "Pt": {pt / total, in.Pt}, "Tt": {tt / total, in.Tt},
		} {
			if !near(v[0], v[1], 1e-12) {
				t.Fatalf("%s: %.16g, want %.16g", what, v[0], v[1])
			}
		}
		if math.Abs(alpha/total-in.Alpha) > 1e-12 {
			t.Fatalf("swirl %.16g, want %.16g", alpha/total, in.Alpha)
		}
		// Each ring is a state of the gas: continuity, from Ps, Tt and MN alone.
		for i := range p.DW {
			x := 0.2 * p.MN[i] * p.MN[i]
			want := p.Ps[i] * p.MN[i] * math.Sqrt(1.4*(1+x)/(287.05*p.Tt[i])) * math.Cos(p.Alpha[i]) * p.DA[i]
			if !near(p.DW[i], want, 1e-11) || !near(p.Pt[i], p.Ps[i]*math.Pow(1+x, 3.5), 1e-12) {
				t.Fatalf("ring %d is no state: dW %.15g, want %.15g", i, p.DW[i], want)
			}
		}
	})
}

func TestUniformProfile(t *testing.T) {
	p := must.Value(fanFace().Profiles())(t)
	for i := range p.DW {
		if !near(p.Pt[i], 101325, 1e-14) || !near(p.Tt[i], 288.15, 1e-14) || p.Alpha[i] != 0 ||
			!near(p.DW[i], 25, 1e-12) {
			t.Errorf("ring %d: %g Pa, %g K, %g kg/s", i, p.Pt[i], p.Tt[i], p.DW[i])
		}
	}
	if math.Abs(p.Blockage) > 1e-12 {
		t.Errorf("blockage %g without layers", p.Blockage)
	}
}

// The displacement thickness of a power law is d/(n+1) where the density is
// constant, so at a low Mach number in a thin annulus the blockage is that.
func TestBlockageOfPowerLaw(t *testing.T) {
	in := fanFace()
	in.W, in.RHub, in.RTip, in.Cells = 1, 10, 10.05, 1000
	in.Hub, in.Tip = machine.Layer{Thickness: 0.2}, machine.Layer{Thickness: 0.1, Power: 4}
	p := must.Value(in.Profiles())(t)
	if want := 0.2/8 + 0.1/5; math.Abs(p.Blockage-want) > 1e-4 {
		t.Errorf("blockage %g, want %g", p.Blockage, want)
	}
}

func TestFreeVortexKeepsAngularMomentum(t *testing.T) {
	in := fanFace()
	in.W, in.Alpha = 400, 0.3
	p := must.Value(in.Profiles())(t)
	for i := range p.R {
		if got, want := p.R[i]*math.Tan(p.Alpha[i]), p.R[0]*math.Tan(p.Alpha[0]); !near(got, want, 1e-12) {
			t.Errorf("ring %d: r tan(alpha) %g, want %g", i, got, want)
		}
	}
}

func TestImpossibleInlets(t *testing.T) {
	for what, change := range map[string]func(*machine.Inlet){
		"choke":         func(in *machine.Inlet) { in.W = 900 },
		"no annulus":    func(in *machine.Inlet) { in.RTip = 0.2 },
		"positive":      func(in *machine.Inlet) { in.W = -1 },
		"80 deg":        func(in *machine.Inlet) { in.Alpha = 1.5 },
		"do not fit":    func(in *machine.Inlet) { in.Hub.Thickness, in.Tip.Thickness = 0.6, 0.6 },
		"mass or area":  func(in *machine.Inlet) { in.Average = average.Work },
		"gas":           func(in *machine.Inlet) { in.Gas.Gamma = 1 },
		"must not be n": func(in *machine.Inlet) { in.Cells = -1 },
	} {
		in := fanFace()
		change(&in)
		_, err := in.Profiles()
		var bad *machine.InletError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
