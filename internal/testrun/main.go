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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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

// slack is by how many points the short tests of a package may cover less than all its tests.
const slack = 5

// smallest is the least number of statements of a package whose coverage is checked. Packages of test helpers, whose
// names end in "test", are not checked: code that starts Slurm or OpenSSH runs only where these are installed.
const smallest = 20

// share counts the statements of a package that tests run.
type share struct{ run, all int }

func (s share) percent() float64 { return 100 * float64(s.run) / float64(max(1, s.all)) }

// profile holds the blocks of a profile of `go test -coverprofile`, by file and place: the number of statements, and
// whether they ran.
type profile map[string]share

// read adds the blocks of a profile: lines "file.go:from,to statements count". A block counts as run if it ran in any
// profile.
func (p profile) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "mode:") {
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 || !strings.Contains(fields[0], ":") {
			return fmt.Errorf("line %d: %q is no line of a coverage profile", n, lines.Text())
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		block := share{run: p[fields[0]].run, all: statements}
		if fields[2] != "0" {
			block.run = statements
		}
		p[fields[0]] = block
	}
	return lines.Err()
}

// packages sums the blocks by package.
func (p profile) packages() map[string]share {
	shares := map[string]share{}
	for place, block := range p {
		file, _, _ := strings.Cut(place, ":")
		name := strings.TrimPrefix(path.Dir(file), module)
		s := shares[name]
		shares[name] = share{s.run + block.run, s.all + block.all}
	}
	return shares
}

// compare prints the share of each package's statements that the short tests and all tests run. It returns the packages
// whose short tests cover over five points less.
func compare(w io.Writer, short, all map[string]share) (behind []string) {
	folders := map[string][2]share{}
	add := func(name string, a, b share) {
		f := folders[name]
		f[0].run, f[0].all, f[1].run, f[1].all = f[0].run+a.run, f[0].all+a.all, f[1].run+b.run, f[1].all+b.all
		folders[name] = f
	}
	row := func(name string, a, b share, mark string) {
		fmt.Fprintf(w, "%-36s %6d statements  short %5.1f %%  all %5.1f %%%s\n", name, b.all, a.percent(), b.percent(),
			mark)
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), cmp.Compare[string]) {
		a, b := short[name], all[name]
		mark := ""
		if b.all >= smallest && !strings.HasSuffix(name, "test") && a.percent() < b.percent()-slack {
			behind, mark = append(behind, name), "  BEHIND"
		}
		row(name, a, b, mark)
		folder, _, _ := strings.Cut(name, "/")
		add(folder, a, b)
		add("~ all", a, b)
	}
	fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		row(name, folders[name][0], folders[name][1], "")
	}
	return behind
}
