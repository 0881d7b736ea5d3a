package intake

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

var small = Limit{"a note", 1 << 10}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note")
	for _, size := range []int{0, 1, 1023, 1024} {
		want := strings.Repeat("x", size)
		must.OK(t, os.WriteFile(path, []byte(want), 0o600))
		if got, err := Read(path, small); err != nil || string(got) != want {
			t.Errorf("%d bytes were read as %d (%v)", size, len(got), err)
		}
	}
	must.OK(t, os.Truncate(path, 1<<40)) // a hole, which takes no room
	var size *SizeError
	if _, err := Read(path, small); !errors.As(err, &size) ||
		err.Error() != "read "+path+": over 1 KiB, the most that a note may have" {
		t.Errorf("a file of a TiB: %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), small); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Read(t.TempDir(), small); err == nil ||
		!strings.HasSuffix(err.Error(), "a folder, want a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// A reader that says nothing of its size is read to the limit at most.
func TestAll(t *testing.T) {
	if got, err := All(strings.NewReader(strings.Repeat("x", 1024)), small); err != nil || len(got) != 1024 {
		t.Errorf("%d bytes (%v)", len(got), err)
	}
	endless := endlessReader{}
	var size *SizeError
	if _, err := All(endless, small); !errors.As(err, &size) {
		t.Errorf("an endless reader: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) { return len(p), nil }
