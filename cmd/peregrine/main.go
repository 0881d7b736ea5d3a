// Command peregrine simulates gas-turbine engines.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/clock"
)

func main() {
	executive.Serve()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "peregrine: internal fault: %v; please report it with the engine file\n", r)
			if os.Getenv("PEREGRINE_TRACE") != "" {
				panic(r)
			}
			code = exitFault
		}
	}()
	root := newRoot(clock.Real)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code = exitBadInput // what cobra itself finds is wrong usage
	var e *exitError
	switch {
	case errors.As(err, &e):
		code = e.code
		if e.err != nil {
			fmt.Fprintf(os.Stderr, "peregrine: %v\n", e.err)
		}
	case errors.Is(err, context.Canceled):
		code = exitInterrupted
		fmt.Fprintln(os.Stderr, "peregrine: interrupted; what was finished is kept")
	default:
		fmt.Fprintf(os.Stderr, "peregrine: %v\n", err)
	}
	return code
}
