package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// mostInitialised is what the initialisation of a package may allocate, bytes.
const mostInitialised = 24 << 10

// Each process of each run initialises all packages. What few of them need, such as a regular expression, is made when
// it is first used.
func TestInitialisationAllocatesLittle(t *testing.T) {
	cmd := exec.Command(programNamed(t, "peregrine"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	must.OK(t, cmd.Run())
	packages := 0
	for s := bufio.NewScanner(strings.NewReader(trace.String())); s.Scan(); {
		var name string
		var at, took float64
		var bytes int
		_, err := fmt.Sscanf(s.Text(), "init %s @%f ms, %f ms clock, %d bytes", &name, &at, &took, &bytes)
		own, isOwn := strings.CutPrefix(name, "github.com/peregrine-sim/peregrine/")
		if err != nil || !isOwn || own == "cmd/peregrine" || strings.HasSuffix(own, "/proto") {
			continue // the variables of these tests, and generated code
		}
		packages++
		if bytes > mostInitialised {
			t.Errorf("%s allocates %d bytes while it is initialised, of %d: make what is costly at its first use", own,
				bytes, mostInitialised)
		}
	}
	if packages < 20 {
		t.Errorf("%d packages in\n%s", packages, trace.String())
	}
}
