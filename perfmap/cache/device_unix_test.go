//go:build unix

package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// An entry that is a link to a device is damaged like any other: it is set aside, and
// made once more.
func TestDeviceIsNoEntry(t *testing.T) {
	c := must.Value(Open(t.TempDir()))(t)
	k := must.Value(NewKey(map[string]string{"a": "device"}))(t)
	must.OK(t, os.MkdirAll(filepath.Dir(c.path(k)), 0o700))
	must.OK(t, os.Symlink("/dev/zero", c.path(k)))
	var damaged *DamagedError
	if _, ok, err := c.Get(k); ok || !errors.As(err, &damaged) || damaged.Aside == "" ||
		damaged.Reason != "a link, want a regular file" {
		t.Fatalf("%v, %v", ok, err)
	}
	if _, ok, err := c.Get(k); ok || err != nil {
		t.Errorf("set aside: %v, %v", ok, err)
	}
}
