package document

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

var form = Form{What: "a list", Begins: "a word", Bytes: 1 << 20, Words: 30_000}

// pumped are texts that grow without end, from what a piece of YAML may be made of.
func pumped() map[string]func(n int) string {
	list := map[string]func(int) string{}
	pieces := []string{"a", " ", "\n", ": ", "- ", ", ", "[", "]", "{", "}", "'", `"`, "|\n", ">\n", "# c\n", "? ", "& ", "* ", "! ", "% ", "@", "\\", "---\n", "...\n",
		"a: ", "a: 1\n", "- a\n", " a\n", "  ", "\n  a: 1\n", "[]", "{a: 1}, ", "[1, 2], ", "'a' ", `"a\n" `, "ä", "0", "1.5e3, ", "k: {a: 1}\n", "\n\n a"}
	for _, p := range pieces {
		list[p] = func(n int) string { return strings.Repeat(p, n/len(p)) }
		list["a: "+p] = func(n int) string { return "a: " + strings.Repeat(p, n/len(p)) }
		list["a: ["+p] = func(n int) string { return "a: [" + strings.Repeat(p, n/len(p)) + "]" }
		list["a: \""+p] = func(n int) string { return "a: \"" + strings.Repeat(p, n/len(p)) + "\"" }
		list["a: |"+p] = func(n int) string { return "a: |\n  " + strings.Repeat(p, n/len(p)) }
	}
	return list
}

// Whatever a file repeats, it is read or refused in a time and memory that its size
// bounds: at most a kilobyte a byte, and five seconds on the slowest machine.
func TestTreeIsLinear(t *testing.T) {
	const size = 1 << 16
	large := Form{What: "a map", Begins: "a word", Bytes: 16 << 20, Words: 500_000}
	for _, form := range []Form{form, large} {
		worst, hungriest := time.Duration(0), uint64(0)
		for name, text := range pumped() {
			data := []byte(text(size))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			r := NewReader("x", form)
			r.Tree(data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			memory := after.TotalAlloc - before.TotalAlloc
			worst, hungriest = max(worst, took), max(hungriest, memory)
			if took > 5*time.Second || memory > 1000*size {
				t.Errorf("%s, %q: %v, %d MB", form.What, name, took, memory>>20)
			}
		}
		t.Logf("%s: at worst %v and %d MB", form.What, worst, hungriest>>20)
	}
}
