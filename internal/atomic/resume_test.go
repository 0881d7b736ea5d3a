package atomic

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What one try has written is the beginning of the next, until a try succeeds; nothing but the file is left.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	add := func(text string, after error) (had string, err error) {
		err = Resume(path, func(part *os.File) error {
			data, err := io.ReadAll(part)
			had = string(data)
			_, werr := part.WriteString(text)
			return errors.Join(err, werr, after)
		}, Mode(0o640))
		return had, err
	}
	broke := errors.New("broke")
	if had, err := add("a", broke); had != "" || !errors.Is(err, broke) {
		t.Errorf("had %q, %v", had, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a part has the name")
	}
	if had, err := add("b", broke); had != "a" || !errors.Is(err, broke) {
		t.Errorf("had %q, %v", had, err)
	}
	if had, err := add("c", nil); had != "ab" || err != nil {
		t.Errorf("had %q, %v", had, err)
	}
	holds(t, path, "abc")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if had, err := add("d", &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}); had != "" || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("had %q, %v", had, err)
	}
	holds(t, path, "abc")
	if err := Resume(filepath.Join(path, "x"), func(*os.File) error { return nil }); err == nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("below a file: %v", err)
	}
}
