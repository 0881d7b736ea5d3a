// Testrun runs `go test` and ends with one line: how many tests passed and failed, how many were skipped and why, and
// how long they took. Its arguments are those of go test:
//
//	go run ./internal/testrun ./...
//
// Passing packages show as one line each, failing tests with all that they printed. The table of the slowest packages
// shows where time goes; see internal/testenv for the lengths of tests and the reasons to skip one.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
	}
	if code != 0 {
		os.Exit(code)
	}
}

// run runs go test with the arguments and returns its exit status.
func run(ctx context.Context, args []string, w io.Writer) (code int, err error) {
	began := clock.Real.Now()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	s := newSummary(w)
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		s.line(line)
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		code, err = max(1, exit.ExitCode()), nil
	}
	s.close(clock.Since(clock.Real, began), code)
	return code, err
}
