package run_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

const studyEnv = "PEREGRINE_TEST_STUDY"

// beStudy is the main program of one of two processes on one cache.
func beStudy() {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	host, err := attempt.NewHost(os.Getenv(studyEnv), launchers, local.Name)
	fail(err)
	cache, err := cache.Open(os.Getenv("CACHE"))
	fail(err)
	command, env, err := mock.Command()
	fail(err)
	env = append(env, studyEnv+"=", markEnv+"="+os.Getenv(markEnv))
	pool := &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Study: "s", Program: launch.Program{Command: command, Environment: env},
		},
		Workers: 2,
	}
	s := study.Study{Cache: cache, Pool: pool}
	out, err := s.Evaluate(context.Background(), twoHostJobs())
	fail(err)
	for _, o := range out {
		fmt.Println(o.Job.Name, o.Class, o.Result.Numbers["y"])
	}
	fail(host.Close())
}

func twoHostJobs() (jobs []run.Job) {
	for i := range 4 {
		jobs = append(jobs, job(fmt.Sprintf("p%d", i), float64(i), "iterate 10 10ms"))
	}
	return jobs
}

func TestTwoHostsOnOneCache(t *testing.T) {
	testenv.Long(t, "starts two studies and their solvers")
	self := must.Value(os.Executable())(t)
	cache, mark := t.TempDir(), newMark()
	var want strings.Builder
	for i, j := range twoHostJobs() {
		fmt.Fprintln(&want, j.Name, event.Converged, i*i)
	}
	folders, printed := [2]string{t.TempDir(), t.TempDir()}, [2]strings.Builder{}
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = exec.Command(self)
		cmds[i].Env = append(os.Environ(), studyEnv+"="+folders[i], "CACHE="+cache, markEnv+"="+mark)
		cmds[i].Stdout, cmds[i].Stderr = &printed[i], os.Stderr
		must.OK(t, cmds[i].Start())
	}
	runs := 0
	for i := range cmds {
		noError(t, cmds[i].Wait())
		must.Equal(t, want.String(), printed[i].String())
		for _, name := range entries(folders[i]) {
			if name != local.CertificateDir {
				runs++
			}
		}
	}
	if runs != 4 {
		t.Errorf("%d runs for 4 points", runs)
	}
	noneLeft(t, mark, 0)
}
