// Command peregrine simulates gas-turbine engines.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/watch"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/terminal"
)

func main() {
	if slices.Equal(os.Args[1:], watch.KeeperArgs) {
		terminal.Keep(os.Stdin, os.Stdout, os.Stderr)
		os.Exit(0) // do not return into a test program, which would run its tests again
	}
	executive.Serve()
	os.Exit(execute(untilSignal(), os.Args[1:]))
}

// untilSignal returns a context that ends with the first Ctrl-C or SIGTERM. The second signal ends the process at once,
// but restores the terminal.
func untilSignal() context.Context {
	ctx, environment := cli.WithEnvironment(context.Background(), clock.Real)
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		environment.Cleanup.Run()
		os.Exit(cli.Interrupted)
	}()
	return ctx
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			cli.EnvironmentOf(ctx).Cleanup.Run()
			fmt.Fprintf(os.Stderr, "peregrine: internal fault: %v; please report it with the engine file\n", r)
			if os.Getenv("PEREGRINE_TRACE") != "" {
				panic(r)
			}
			code = cli.Fault
		}
	}()
	out, log := &cli.Console{File: os.Stdout}, &cli.Console{File: os.Stderr}
	root := newRoot()
	root.SetOut(out)
	root.SetErr(log)
	root.SetArgs(args)
	code, text := cli.ExitCode(ctx, root.ExecuteContext(ctx))
	code, text = cli.AfterSignal(ctx, code, text)
	if err := out.Close("standard output"); err != nil && code != cli.Interrupted {
		code, text = cli.Fault, strings.TrimPrefix(text+"\nperegrine: "+err.Error(), "\nperegrine: ")
	}
	if text != "" {
		fmt.Fprintf(log, "peregrine: %s\n", text)
	}
	if log.Close("standard error") != nil && code == cli.OK {
		code = cli.Fault // no output is left for the reason
	}
	return code
}
