package document

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

var form = Form{What: "a list", Begins: "a word", Bytes: 1 << 20, Words: 30_000}

var large = Form{What: "a map", Begins: "a word", Bytes: 16 << 20, Words: 500_000}

// pumped are texts that grow without end, from what a piece of YAML may be made of.
func pumped() map[string]func(n int) string {
	list := map[string]func(int) string{}
	pieces := []string{"a", " ", "\n", ": ", "- ", ", ", "[", "]", "{", "}", "'", `"`, "|\n", ">\n", "# c\n", "? ",
		"& ", "* ", "! ", "% ", "@", "\\", "---\n", "...\n",
		"a: ", "a: 1\n", "- a\n", " a\n", "  ", "\n  a: 1\n", "[]", "{a: 1}, ", "[1, 2], ", "'a' ", `"a\n" `, "ä", "0",
		"1.5e3, ", "k: {a: 1}\n", "\n\n a"}
	for _, p := range pieces {
		list[p] = func(n int) string { return strings.Repeat(p, n/len(p)) }
		list["a: "+p] = func(n int) string { return "a: " + strings.Repeat(p, n/len(p)) }
		list["a: ["+p] = func(n int) string { return "a: [" + strings.Repeat(p, n/len(p)) + "]" }
		list["a: \""+p] = func(n int) string { return "a: \"" + strings.Repeat(p, n/len(p)) + "\"" }
		list["a: |"+p] = func(n int) string { return "a: |\n  " + strings.Repeat(p, n/len(p)) }
	}
	return list
}

// Whatever a file repeats, it is read or refused with a memory that its size bounds: at most a kilobyte a byte.
func TestTreeIsLinear(t *testing.T) {
	size := 1 << 13
	if testenv.IsLong(t) {
		size = 1 << 15
	}
	for _, form := range []Form{form, large} {
		hungriest := uint64(0)
		for name, text := range pumped() {
			data := []byte(text(size))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := NewReader("x", form)
			r.Tree(data)
			runtime.ReadMemStats(&after)
			memory := after.TotalAlloc - before.TotalAlloc
			hungriest = max(hungriest, memory)
			if memory > 1000*uint64(size) {
				t.Errorf("%s, %q: %d kB for %d kB", form.What, name, memory>>10, size>>10)
			}
		}
		t.Logf("%s: at worst %d kB for %d kB", form.What, hungriest>>10, size>>10)
	}
}

// Data that are not text are a single problem, and a key that is too long is no depth.
func TestWrongDataAreASingleProblem(t *testing.T) {
	utf16 := func(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	lines := strings.Repeat("a: 1\n", 5)
	for _, c := range []struct{ text, want string }{
		{"\xff\xfe" + utf16(lines), "x: text in UTF-16; save it as UTF-8"},
		{"\xfe\xff\x00" + utf16(lines), "x: text in UTF-16; save it as UTF-8"},
		{utf16(lines), "x:1:2: a control character (U+0000)"},
		{strings.Repeat("a: gr\xf6sser\n", 5), "x:1:6: not UTF-8 text; save it as UTF-8"},
		{strings.Repeat("\x1f\x8b\x08\n", 5), "x:1:1: a control character (U+001F)"},
		{strings.Repeat("k", 300) + ": 1", "x:1:1: a key of 300 bytes; one may have 256"},
	} {
		r := NewReader("x", form)
		r.Tree([]byte(c.text))
		if p := r.Problems; len(p) != 1 || p[0].Error() != c.want {
			t.Errorf("%.20q: %v, want %s", c.text, r.Errors(), c.want)
		}
	}
}

// BenchmarkTree measures the time that the slowest of the texts takes; of four times the size, it takes four times as
// long.
func BenchmarkTree(b *testing.B) {
	for _, size := range []int{1 << 14, 1 << 16} {
		b.Run(fmt.Sprintf("%d kB", size>>10), func(b *testing.B) {
			worst := time.Duration(0)
			for b.Loop() {
				for _, text := range pumped() {
					start := time.Now()
					r := NewReader("x", large)
					r.Tree([]byte(text(size)))
					worst = max(worst, time.Since(start))
				}
			}
			b.ReportMetric(worst.Seconds()*1e3, "ms-worst")
		})
	}
}
