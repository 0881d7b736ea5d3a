package plugintest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

func TestMain(m *testing.M) {
	plugintest.ServeMock()
	os.Exit(m.Run())
}

func TestMockConforms(t *testing.T) {
	command, env, err := plugintest.MockCommand()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(script string) plugin.Request {
		return plugin.Request{Numbers: map[string]float64{"x": 1}, Texts: map[string]string{"script": script}}
	}
	plugintest.Conform(t, plugintest.Subject{
		Program: launch.Program{Command: command, Environment: env},
		Quick:   ask("iterate 5"), Long: ask("iterate 100000 5ms"),
	})
}

// A plugin in Python, made with nothing but solver.proto, passes the same test
// where there is a Python with grpcio.
func TestPythonConforms(t *testing.T) {
	for _, need := range [][]string{{"protoc", "--version"}, {"python3", "-c", "import grpc, google.protobuf"}} {
		if out, err := exec.Command(need[0], need[1:]...).CombinedOutput(); err != nil {
			t.Skipf("needs %q: %v %s", need, err, out)
		}
	}
	messages := t.TempDir()
	out, err := exec.Command("protoc", "-I../plugin/proto", "--python_out="+messages, "solver.proto").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script, err := filepath.Abs("testdata/solver.py")
	if err != nil {
		t.Fatal(err)
	}
	plugintest.Conform(t, plugintest.Subject{
		Program: launch.Program{
			Command:     []string{"python3", script},
			Environment: []string{"PYTHONPATH=" + messages + string(os.PathListSeparator) + os.Getenv("PYTHONPATH")},
		},
		Quick: plugin.Request{Numbers: map[string]float64{"x": 2}},
		Long:  plugin.Request{Numbers: map[string]float64{"x": 2, "n": 1e6}},
	})
}
