package plugintest_test

import (
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

func TestMain(m *testing.M) {
	plugintest.ServeMock()
	os.Exit(m.Run())
}

func TestMockConforms(t *testing.T) {
	for name, mock := range map[string]func() ([]string, []string, error){"fresh": plugintest.MockCommand, "reusable": plugintest.ReusableMock, "plain": plugintest.PlainMock} {
		t.Run(name, func(t *testing.T) {
			if name != "plain" {
				testenv.Long(t, "starts some dozens of plugins")
			}
			mockConforms(t, mock)
		})
	}
}

func mockConforms(t *testing.T, mock func() (command, env []string, err error)) {
	command, env, err := mock()
	must.OK(t, err)
	ask := func(script string) plugin.Request {
		return plugin.Request{Numbers: map[string]float64{"x": 1}, Texts: map[string]string{"script": script}}
	}
	plugintest.Conform(t, plugintest.Subject{
		Program: launch.Program{Command: command, Environment: env},
		Quick:   ask("iterate 5"), Long: ask("iterate 100000 5ms"), Whole: true,
	})
}
