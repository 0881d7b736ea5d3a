package session

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// An evaluation off design makes no garbage, whatever the engine is made of.
func TestExamplesMakeNoGarbage(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		cfg := must.Value(config.Load(file, components.Catalogue(), nil))(t)
		s := must.Value(Open(context.Background(), cfg))(t)
		must.OK(t, s.Model.Settle())
		if n := testing.AllocsPerRun(20, func() {
			must.OK(t, s.Model.Evaluate())
		}); n != 0 {
			t.Errorf("%s: %g allocations an evaluation", filepath.Base(file), n)
		}
	}
}
