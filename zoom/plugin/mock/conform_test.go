package mock_test

import (
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

func TestMain(m *testing.M) {
	mock.Serve()
	os.Exit(m.Run())
}

func TestMockConforms(t *testing.T) {
	for name, solver := range map[string]func() ([]string, []string, error){"fresh": mock.Command,
		"reusable": mock.Reusable, "plain": mock.Plain} {
		t.Run(name, func(t *testing.T) {
			if name != "plain" {
				testenv.Long(t, "starts some dozens of plugins")
			}
			mockConforms(t, solver)
		})
	}
}

func mockConforms(t *testing.T, solver func() (command, env []string, err error)) {
	command, env, err := solver()
	must.OK(t, err)
	ask := func(script string) plugin.Request {
		return plugin.Request{Numbers: map[string]float64{"x": 1}, Texts: map[string]string{"script": script}}
	}
	mock.Conform(t, mock.Subject{
		Program: launch.Program{Command: command, Environment: env},
		Quick:   ask("iterate 5"), Long: ask("iterate 100000 5ms"), Whole: true,
	})
}
