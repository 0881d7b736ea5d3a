package external

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
)

// All that is wrong with a description is said at once, with its place.
func TestFaults(t *testing.T) {
	_, err := Load(filepath.Join("testdata", "bad.yaml"))
	var all *document.Errors
	if !errors.As(err, &all) {
		t.Fatalf("error %v", err)
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range all.Problems {
		b.WriteString(strings.ReplaceAll(p.Error(), here+"/", "") + "\n")
	}
	path := filepath.Join("testdata", "bad.txt")
	if os.Getenv("PEREGRINE_STORE") != "" {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

// Whatever stands in a description, it is refused or can be rendered for its request.
func FuzzDescription(f *testing.F) {
	for _, path := range []string{"testdata/bad.yaml", "../example/start/description.yaml"} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			d, err := Parse(filepath.Join(t.TempDir(), "d.yaml"), []byte(text))
			if err != nil {
				return
			}
			r, _ := d.Requests()
			env := newEnvironment(r)
			for _, p := range d.files {
				if p.text != nil {
					_, _ = p.text.render(env)
				}
			}
		})
	})
}
