package zoom

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

func TestUnfit(t *testing.T) {
	var d plugin.Description
	for _, g := range rowsGiven {
		d.Inputs = append(d.Inputs, plugin.Quantity{Name: g.name, Shape: g.shape, Required: true})
	}
	for _, r := range rowsRead {
		d.Outputs = append(d.Outputs, plugin.Quantity{Name: r.name, Shape: r.shape})
	}
	if reasons := Unfit("fan", true, &d); len(reasons) > 0 {
		t.Errorf("%v", reasons)
	}
	d.Inputs = append(slices.Delete(d.Inputs, 1, 2), plugin.Quantity{Name: "moon", Shape: plugin.Scalar, Required: true}, plugin.Quantity{Name: "tide", Shape: plugin.Scalar})
	d.Outputs[0].Shape, d.Outputs = plugin.Profile, d.Outputs[:5]
	want := []string{"it has no input N, a scalar", "it needs the input moon, which the zoom of such a component does not give",
		"its output W is a profile; it must be a scalar", "it has no output exit_Tt, a profile"}
	if diff := cmp.Diff(want, Unfit("fan", true, &d)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
