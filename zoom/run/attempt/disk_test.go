package attempt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// What a study has on disk is the sum of its folder, whoever is looked at first, whatever began before the first look
// and whatever ended since.
func TestStudyDiskIsTheSum(t *testing.T) {
	base := t.TempDir()
	write := func(run string, bytes int) string {
		folder := filepath.Join(base, run)
		must.OK(t, os.MkdirAll(folder, 0o755))
		must.OK(t, os.WriteFile(filepath.Join(folder, "out"), make([]byte, bytes), 0o644))
		return folder
	}
	var d disk
	look := func(folder string, want int64) {
		t.Helper()
		if got := d.used(base, folder, sizeOf(folder)); got != want {
			t.Errorf("the study has %d bytes, want %d", got, want)
		}
	}
	write("old", 1000)
	a, b := write("a", 100), write("b", 10)
	d.begin(a)
	d.begin(b)
	look(a, 1110)
	look(b, 1110)
	write("b", 20)
	look(b, 1120)
	d.end(a)
	c := write("c", 3)
	d.begin(c)
	look(b, 1120) // what nobody has looked at yet counts when it is
	look(c, 1123)
	d.end(c)
	d.end(b)
	e := write("e", 7)
	d.begin(e)
	look(e, 1130)
}

// A folder whose name is no text is refused before a run: its solver could not be given the name.
func TestStudyFolderIsText(t *testing.T) {
	must.Refuse(NewHost(filepath.Join(t.TempDir(), "x\xff"), nil, "local"))(t, `x\xff" is not text in UTF-8`)
}
