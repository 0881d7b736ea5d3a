package plugintest_test

import (
	"os"
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
