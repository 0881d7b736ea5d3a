package plugin

import (
	"context"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// A run that was stopped says so, and not that a context was canceled.
func TestStoppedRunSaysWhy(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrStopped)
	r := failedResult(ctx, Result{}, ctx.Err())
	if r.Class != event.Killed || strings.Contains(r.Message, "canceled") || !strings.Contains(r.Message, ErrStopped.Error()) {
		t.Errorf("%s: %s", r.Class, r.Message)
	}
}
