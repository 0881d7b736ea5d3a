package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/table"
)

func Example() {
	t := table.New("lr", "component", "PR", "eff")
	t.Row("fan", "1.65", "0.9")
	t.Row("compressor", "12", "0.86")
	fmt.Print(t)
	// Output:
	// component     PR   eff
	// fan         1.65   0.9
	// compressor    12  0.86
}

func TestRowsOfDifferentLengths(t *testing.T) {
	x := table.Indented("rl")
	x.Row("1", "ä")
	x.Row("10", "a\tlong text at the end of its row")
	x.Row("100", "abc", "d")
	x.Row()
	x.Row("1", "")
	x.Field("no", "-")
	x.Field("no", "")
	x.Field("2", "x")
	want := "    1  ä\n" +
		"   10  a\\x09long text at the end of its row\n" +
		"  100  abc  d\n" +
		"\n" +
		"    1\n" +
		"    2  x\n"
	if got := x.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A long text is broken between words; its own lines, and words that are too long, stay.
func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 120)
	want := "  a: " + strings.Repeat("word ", 18) + "word\n     word\n     second line\n     " + long + "\n     end\n"
	if got := table.Wrap("  a: ", "     ", strings.Repeat("word ", 20)+"\nsecond line "+long+" end\n"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
