package testenv

import (
	"flag"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

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
