package plugin

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

func rotor() Description {
	return Description{
		Name: "rotor", Version: "1",
		Inputs: []Quantity{
			{Name: "N", Unit: "rpm", Dim: unit.Speed, Shape: Scalar, Required: true, Min: new(0.0)},
			{Name: "Pt", Unit: "Pa", Dim: unit.Pressure, Shape: Profile, Required: true, Min: new(1.0)},
			{Name: "geometry", Shape: Text, Required: true},
			{Name: "mesh", Shape: FileName},
		},
		Settings: []Quantity{{Name: "cfl", Shape: Scalar, Default: new(2.0), Min: new(0.1), Max: new(10.0)}},
		Outputs: []Quantity{
			{Name: "PR", Shape: Scalar, Required: true, Min: new(0.0)},
			{Name: "exit", Shape: Profile},
		},
		Controls: []string{"cfl"},
	}
}

// alternative is a rotor that can do with its shaft's power, W, in place of its speed.
func alternative() Description {
	d := rotor()
	d.Inputs = append(d.Inputs, Quantity{Name: "power", Unit: "W", Shape: Scalar, InPlaceOf: "N"})
	return d
}

func good() Request {
	return Request{
		Run: "r1", Numbers: map[string]float64{"N": 3000}, Arrays: map[string][]float64{"Pt": {1e5, 1e5}},
		Texts: map[string]string{"geometry": "...", "mesh": "mesh.xyz"},
	}
}

func TestCheckRequest(t *testing.T) {
	d := rotor()
	must.OK(t, d.CheckRequest(good()))
	for _, c := range []struct {
		change func(*Request)
		want   []string
	}{
		{func(r *Request) { r.Numbers["Q"] = 1 }, []string{"Q is unknown; it takes N, Pt, geometry, mesh, cfl"}},
		{func(r *Request) { r.Numbers = nil }, []string{"N is missing (scalar, 0 to inf rpm)"}},
		{func(r *Request) { r.Numbers["N"] = -1 }, []string{"N is -1; it must be finite and within 0 to inf rpm"}},
		{
			func(r *Request) { r.Numbers["N"] = math.NaN() },
			[]string{"N is NaN; it must be finite and within 0 to inf rpm"},
		},
		{
			func(r *Request) { r.Numbers["cfl"] = math.Inf(1) },
			[]string{"cfl is +Inf; it must be finite and within 0.1 to 10"},
		},
		{func(r *Request) { r.Numbers["Pt"] = 1e5 }, []string{"Pt must be a profile, not a scalar"}},
		{func(r *Request) { r.Arrays["N"] = []float64{1} }, []string{"N must be a scalar, not a profile"}},
		{func(r *Request) { r.Texts["N"] = "3000" }, []string{"N must be a scalar, not a text"}},
		{func(r *Request) { r.Arrays["Pt"] = nil }, []string{"Pt is an empty profile"}},
		{
			func(r *Request) { r.Arrays["Pt"] = []float64{1e5, 0, -1} },
			[]string{"Pt[1] is 0; it must be finite and within 1 to inf Pa"},
		},
		{
			func(r *Request) { *r = Request{Run: "r1", Numbers: map[string]float64{"X": 1}} },
			[]string{"X is unknown; it takes N, Pt, geometry, mesh, cfl", "N is missing (scalar, 0 to inf rpm)",
				"Pt is missing (profile, 1 to inf Pa)", "geometry is missing (text, -inf to inf)"},
		},
	} {
		r := good()
		c.change(&r)
		var got *RequestError
		if err := d.CheckRequest(r); !errors.As(err, &got) {
			t.Errorf("%q: %v", c.want, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Problems); diff != "" {
			t.Error(diff)
		}
		if !strings.HasPrefix(got.Error(), "run r1: solver rotor cannot take the request: ") {
			t.Error(got)
		}
	}
}

// An input in another's place does for it, and does not stand beside it.
func TestCheckAlternatives(t *testing.T) {
	d := alternative()
	must.OK(t, d.CheckRequest(good()))
	r := good()
	r.Numbers = map[string]float64{"power": 2e6}
	must.OK(t, d.CheckRequest(r))
	r.Numbers["N"] = 3000
	if err := d.CheckRequest(r); err == nil ||
		!strings.Contains(err.Error(), "power is in place of N, and both are there") {
		t.Errorf("both: %v", err)
	}
	r.Numbers = nil
	if err := d.CheckRequest(r); err == nil || !strings.Contains(err.Error(), "N is missing") {
		t.Errorf("none: %v", err)
	}
}

func TestCheckResult(t *testing.T) {
	d := rotor()
	for _, c := range []struct {
		result Result
		want   string // empty: none
	}{
		{Result{Class: event.Converged, Numbers: map[string]float64{"PR": 1.6}}, ""},
		{
			Result{
				Class: event.Converged, Numbers: map[string]float64{"PR": 1.6},
				Arrays: map[string][]float64{"exit": {1}},
			}, "",
		},
		{Result{Class: event.Diverged, Numbers: map[string]float64{"PR": math.NaN()}}, ""},
		{Result{Class: event.Stalled}, ""},
		{Result{Class: event.Converged}, "PR is missing"},
		{Result{Class: event.Converged, Numbers: map[string]float64{"PR": math.Inf(-1)}}, "PR is -Inf"},
		{Result{Class: event.Converged, Numbers: map[string]float64{"PR": -1}}, "PR is -1"},
		{Result{Class: event.Converged, Numbers: map[string]float64{"PR": 1, "TR": 1}}, "TR is no output of it"},
		{Result{Class: event.Converged, Arrays: map[string][]float64{"PR": {1}}}, "PR must be a scalar"},
		{
			Result{
				Class: event.Converged, Numbers: map[string]float64{"PR": 1},
				Arrays: map[string][]float64{"exit": {1, math.NaN()}},
			}, "exit[1] is NaN",
		},
		{Result{Class: event.Stalled, Numbers: map[string]float64{"TR": 1}}, "TR is no output of it"},
		{Result{Class: event.Hung}, `class "hung" is not one of`},
		{Result{}, `class "" is not one of`},
	} {
		err := d.CheckResult(c.result)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.result, err, c.want)
		}
	}
}

func TestDescriptionsAreChecked(t *testing.T) {
	d := rotor()
	must.OK(t, d.Check())
	for want, change := range map[string]func(*Description){
		"no name":                   func(d *Description) { d.Name = "" },
		"no version":                func(d *Description) { d.Version = "" },
		"N occurs twice":            func(d *Description) { d.Settings[0].Name = "N" },
		`name "in let"`:             func(d *Description) { d.Inputs[0].Name = "in let" },
		`shape "vector"`:            func(d *Description) { d.Outputs[0].Shape = "vector" },
		"default of 99":             func(d *Description) { d.Settings[0].Default = new(99.0) },
		`control "Pt" is no scalar`: func(d *Description) { d.Controls = []string{"Pt"} },
		"no pattern":                func(d *Description) { d.Files = []history.File{{Format: "columns"}} },
		"missing argument": func(d *Description) {
			d.Files = []history.File{{Pattern: "x", Patterns: []history.Pattern{{Regexp: "*"}}}}
		},
		`power is in place of "Q"`:           func(d *Description) { d.Inputs[4].InPlaceOf = "Q" },
		`power is in place of "power"`:       func(d *Description) { d.Inputs[4].InPlaceOf = "power" },
		`PR is in place of "N"`:              func(d *Description) { d.Outputs[0].InPlaceOf = "N" },
		"it must not be required":            func(d *Description) { d.Inputs[4].Required = true },
		"neither may have a default":         func(d *Description) { d.Inputs[0].Default = new(3000.0) },
		"the second one in no other's place": func(d *Description) { d.Inputs[0].InPlaceOf = "Pt" },
	} {
		d := alternative()
		change(&d)
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestDefaultsFillGapsOnly(t *testing.T) {
	d := rotor()
	r := good()
	if got := d.WithDefaults(r).Numbers["cfl"]; got != 2 {
		t.Errorf("cfl %g", got)
	}
	if _, changed := r.Numbers["cfl"]; changed {
		t.Error("the caller's request was changed")
	}
	r.Numbers["cfl"] = 5
	if got := d.WithDefaults(r).Numbers["cfl"]; got != 5 {
		t.Errorf("cfl %g, but 5 was given", got)
	}
}

// The coarse mesh is that of the user's settings, or of their defaults, with so many times what the description says.
func TestCoarseMesh(t *testing.T) {
	d := rotor()
	if _, err := d.Coarse(nil); err == nil || !strings.Contains(err.Error(), "rotor states no coarse mesh") {
		t.Errorf("without one: %v", err)
	}
	d.Settings = append(d.Settings, Quantity{Name: "cells", Shape: Scalar, Default: new(80.0), Min: new(30.0),
		Coarse: new(0.5)})
	must.OK(t, d.Check())
	for _, c := range []struct {
		set  map[string]float64
		want float64
	}{{nil, 40}, {map[string]float64{"cells": 120, "cfl": 3}, 60}} {
		if got, err := d.Coarse(c.set); err != nil || len(got) != 1 || got["cells"] != c.want {
			t.Errorf("of %v: %v, %v; want %g cells", c.set, got, err, c.want)
		}
	}
	if _, err := d.Coarse(map[string]float64{"cells": 40}); err == nil ||
		!strings.Contains(err.Error(), "on the coarse mesh of rotor cells is 20; it must be 30 to inf") {
		t.Errorf("beyond the bounds: %v", err)
	}
	for _, bad := range []float64{0, -1, 0.1, math.NaN()} {
		d.Settings[1].Coarse = new(bad)
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), "cells is") {
			t.Errorf("%g times as many: %v", bad, err)
		}
	}
}
