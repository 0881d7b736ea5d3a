package mock_test

import (
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/conformance"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// unsaid is a solver that pauses, and whose description does not say so.
type unsaid struct{ mock.Mock }

const unsaidEnv = "PEREGRINE_UNSAID_SOLVER"

func (u *unsaid) Describe() plugin.Description {
	d := u.Mock.Describe()
	d.Pauses = false
	return d
}

func TestMain(m *testing.M) {
	if os.Getenv(unsaidEnv) != "" {
		plugin.Serve(&unsaid{})
		os.Exit(0)
	}
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

// A description that does not say what the solver does is a fault.
func TestPauseThatIsNotDescribed(t *testing.T) {
	command, _, err := mock.Command()
	must.OK(t, err)
	s := subject(command, []string{unsaidEnv + "=1"})
	const want = "it pauses, which its description does not say"
	for _, c := range conformance.Checks() {
		if c.Name == "control" {
			found, err := c.Try(t.Context(), &s)
			if err != nil || len(found.Faults) != 1 || found.Faults[0] != want {
				t.Errorf("%+v, %v", found, err)
			}
		}
	}
}

func mockConforms(t *testing.T, solver func() (command, env []string, err error)) {
	command, env, err := solver()
	must.OK(t, err)
	mock.Conform(t, subject(command, env))
}

func subject(command, env []string) mock.Subject {
	ask := func(script string) plugin.Request {
		return plugin.Request{Numbers: map[string]float64{"x": 1}, Texts: map[string]string{"script": script}}
	}
	return mock.Subject{
		Program: launch.Program{Command: command, Environment: env},
		Quick:   ask("iterate 5"), Long: ask("iterate 100000 5ms"), Whole: true,
	}
}
