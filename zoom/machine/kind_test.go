package machine

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// What components say of themselves and the table of kinds agree: which can be zoomed, and how many coordinates and
// parameters their laws have.
func TestKindsAreThoseOfComponents(t *testing.T) {
	var zoomable []string
	for _, typ := range components.Catalogue().Types {
		if typ.Zoomable {
			zoomable = append(zoomable, typ.Name)
		}
	}
	slices.Sort(zoomable)
	if diff := cmp.Diff(zoomable, slices.Sorted(maps.Keys(kinds))); diff != "" {
		t.Errorf("-components +kinds:\n%s", diff)
	}
	for _, c := range []struct {
		part components.Component
		kind lawful
	}{{&components.Nozzle{}, nozzle}, {&components.Inlet{}, inlet}, {&components.Duct{}, duct},
		{&components.Burner{}, burner}} {
		d := &components.Declaration{}
		c.part.Declare(d)
		var place, values []string
		for _, x := range c.kind.coordinates {
			place = append(place, x.name)
		}
		for _, p := range c.kind.parameters {
			values = append(values, p.name)
		}
		if diff := cmp.Diff([][]string{d.LawUse.Place, d.LawUse.Values}, [][]string{place, values}); diff != "" {
			t.Errorf("%s: -component +kind:\n%s", d.Type.Name, diff)
		}
	}
}

// A place is found by its point, and what a run is requested at is near it.
func TestPlacesAndPoints(t *testing.T) {
	m := &Machine{Name: "burner", Type: "burner", Gamma: 1.35, R: 287, Pt: 2e6, Tt: 800, Place: [2]float64{6, 0.025},
		Values: [2]float64{0.05, 0.99}}
	place := [2]float64{5.4, 0.021}
	p := m.PointAt(place)
	if math.Abs(p.Nu-math.Log(0.9)) > 1e-12 || math.Abs(p.Kappa+0.004) > 1e-12 {
		t.Errorf("point %+v", p)
	}
	for i, v := range burner.place(m, p) {
		if math.Abs(v/place[i]-1) > 3e-4 {
			t.Errorf("coordinate %d: %g, want about %g", i, v, place[i])
		}
	}
	w := burner.want(m, p, nil)
	if !strings.HasPrefix(w.Name, "burner-Wc5.") || !strings.HasSuffix(w.Name, "-FAR0.021") {
		t.Errorf("run %s", w.Name)
	}
	if got := m.corrected(w.Inputs[InFlow]); math.Abs(got/5.4-1) > 1e-5 {
		t.Errorf("flow %g kg/s corrected, want 5.4", got)
	}
}

// The ideal nozzle is the textbook's: choked above the critical pressure ratio, with the flow of a sonic throat and
// at twice that ratio the thrust of an underexpanded jet; with a full expansion never less.
func TestIdealNozzle(t *testing.T) {
	m := &Machine{Gamma: 1.4, R: 287, Pt: 2e5, Tt: 400}
	sonic := math.Sqrt(1.4/287) * math.Pow(1.2, -3) // flow parameter W sqrt(Tt)/(A Pt)
	critical := math.Pow(1.2, 3.5)
	for _, npr := range []float64{critical, 2 * critical, 10} {
		flux, thrust := m.idealNozzle(npr)
		if got := flux * 20 / 2e5; math.Abs(got/sonic-1) > 1e-12 {
			t.Errorf("NPR %.3g: flow parameter %g, want %g", npr, got, sonic)
		}
		v := math.Sqrt(1.4 * 287 * 400 / 1.2)
		if want := v + 2e5*(1/critical-1/npr)/flux; math.Abs(thrust/want-1) > 1e-12 {
			t.Errorf("NPR %.3g: %g m/s of thrust, want %g", npr, thrust, want)
		}
		full := *m
		full.Ideal = true
		if _, most := full.idealNozzle(npr); most < thrust*(1-1e-12) {
			t.Errorf("NPR %.3g: full expansion gives %g m/s, less than %g", npr, most, thrust)
		}
	}
}

// What every kind gives a solver and reads from it is said of a solver that lacks it, and a geometry counts where
// there is one.
func TestUnfitByKind(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		given, read := kinds[name].exchange()
		d := exchanging(given, read)
		if reasons := Unfit(name, false, &d); len(reasons) > 0 {
			t.Errorf("%s: %v", name, reasons)
		}
		if reasons := Unfit(name, true, &d); len(reasons) != 1 || !strings.Contains(reasons[0], "no input geometry") {
			t.Errorf("%s with a geometry: %v", name, reasons)
		}
		if reasons := Unfit(name, false, &plugin.Description{}); len(reasons) != len(given)+len(read) {
			t.Errorf("%s, nothing there: %v", name, reasons)
		}
	}
}

// exchanging describes a solver that gets and answers this.
func exchanging(given, read []exchanged) (d plugin.Description) {
	for _, g := range given {
		d.Inputs = append(d.Inputs, plugin.Quantity{Name: g.name, Shape: g.shape, Required: true})
	}
	for _, r := range read {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: r.name, Shape: r.shape})
	}
	return d
}

// Everything that a solver lacks, or wants beyond what it is given, is a reason why it does not fit.
func TestUnfit(t *testing.T) {
	d := exchanging(append([]exchanged{geometryGiven}, rowsGiven...), rowsRead)
	if reasons := Unfit("fan", true, &d); len(reasons) > 0 {
		t.Errorf("%v", reasons)
	}
	d.Inputs = append(slices.Delete(d.Inputs, 1, 2),
		plugin.Quantity{Name: "moon", Shape: plugin.Scalar, Required: true},
		plugin.Quantity{Name: "tide", Shape: plugin.Scalar})
	d.Outputs[0].Shape, d.Outputs = plugin.Profile, d.Outputs[:5]
	want := []string{
		"it has no input N, a scalar", "it needs the input moon, which the zoom of such a component does not give",
		"its output W is a profile; it must be a scalar", "it has no output exit_Tt, a profile"}
	must.Equal(t, want, Unfit("fan", true, &d))
}
