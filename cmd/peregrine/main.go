// Command peregrine simulates gas-turbine engines.
package main

import (
	"context"
	"errors"
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
	_ "github.com/peregrine-sim/peregrine/internal/quiet" // before starlark
	"github.com/peregrine-sim/peregrine/internal/terminal"
	_ "github.com/peregrine-sim/peregrine/internal/ulimit" // before almost all others
)

func main() {
	if slices.Equal(os.Args[1:], watch.KeeperArgs) {
		terminal.Keep(os.Stdin, os.Stdout, os.Stderr)
		os.Exit(0) // do not return into a test program, which would run its tests again
	}
	executive.Serve()
	os.Exit(execute(untilSignal(), os.Args[1:]))
}

// untilSignal returns a context that ends with the first Ctrl-C, SIGTERM or, except under nohup, SIGHUP. The second
// signal ends the process at once, but restores the terminal; further SIGHUPs, of which a closed terminal sends
// several, do not. A write to a pipe without a reader is an error, and does not end the process.
func untilSignal() context.Context {
	ctx, environment := cli.WithEnvironment(context.Background(), clock.Real)
	ctx, cancel := context.WithCancel(ctx)
	signals, hangUp := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangUp, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // children do not inherit this
	go func() {
		select {
		case <-signals:
		case <-hangUp:
		}
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
	if err := log.Close("standard error"); err != nil && code == cli.OK && !errors.Is(err, syscall.EPIPE) {
		code = cli.Fault // no output is left for the reason
	}
	return code
}
