package bridge

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A folder for sockets that somebody else may look into, or has put in its place, is refused.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		testenv.NotHere(t, "folders have no modes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "folder")
	must.OK(t, os.Mkdir(path, 0o700))
	must.OK(t, private(path))
	link := filepath.Join(dir, "link")
	must.OK(t, os.Symlink(path, link))
	if err := private(link); err == nil {
		t.Error("a link is taken for a private folder")
	}
	if os.Geteuid() == 0 {
		theirs := filepath.Join(dir, "theirs")
		must.OK(t, os.Mkdir(theirs, 0o700))
		must.OK(t, os.Chown(theirs, 12345, -1))
		if err := private(theirs); err == nil {
			t.Error("the folder of another user is taken")
		}
	}
	must.OK(t, os.Chmod(path, 0o750)) //nolint:gosec // that is what is refused
	if err := private(path); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a folder that others may look into: %v", err)
	}
}

// A bridge that is called in a wrong way says so, and does nothing.
func TestServeWrongly(t *testing.T) {
	for _, args := range [][]string{nil, {Open}, {"fly", "n0", "abc"}, {Open, "n0"}, {Join, "n0", "../x"},
		{End, "n0", "UPPER"}, {Open, "n0", "aaaaaaaaaaaaaaaa"}} {
		var out, errs bytes.Buffer
		status := Serve(t.Context(), args, strings.NewReader(""), &out, &errs)
		if status == 0 || out.Len()+errs.Len() == 0 ||
			out.Len() > 0 && !strings.HasPrefix(out.String(), Mark("n0")+Failed) {
			t.Errorf("%q: status %d, %q, %q", args, status, out.String(), errs.String())
		}
	}
	if base, err := openBase(); err != nil || len(base.place("aaaaaaaaaaaaaaaa").path("")) == 0 {
		t.Error(err)
	} else if _, err := os.Stat(base.place("aaaaaaaaaaaaaaaa").path("")); err == nil {
		t.Error("a block without a command has a folder")
	}
}
