package launchtest_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

func TestMain(m *testing.M) {
	mock.Serve()
	os.Exit(m.Run())
}

func TestLocalConforms(t *testing.T) {
	command, env, err := mock.Command()
	must.OK(t, err)
	launchtest.Conform(t, launch.Registry{local.Name: local.Open}, local.Name,
		launch.Program{Command: command, Environment: env})
}

func TestFakeConforms(t *testing.T) {
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return &mock.Mock{} }}
	launchtest.Conform(t, fake.Registry(), launchtest.Name, launch.Program{})
	if left := fake.Living(); len(left) > 0 || fake.Starts() != 2 {
		t.Errorf("%d starts, of which %v live", fake.Starts(), left)
	}
}

func TestLaunchersByName(t *testing.T) {
	launchers := launch.Registry{local.Name: local.Open, "slurm": nil}
	if got := launchers.Names(); !slices.Equal(got, []string{"local", "slurm"}) {
		t.Errorf("names %v", got)
	}
	if _, err := launchers.Open("locale", ""); err == nil ||
		err.Error() != `launcher "locale" is unknown, did you mean local?` {
		t.Errorf("got %v", err)
	}
	for _, h := range []string{`{`, `{"pid":0}`} {
		task, err := launchers.Attach(context.Background(), local.Name, launch.Handle(h))
		if task != nil || err == nil || errors.Is(err, launch.ErrGone) != (h != "{") {
			t.Errorf("handle %s: %v", h, err)
		}
	}
}
