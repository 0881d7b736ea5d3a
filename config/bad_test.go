package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Each file of testdata/bad is refused with the messages of the .txt beside it,
// to the letter, with line and column.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad files (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data := must.Value(os.ReadFile(file))(t)
			_, err = config.Parse(filepath.Base(file), data, catalogue(), nil)
			if e := new(document.Errors); !errors.As(err, &e) {
				t.Fatalf("got %v, want *document.Errors", err)
			}
			golden.Text(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
		})
	}
}
