package solver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A run of bladerow that is interrupted while its axisymmetric flow is computed leaves no checkpoint: that would be of a
// start from rest, which the request alone does not make.
func TestInterruptedBeforeTheFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	request := coarseRow(t)
	delete(request.Texts, "start")
	_, err := (&BladeRow{}).Run(ctx, request, func(e event.Event) { t.Errorf("it says: %s", e.Text) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(request.Folder, march.SolutionFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it leaves a checkpoint, %v", err)
	}
}
