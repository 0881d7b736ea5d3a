package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// Every format has an extension of its own, implements the interfaces that its list of files promises, and writes no
// file of a sweep that the list lacks.
func TestFormats(t *testing.T) {
	seen := map[string]bool{}
	r := example()
	for _, f := range Formats() {
		if seen[f.Extension()] {
			t.Errorf("two formats write .%s", f.Extension())
		}
		seen[f.Extension()] = true
		var listed []string
		for _, file := range f.Files() {
			if file.Doc == "" {
				t.Errorf("%s.%s has no description", file.Name, f.Extension())
			}
			name := strings.ReplaceAll(file.Name, "SWEEP", r.Sweep.Name)
			listed = append(listed, "^"+regexp.MustCompile("COMPONENT|CASE").ReplaceAllString(name, `[^/]+`)+
				`(-[0-9]+)?$`)
		}
		_, results := f.(ResultsFormat)
		_, history := f.(HistoryFormat)
		s, sweeps := f.(SweepFormat)
		if !results && !history && !sweeps {
			t.Errorf("the format .%s writes nothing", f.Extension())
		}
		if !sweeps {
			continue
		}
		dir := t.TempDir()
		to := &Folder{ctx: t.Context(), dir: dir, extension: f.Extension()}
		s.Sweep(to, r, unit.SI)
		must.OK(t, to.err())
		for _, name := range filesBelow(t, dir, f.Extension()) {
			if !regexp.MustCompile(strings.Join(listed, "|")).MatchString(name) {
				t.Errorf("%s.%s is written and not listed in %q", name, f.Extension(), listed)
			}
		}
	}
}

// filesBelow lists the files below a folder without their extension, which must be that.
func filesBelow(t *testing.T, dir, extension string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		stem, ok := strings.CutSuffix(filepath.ToSlash(name), "."+extension)
		if !ok {
			t.Errorf("%s has not the extension %s", name, extension)
		}
		names = append(names, stem)
		return nil
	})
	must.OK(t, err)
	if len(names) == 0 {
		t.Errorf("no file .%s of a sweep", extension)
	}
	return names
}
