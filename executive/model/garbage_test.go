package model

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// An evaluation off design makes no garbage, whatever the engine is made of.
func TestExamplesMakeNoGarbage(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		cfg, err := config.Load(file, components.Catalogue(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSession(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Model.Settle(); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20, func() {
			if err := s.Model.evaluate(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %g allocations an evaluation", filepath.Base(file), n)
		}
	}
}
