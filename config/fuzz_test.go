package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
)

// FuzzParse holds that whatever the bytes, Parse ends, does not panic, and gives
// an engine or a list of problems with places inside the text.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, "testdata/turbojet.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "burner.FAR=0.03")
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		engine, err := config.Parse("fuzz.yaml", data, catalogue(), []string{set})
		if err == nil {
			if engine == nil || engine.Name == "" || len(engine.Components) == 0 {
				t.Fatalf("accepted %+v", engine)
			}
			return
		}
		var e *document.Errors
		if !errors.As(err, &e) || len(e.Problems) == 0 || err.Error() == "" {
			t.Fatalf("refused without a problem: %v", err)
		}
		for _, p := range e.Problems {
			if p.Message == "" || p.Pos.Line < 0 || p.Pos.Column < 0 {
				t.Fatalf("problem without a message or place: %+v", p)
			}
		}
	})
}
