package executive

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// interruptedZoomer is a Zoomer whose user interrupts it.
type interruptedZoomer struct{ interrupt context.CancelFunc }

func (z interruptedZoomer) Study(ctx context.Context, _ *config.Zoom, _ *Judge) (*study.Study, error) {
	z.interrupt()
	return nil, ctx.Err()
}

// A run interrupted before its zooms has the cases without zoom, and reports it for each.
func TestInterruptedRunMarksCasesWithoutZoom(t *testing.T) {
	catalogue := components.Catalogue()
	catalogue.Solvers = []string{"throughflow"}
	cfg := must.Value(config.Load("testdata/zoomed.yaml", catalogue, nil))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	names := session.CaseNames(cfg)
	r, err := Run(ctx, cfg, names, Options{Workers: 1, Zoomer: interruptedZoomer{cancel}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	data := must.Value(json.Marshal(r))(t)
	if n := strings.Count(string(data), `"interrupted":true`); n != len(names) || len(r.Cases) != n {
		t.Errorf("%d of %d cases are marked as interrupted", n, len(names))
	}
	found := map[string]bool{}
	for _, w := range r.Warnings {
		if w.Rule == "interrupted" && strings.Contains(w.Message, "before the case was zoomed") {
			found[w.Case] = true
		}
	}
	if len(found) != len(names) {
		t.Errorf("warned of %v, want %v", found, names)
	}
}
