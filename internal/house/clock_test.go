package house

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// clockFiles is how many files may read the clock or wait for it in the end: the one
// that makes the clock, and few that meet the world outside. All others get a
// clock from their caller, so that a test of theirs need not wait.
const clockFiles = 4

// clocks lists the files that use the package time's clock now. It is a ratchet.
var clocks = []string{
	"internal/clock/real.go",
	"zoom/example/meanline/main.go",
}

// clockFunctions are the functions of package time that read the clock or wait for it.
var clockFunctions = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}

func TestClockIsHandedIn(t *testing.T) {
	first := map[string]use{} // by file
	for _, f := range everyFolder(t) {
		for _, u := range f.uses {
			name, ok := strings.CutPrefix(u.name, "time.")
			if _, known := first[u.file]; ok && !known && slices.Contains(clockFunctions, name) {
				first[u.file] = u
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(first)) {
		if !slices.Contains(clocks, file) {
			t.Errorf("%s:%d uses %s: take a clock from the caller", file, first[file].line, first[file].name)
		}
	}
	for _, file := range clocks {
		if _, ok := first[file]; !ok {
			t.Errorf("%s uses the clock no more: take it from the table clocks in internal/house/clock_test.go", file)
		}
	}
	t.Logf("%s use the clock; the aim is %d", plural(len(first), "file"), clockFiles)
}
