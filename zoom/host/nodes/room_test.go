package nodes_test

// Disks that are full, on either side.

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// small makes a folder a disk of 4 MB.
func small(t *testing.T, folder string) {
	t.Helper()
	must.OK(t, os.MkdirAll(folder, 0o755))
	if _, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "none", folder).CombinedOutput(); err != nil {
		testenv.NotHere(t, "no small disk can be mounted")
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// taken is how many bytes the files of a folder have.
func taken(t *testing.T, folder string) (bytes int64) {
	t.Helper()
	err := filepath.Walk(folder, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	})
	must.OK(t, err)
	return bytes
}

// A file that does not fit on the node names the file, the node and the full disk, and takes no room there.
func TestNodeIsFull(t *testing.T) {
	folder := t.TempDir()
	small(t, folder)
	a := newApart(t, &hosts.Launcher{},
		func(p *inProcess) { p.place = func(r *agent.NodeInfo) { r.Unshared, r.Folder = true, folder } })
	task, here, _ := a.run()
	mesh := filepath.Join(t.TempDir(), "mesh.bin")
	write(t, mesh, noise(8<<20, 1))
	d := plugin.Description{Inputs: []plugin.Quantity{{Name: "mesh", Shape: plugin.FileName}}}
	_, err := task.Carry(t.Context(), plugin.Request{Folder: here, Texts: map[string]string{"mesh": mesh}}, d)
	for _, want := range []string{"mesh of the request", "node-b001", "no space left on device"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if n := taken(t, folder); n > 1<<20 {
		t.Errorf("%d bytes are taken there", n)
	}
	write(t, mesh, noise(2<<20, 1))
	if _, err := task.Carry(t.Context(), plugin.Request{Folder: here, Texts: map[string]string{"mesh": mesh}},
		d); err != nil {
		t.Errorf("a file that fits does not go: %v", err)
	}
}

// What does not fit here names the file and the full disk, takes no room, and keeps nothing else from coming; there
// it stays.
func TestHostIsFull(t *testing.T) {
	a := newApart(t, &hosts.Launcher{}, nil)
	task, here, there := a.run()
	small(t, here)
	write(t, filepath.Join(there, "field.bin"), noise(8<<20, 1))
	write(t, filepath.Join(there, "history.txt"), noise(1000, 2))
	err := task.Fetch(t.Context(), here, plugin.Description{}, false)
	for _, want := range []string{filepath.Join(here, "field.bin"), "no space left on device"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if n := taken(t, here); n != 1000 {
		t.Errorf("%d bytes are taken here", n)
	}
	if n := taken(t, there); n < 8<<20 {
		t.Errorf("%d bytes are left there", n)
	}
}
