//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A file that an engine names is not opened before it is known to be one: a device would
// be read for ever, a pipe be waited for.
func TestDevicesAreNoFiles(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/turbojet.yaml"))(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.OK(t, syscall.Mkfifo(pipe, 0o600))
	const named = "map: maps/axial.map"
	if !strings.Contains(string(data), named) {
		t.Fatal("the engine names no map")
	}
	for path, want := range map[string]string{"/dev/zero": "a device, want a regular file",
		pipe: "a pipe, want a regular file"} {
		file := filepath.Join(dir, "engine.yaml")
		must.OK(t, os.WriteFile(file, []byte(strings.Replace(string(data), named, "map: "+path, 1)), 0o600))
		must.Refuse(config.Load(file, catalogue(), nil))(t, want+": "+path)
		must.Refuse(config.Load(path, catalogue(), nil))(t, want)
		must.Refuse(config.LoadSolvers(path, nil))(t, want)
		must.Refuse(hosts.Load(path))(t, want)
	}
}
