package mock

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Python prepares the Python solver of the folder example in a temporary folder and returns its path. It needs a Python
// with grpcio (Debian's python3-grpcio, python3-protobuf and protobuf-compiler). Without it the test is skipped, or
// fails if CI=true.
func Python(t *testing.T, example string) string {
	t.Helper()
	python, err := findPython()
	if err != nil {
		testenv.Missing(t, "Python with gRPC (apt-get install python3-grpcio python3-protobuf protobuf-compiler)")
	}
	dir := t.TempDir()
	zoom := filepath.Dir(example)
	command := exec.Command("protoc", "-I", filepath.Join(zoom, "plugin", "proto"), "-I",
		filepath.Join(zoom, "..", "watchdog", "event", "proto"), "--python_out="+dir, "solver.proto", "event.proto")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(example, "meanline.py"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "meanline.py")
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(program, []byte("#!"+python+"\n"+rest), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// findPython returns the path of a Python with grpcio: the first python3 in the path, or the
// system's.
func findPython() (path string, err error) {
	if out, err := exec.Command("protoc", "--version").CombinedOutput(); err != nil {
		return "", fmt.Errorf("needs protoc: %v %s", err, out)
	}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		var out []byte
		if path, err = exec.LookPath(name); err != nil {
			continue
		}
		if out, err = exec.Command(path, "-c", "import grpc, google.protobuf").CombinedOutput(); err == nil {
			return path, nil
		}
		err = fmt.Errorf("%s: %w %s", path, err, out)
	}
	return "", fmt.Errorf("needs Python with grpcio: %w", err)
}
