package golden

import (
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestFigures(t *testing.T) {
	f := Figures{}
	must.OK(t,
		f.AddJSON("x",
			[]byte(
				`{"cases": [{"name": "a", "Fn": 0.1, "ok": true, "message": "text"}], "t": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}`)))
	if len(f) != 4 || f["x/cases/a/Fn"] != "0.1" || f["x/cases/a/ok"] != "true" {
		t.Errorf("%v", f)
	}
	file := filepath.Join(t.TempDir(), "f.gz")
	must.OK(t, write(file, f))
	g, err := read(file)
	if err != nil || len(g) != len(f) || g["x/t"] != f["x/t"] {
		t.Errorf("%v %v", g, err)
	}
}
