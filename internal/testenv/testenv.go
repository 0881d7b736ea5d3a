// Package testenv states what a test needs: time, a program, the reference data, a feature of the system. A test that
// cannot run everywhere uses this package, so that internal/testrun can count what was skipped and why.
//
// Which tests run is chosen by the environment variable PEREGRINE_TESTS:
//
//	unset   the short tests: seconds a package, Go alone (make test)
//	lint    the rules of the house, which type-check the whole module (make lint)
//	long    also the tests that call Long: clusters, OpenFOAM, browsers, killed studies (make test-long)
//	soak    the same with random seeds and many more trials (make soak)
//
// Go's test cache knows the variables that a test reads, so a package without long tests is not run twice.
package testenv

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/reference"
)

// Variable chooses the length of the tests.
const Variable = "PEREGRINE_TESTS"

// Reasons for which tests are skipped; each begins the message of its tests.
const (
	LongTest    = "long: "        // make test-long runs it
	LintTest    = "lint: "        // make lint runs it
	SoakTest    = "soak: "        // make soak runs it
	Lacks       = "lacks "        // this machine lacks a program or the reference data; a failure where CI=true
	Unsupported = "unsupported: " // this system lacks a feature
	Manual      = "manual: "      // a study that a person starts by a variable of its own
)

// LongForm is the message of a test with a long form that ran its short one.
const LongForm = "short form: make test-long runs the long one"

// IsLong reports whether the long form of a test is wanted. Otherwise it records that the test has a long form, for
// make test-long.
func IsLong(t testing.TB) bool {
	t.Helper()
	if isLong() {
		return true
	}
	t.Log(LongForm)
	return false
}

func isLong() bool { return os.Getenv(Variable) == "long" || IsSoak() }

// IsSoak reports whether random seeds and as many trials as time allows are wanted.
func IsSoak() bool { return os.Getenv(Variable) == "soak" }

// Long marks a test as long: `make test` skips it. The reason names what takes the time.
func Long(t testing.TB, reason string) {
	t.Helper()
	if !isLong() {
		t.Skip(LongTest + reason)
	}
}

// Soak marks a test that only `make soak` runs. The reason names what takes the time.
func Soak(t testing.TB, reason string) {
	t.Helper()
	if !IsSoak() {
		t.Skip(SoakTest + reason)
	}
}

// Lint marks a test of the source as a whole; only `make lint` runs it.
func Lint(t testing.TB) {
	t.Helper()
	if os.Getenv(Variable) != "lint" {
		t.Skip(LintTest + "checks the source of the whole module")
	}
}

// Program returns the path of a program; administrators' programs count (/usr/sbin). If the program is missing, the
// test is skipped, or fails if CI=true. debian names the Debian packages that hold it.
func Program(t testing.TB, debian, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		path, err = exec.LookPath(filepath.Join("/usr/sbin", name))
	}
	if err != nil {
		Missing(t, fmt.Sprintf("%s (apt-get install %s)", name, debian))
	}
	return path
}

// Reference returns the path of a file of the reference data, in the folder PEREGRINE_REFERENCE. If the data is
// missing, the test is skipped, or fails if CI=true.
func Reference(t testing.TB, parts ...string) string {
	t.Helper()
	dir, err := reference.Dir()
	path := filepath.Join(append([]string{dir}, parts...)...)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		Missing(t, "the reference data (PEREGRINE_REFERENCE)")
	}
	return path
}

// Socket returns a path for a Unix socket, in a folder that is removed after the test. t.TempDir may be too long for a
// socket.
func Socket(t testing.TB) string {
	t.Helper()
	base := "/tmp"
	if runtime.GOOS == "windows" {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "peregrine-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "s")
}

// Missing skips a test on a machine that lacks an installable program or data. It fails the test if CI=true: a check
// that was not made must not look like a passed one.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(Lacks + what)
	}
	t.Skip(Lacks + what)
}

// NotHere skips a test on a system without some feature, such as control groups or AVX2; also where CI=true.
func NotHere(t testing.TB, reason string) {
	t.Helper()
	t.Skip(Unsupported + reason)
}

// OnlyManual skips a study that a person starts by setting an environment variable.
func OnlyManual(t testing.TB, variable string) {
	t.Helper()
	t.Skip(Manual + variable + " is not set")
}

// Between calls first, which takes a mutex, and beside it second, which takes it as soon as first has released it once:
// code that reads in two steps what belongs together fails then. Both have returned when it returns. A mutex is handed
// to who waits if somebody has waited for more than a millisecond (sync.Mutex, starvation mode).
func Between(mu *sync.Mutex, first, second func()) {
	starve := func() { _ = clock.Sleep(context.Background(), clock.Real, 5*time.Millisecond) } // its context never ends
	var both sync.WaitGroup
	mu.Lock()
	both.Go(first)
	starve()
	both.Go(second)
	starve()
	mu.Unlock()
	mu.Lock() // first awakes in vain, and is the next
	starve()
	mu.Unlock()
	both.Wait()
}

// Page opens a page in Chromium and returns its elements as HTML, as they are when its scripts have run. A message of
// the page to the console is an error of the test.
func Page(t testing.TB, url string) (dom string) {
	t.Helper()
	program := Program(t, "chromium", "chromium")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--enable-logging=stderr", "--v=0", "--user-data-dir=" + filepath.Join(t.TempDir(), "profile"),
		"--virtual-time-budget=4000", "--dump-dom"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, program, append(args, url)...)
	cmd.WaitDelay = 5 * time.Second
	var out, says strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &says
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(says.String(), "CONSOLE") {
		t.Error(says.String())
	}
	return out.String()
}

// Seed is the seed of random inputs in short and long tests, so that no run of the same code differs from another.
const Seed = 20261124

// configure sets rapid's seed once a process, unless the command line does.
var configure = sync.OnceFunc(func() {
	given := IsSoak()
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if !given {
		_ = flag.Set("rapid.seed", strconv.Itoa(Seed)) // rapid defines it
	}
})

// Check is rapid.Check, which tries 100 random inputs. The seed varies in soak tests only. The flags -rapid.seed and
// -rapid.checks win.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	configure()
	rapid.Check(t, property)
}
