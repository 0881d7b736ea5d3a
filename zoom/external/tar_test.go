//go:build unix

package external

import (
	"archive/tar"
	"os"
	"testing"
)

// tarOf makes an archive with one file.
func tarOf(t *testing.T, path, name string) {
	t.Helper()
	f := must(os.Create(path))(t)
	w := tar.NewWriter(f)
	noError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644}))
	noError(t, w.Close())
	noError(t, f.Close())
}
