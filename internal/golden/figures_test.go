package golden

import (
	"path/filepath"
	"testing"
)

func TestFigures(t *testing.T) {
	f := Figures{}
	if err := f.AddJSON("x", []byte(`{"cases": [{"name": "a", "Fn": 0.1, "ok": true, "message": "text"}], "t": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}`)); err != nil {
		t.Fatal(err)
	}
	if len(f) != 4 || f["x/cases/a/Fn"] != "0.1" || f["x/cases/a/ok"] != "true" {
		t.Errorf("%v", f)
	}
	file := filepath.Join(t.TempDir(), "f.gz")
	if err := write(file, f); err != nil {
		t.Fatal(err)
	}
	g, err := read(file)
	if err != nil || len(g) != len(f) || g["x/t"] != f["x/t"] {
		t.Errorf("%v %v", g, err)
	}
}
