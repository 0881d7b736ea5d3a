package report

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// looks is a context that ends when it is looked at for the n-th time.
type looks struct {
	context.Context
	left, seen int
}

func (l *looks) Err() error {
	if l.seen++; l.seen >= l.left {
		return context.Canceled
	}
	return nil
}

// Writing the rows of a long history ends with the context, and leaves whole files only.
func TestWritingIsInterrupted(t *testing.T) {
	const rows = 20_000
	h := &result.History{Columns: []config.Quantity{{Path: "performance.Fn", Dim: unit.Force}},
		T: make([]float64, rows), Values: [][]float64{make([]float64, rows)}}
	for i := range h.T {
		h.T[i] = float64(i)
	}
	r := &result.Results{
		Engine: "e", Warnings: []result.Warning{},
		Cases: []*result.Result{{Name: "a", Kind: "transient", Converged: true, History: h}},
	}
	all := &looks{Context: t.Context(), left: 1 << 60}
	whole := t.TempDir()
	must.OK(t, WriteFolder(all, whole, r, unit.SI, false))
	if all.seen < 50 {
		t.Errorf("it looks %d times for %d rows", all.seen, rows)
	}
	for _, at := range []int{1, 2, all.seen / 4, all.seen / 2, all.seen - 1} {
		dir, ctx := t.TempDir(), &looks{Context: t.Context(), left: at}
		if err := WriteFolder(ctx, dir, r, unit.SI, false); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d of %d: %v", at, all.seen, err)
		}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == writtenFile {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			want, err := os.ReadFile(filepath.Join(whole, name))
			if err != nil || strings.HasPrefix(d.Name(), atomic.Prefix) {
				t.Errorf("ended at look %d: %s is left: %v", at, name, err)
				return nil
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
				t.Errorf("ended at look %d: %s has %d bytes of %d, %v", at, name, len(got), len(want), err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
