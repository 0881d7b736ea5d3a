package executive

// A program that runs engines with zooms starts itself again as solver and as watchdog, so
// that it is one file to install, with the solvers that it was built with.

import (
	"os"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Serve is the first line of the main function of every program that uses Studies. In an
// ordinary process it returns at once. In a process that Studies started it serves a built-in solver
// or the watchdog, and then ends the process. Such a process has arguments of its own, and a
// host's cookie in its environment: nobody gets one by typing.
func Serve() {
	serve := served(os.Args[1:])
	if serve == nil {
		return
	}
	serve()
	os.Exit(0)
}

// Arguments of a process that serves.
const (
	serveArg    = "serve"
	solverArg   = "solver"
	watchdogArg = "watchdog"
)

// served returns what a process with these arguments serves, or nil.
func served(args []string) func() {
	if slices.Equal(args, []string{serveArg, watchdogArg}) && watchdog.Started() {
		return watchdog.Serve
	}
	if len(args) == 3 && args[0] == serveArg && args[1] == solverArg && plugin.Started() {
		if s := solver.Builtin(args[2]); s != nil {
			return func() { plugin.Serve(s) }
		}
	}
	return nil
}

// self is the command that starts this executable again to serve.
func self(args ...string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{exe, serveArg}, args...), nil
}
