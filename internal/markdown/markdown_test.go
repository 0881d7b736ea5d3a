package markdown_test

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/internal/markdown"
)

const page = "# A page\n\nA paragraph with `code of two words`, a [zoom](zoom.md) and\na next line.\n\n" +
	"<!-- a mark -->\n\n```yaml\nkey:   {a: b}  # longer than thirty columns are\n```\n\n" +
	"- one\n- two words and more than one line takes\n\n" +
	"| name | says |  n |\n| --- | --- | ---: |\n" +
	"| `a\\|b` | short | 1 |\n| c | a cell of many words, and [this](x.md) | 10 |\n"

func TestRender(t *testing.T) {
	link := func(text, target string) string { return text + " (" + strings.TrimSuffix(target, ".md") + ")" }
	want := "A page\n\nA paragraph with `code of two\nwords`, a zoom (zoom) and a\nnext line.\n\n" +
		"    key:   {a: b}  # longer than thirty columns are\n\n" +
		"  - one\n  - two words and more than\n    one line takes\n\n" +
		"name   says                  n\n" +
		"-----  -------------------  --\n" +
		"`a|b`  short                 1\n\n" +
		"c      a cell of many       10\n" +
		"       words, and this (x)\n"
	if got := (markdown.Style{Width: 30, Link: link}).Render(page); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	bold := markdown.Style{Width: 30, Bold: true}.Render(page)
	for _, want := range []string{"\x1b[1mA\x1b[m \x1b[1mpage\x1b[m\n",
		" \x1b[1mtwo\x1b[m\n\x1b[1mwords\x1b[m, a zoom and a next line.\n"} {
		must.Contain(t, bold, want)
	}
}
