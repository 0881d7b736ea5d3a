// Testrun runs `go test` and ends with one line: how many tests passed and failed, how many were skipped and why, and
// how long they took. Its arguments are those of go test:
//
//	go run ./internal/testrun ./...
//
// Passing packages show as one line each, failing tests with all that they printed. The table of the slowest packages
// shows where time goes; see internal/testenv for the lengths of tests and the reasons to skip one.
//
//	go run ./internal/testrun coverage SHORT ALL
//
// compares two profiles of `go test -coverprofile` by package and fails if the short tests cover over five points less.
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
	"strings"
	"syscall"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var code int
	var err error
	if args := os.Args[1:]; len(args) == 3 && args[0] == "coverage" {
		code, err = compareFiles(args[1], args[2], os.Stdout)
	} else {
		code, err = run(ctx, args, os.Stdout)
	}
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

// compareFiles compares two coverage profiles; the status is 1 if a package is behind.
func compareFiles(short, all string, w io.Writer) (code int, err error) {
	var shares [2]map[string]share
	for i, name := range []string{short, all} {
		f, err := intake.Open(name)
		if err != nil {
			return 2, err
		}
		shares[i], err = readProfile(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return 2, fmt.Errorf("%s: %w", name, err)
		}
	}
	if behind := compare(w, shares[0], shares[1]); len(behind) > 0 {
		return 1, fmt.Errorf("short tests cover over %d points less than all tests of %s", slack, strings.Join(behind, ", "))
	}
	return 0, nil
}
