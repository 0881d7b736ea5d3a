package format

import (
	"strings"
	"testing"
)

func TestFormatsAreFoundByName(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name()] || f.Title() == "" {
			t.Errorf("format %q has no title, or another has its name", f.Name())
		}
		seen[f.Name()] = true
		if got, err := Find(f.Name()); err != nil || got != f {
			t.Errorf("%s: %v, %v", f.Name(), got, err)
		}
	}
	for _, w := range Writers() {
		if got, err := FindWriter(w.Name()); err != nil || got != w {
			t.Errorf("%s: %v, %v", w.Name(), got, err)
		}
	}
}

func TestUnknownFormats(t *testing.T) {
	if _, err := Find("xls"); err == nil || err.Error() != `no map format is called "xls"; there are peregrine, json, npss, gasturb, csv` {
		t.Error(err)
	}
	if _, err := FindWriter("xls"); err == nil || strings.Contains(err.Error(), "json") {
		t.Error(err)
	}
	if _, err := FindWriter("json"); err == nil || err.Error() != `maps cannot be written as JSON, only read; formats to write are peregrine, npss, gasturb, csv` {
		t.Error(err)
	}
}
