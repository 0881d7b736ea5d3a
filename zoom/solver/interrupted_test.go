package solver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A run of bladerow that is interrupted while its axisymmetric flow is computed leaves no checkpoint: that would be of a
// start from rest, which the request alone does not make.
func TestInterruptedBeforeTheFirstStep(t *testing.T) {
	geometry := must(os.ReadFile("../../config/examples/geometry/e3-fan.yaml"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	request := plugin.Request{
		Folder:  t.TempDir(),
		Numbers: map[string]float64{zoom.InSpeed: 3727.7, zoom.InGamma: 1.4, zoom.InR: 287.05, zoom.InThrottle: 0.29, "refine": 0.25, "cfl": 5, "max_iterations": 100, "orders": 3},
		Arrays:  map[string][]float64{zoom.InSpan: {0, 1}, zoom.InPt: {101325, 101325}, zoom.InTt: {288.15, 288.15}, zoom.InAlpha: {0, 0}},
		Texts:   map[string]string{zoom.InGeometry: string(geometry), "model": "euler"},
	}
	_, err := (&BladeRow{}).Run(ctx, request, func(e event.Event) { t.Errorf("it says: %s", e.Text) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(request.Folder, march.SolutionFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it leaves a checkpoint, %v", err)
	}
}
