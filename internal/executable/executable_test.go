package executable_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/executable"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

const runs = "PEREGRINE_TEST_IMAGE"

func TestMain(m *testing.M) {
	if os.Getenv(runs) != "" {
		os.Exit(7)
	}
	os.Exit(m.Run())
}

// The image of a program is smaller than its file, runs, and is its own image.
func TestImageRuns(t *testing.T) {
	if runtime.GOOS != "linux" {
		testenv.NotHere(t, "its programs are not ELF")
	}
	self := must.Value(os.Executable())(t)
	image := must.Value(executable.Read(self))(t)
	r := must.Value(executable.Open(self))(t)
	path := filepath.Join(t.TempDir(), "image")
	must.OK(t, os.WriteFile(path, must.Value(io.ReadAll(r))(t), 0o700))
	must.OK(t, r.Close())
	info, whole := must.Value(os.Stat(path))(t), must.Value(os.Stat(self))(t)
	if info.Size() != image.Size || image.Size >= whole.Size() || image.Sum != must.Value(checksum.Of(path))(t) {
		t.Errorf("%+v of %d bytes, its file has %d", image, whole.Size(), info.Size())
	}
	command := exec.Command(path)
	command.Env = append(os.Environ(), runs+"=1")
	if _ = command.Run(); command.ProcessState == nil || command.ProcessState.ExitCode() != 7 {
		t.Errorf("it does not run: %v", command.ProcessState)
	}
	if again := must.Value(executable.Read(path))(t); again.Sum != image.Sum {
		t.Errorf("the image of the image is %+v", again)
	}
}

// A file that is no program is its own image, also a short or damaged one.
func TestOtherFiles(t *testing.T) {
	for name, text := range map[string]string{"script": "#!/bin/sh\n", "empty": "", "short": "\x7fELF\x02\x01\x01"} {
		path := filepath.Join(t.TempDir(), name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o700))
		image := must.Value(executable.Read(path))(t)
		if image.Size != int64(len(text)) || image.Sum != must.Value(checksum.Of(path))(t) {
			t.Errorf("%s: %+v", name, image)
		}
	}
}
