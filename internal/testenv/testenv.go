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
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

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
