package executive

// A program that zooms starts its own executable again, as solver and as watchdog. So a single file is installed, with
// built-in solvers of the same version.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// Serve must be the first line of the main function of every program that uses Studies. In an ordinary process it
// returns at once. In a process that Studies started it serves a solver, built-in or described, or the watchdog, and
// then ends the process. Such a process has special arguments and a host's cookie in its environment, so that a user
// does not start it by mistake.
func Serve() {
	serve := servedBy(os.Args[1:])
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
	externalArg = "external"
	watchdogArg = "watchdog"
	relayArg    = "relay"
	bridgeArg   = "bridge"
)

// servedBy returns the service of a process with these arguments, nil for an ordinary process.
func servedBy(args []string) func() {
	if slices.Equal(args, []string{serveArg, watchdogArg}) && watchdog.Started() {
		return watchdog.Serve
	}
	if len(args) == 3 && args[0] == serveArg && args[1] == relayArg {
		return func() { serveRelay(args[2]) }
	}
	if len(args) > 2 && args[0] == serveArg && args[1] == bridgeArg {
		return func() { os.Exit(bridge.Serve(context.Background(), args[2:], os.Stdin, os.Stdout, os.Stderr)) }
	}
	if len(args) > 2 && args[0] == serveArg && args[1] == solverArg && plugin.Started() {
		if s := solver.Builtin(args[2]); s != nil {
			return func() { serveBuiltin(s, args[2], args[3:]...) }
		}
	}
	if len(args) > 3 && args[0] == serveArg && args[1] == externalArg && plugin.Started() {
		return func() { serveExternal(args[2], args[3], args[4:]) }
	}
	return nil
}

// serveRelay serves the host that a file names, or the hosts that connect to the block's socket. It passes on the
// signals sent at the end of a block.
func serveRelay(home string) {
	ctx, stop := signal.NotifyContext(context.Background(), process.EndSignals...)
	defer stop()
	r, err := agent.New(agent.PlaceFromEnvironment(), clock.Real)
	if err == nil {
		warnings := make(chan os.Signal, 1)
		signal.Notify(warnings, process.WarnSignals...)
		go func() { // ends with the process
			for range warnings {
				r.Warn()
			}
		}()
		log := func(text string) { fmt.Fprintln(os.Stderr, "relay: "+text) }
		if socket := os.Getenv(provider.EnvSocket); socket != "" {
			err = attend(ctx, r, socket, log)
		} else {
			err = r.CallHome(ctx, home, log)
		}
		r.Settle(settleTime)
		err = errors.Join(err, r.Close())
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

// attend serves hosts that connect to a socket, and removes the socket's folder at the end.
func attend(ctx context.Context, r *agent.Relay, socket string, log func(string)) error {
	defer bridge.Leave(socket)
	at, err := new(net.ListenConfig).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	return r.Attend(ctx, at, log)
}

// settleTime is the time in which processes started by a relay may reach their next checkpoint when the relay is ended.
const settleTime = 10 * time.Second

// serveBuiltin serves a built-in solver. It must have the given code, if any, which the cache key of its answers
// contains: the file of a program may be replaced by another version during a study.
func serveBuiltin(s plugin.Solver, name string, code ...string) {
	if is := solver.Code(name); len(code) > 0 && is != code[0] {
		exe, _ := os.Executable()
		fmt.Fprintf(os.Stderr, "%s has been replaced since the study began: its solver is %q, the study's was %q; "+
			"begin the study again\n", exe, is, code[0])
		os.Exit(1)
	}
	plugin.Serve(s)
}

// serveExternal serves a described program. Errors of the description are written to the log of the run. The
// description must have the given digest: the cache key of its answers contains the description, and a user may have
// trusted its commands. The files that it names are words of the command, so that a node compares their contents: where
// it has others, they are brought, and not at the paths of the description.
func serveExternal(file, digest string, files []string) {
	is := ""
	d, err := external.Load(file)
	if err == nil {
		is, err = d.Digest()
	}
	if err == nil && is != digest {
		err = fmt.Errorf("%s, a folder that it names, or this program is another one than where the study began, or "+
			"has "+
			"changed since: begin it again", file)
	}
	if err == nil && !slices.Equal(d.Files(), files) {
		err = fmt.Errorf("files of %s are other ones here than where the study began: want these with the same "+
			"content: %s",
			file, strings.Join(d.Files(), ", "))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	plugin.Serve(external.New(d))
}

// selfCommand is the command line that starts this executable to serve.
func selfCommand(args ...string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fault.Machine(fmt.Errorf("the path of this program is unknown: %w", err))
	}
	return append([]string{exe, serveArg}, args...), nil
}
