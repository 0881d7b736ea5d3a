// Testrun runs `go test` and ends with one line: how many tests passed and failed, how many were skipped and why, and
// how long they took. It takes the arguments of go test:
//
//	go run ./internal/testrun ./...
//
// Passing packages show as one line each, failing tests with all that they printed. The table of the slowest packages
// shows the use of time; see internal/testenv for the lengths of tests and the reasons to skip one.
//
//	go run ./internal/testrun -to FILE ./...
//	PEREGRINE_TESTS=long go run ./internal/testrun -from FILE
//
// The first writes to a file which tests are long or have a long form, a line "package test" each; the second runs
// these.
//
//	go run ./internal/testrun coverage SHORT LONG
//
// takes the profiles of `go test -coverprofile` of the short and of the long tests, and fails if the short ones cover
// over five points less of a package than both.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
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
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == "coverage":
		code, err = compareFiles(args[1], args[2], os.Stdout)
	case len(args) > 1 && args[0] == "-from":
		if args, err = chosen(args[1], args[2:]); err != nil {
			code = 2
			break
		}
		code, err = run(ctx, args, "", os.Stdout)
	case len(args) > 1 && args[0] == "-to":
		code, err = run(ctx, args[2:], args[1], os.Stdout)
	default:
		code, err = run(ctx, args, "", os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
	}
	if code != 0 {
		os.Exit(code)
	}
}

// chosen adds to the arguments of go test the packages and tests that a file of -to lists.
func chosen(file string, args []string) ([]string, error) {
	text, err := intake.Read(file, intake.Limit{What: "a list of tests", Bytes: 1 << 20})
	if err != nil {
		return nil, fmt.Errorf("%w (make test writes it)", err)
	}
	packages, tests := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		pkg, test, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			return nil, fmt.Errorf("%s: %q is not a package and a test", file, line)
		}
		packages[pkg], tests[test] = true, true
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%s names no test", file)
	}
	return slices.Concat(args, []string{"-run", "^(" + strings.Join(slices.Sorted(maps.Keys(tests)), "|") + ")$"},
		slices.Sorted(maps.Keys(packages))), nil
}

// run runs go test with the arguments and returns its exit status. It writes the long tests to the file left; empty:
// to none.
func run(ctx context.Context, args []string, left string, w io.Writer) (code int, err error) {
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
	if left != "" {
		err = errors.Join(err, writeLeft(left, s.long))
	}
	return code, err
}

// writeLeft writes a line for each long test.
func writeLeft(file string, long map[string]bool) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(long)) {
		fmt.Fprintln(&b, name)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// compareFiles compares the coverage of the short tests with that of all, the short and the long ones; the status is
// 1 if a package is behind.
func compareFiles(short, long string, w io.Writer) (code int, err error) {
	var shares [2]map[string]share
	blocks := profile{}
	for i, name := range []string{short, long} {
		f, err := intake.Open(name)
		if err != nil {
			return 2, err
		}
		err = blocks.read(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return 2, fmt.Errorf("%s: %w", name, err)
		}
		shares[i] = blocks.packages()
	}
	if behind := compare(w, shares[0], shares[1]); len(behind) > 0 {
		return 1, fmt.Errorf("short tests cover over %d points less than all tests of %s", slack,
			strings.Join(behind, ", "))
	}
	return 0, nil
}
