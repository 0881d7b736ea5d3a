package dashboard

// A frame is the content of a screen: lines of spans, each with one style.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// style is the look of a span. Colour alone never carries information.
type style int

const (
	normal style = iota
	strong
	faint
	chosen // the line that is pointed to
	good
	doubtful
	bad
)

// sgr are the terminal's codes of the styles: the 16 colours that every scheme of a terminal has, none of its own.
var sgr = [...]string{normal: "", strong: "1", faint: "2", chosen: "7", good: "32", doubtful: "33", bad: "31"}

// plainSGR has the styles without colour (NO_COLOR, a terminal without colour): only bold and reverse.
var plainSGR = [...]string{normal: "", strong: "1", faint: "", chosen: "7", good: "", doubtful: "", bad: "1"}

type span struct {
	text  string
	style style
}

// row is a line of a frame.
type row []span

// Frame is the content of a screen.
type Frame struct {
	rows  []row
	width int
}

// Screen is the frame with the codes of a terminal for its styles, with colours or without.
func (f Frame) Screen(colour bool) string {
	codes := &plainSGR
	if colour {
		codes = &sgr
	}
	var b strings.Builder
	for i, r := range f.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, s := range r {
			if code := codes[s.style]; code != "" && s.text != "" {
				b.WriteString("\x1b[" + code + "m" + s.text + "\x1b[m")
				continue
			}
			b.WriteString(s.text)
		}
	}
	return b.String()
}

func (r row) text() string {
	var b strings.Builder
	for _, s := range r {
		b.WriteString(s.text)
	}
	return b.String()
}

// cut keeps the part of a row that fits.
func (r row) cut(room int) row {
	for i, s := range r {
		w := width(s.text)
		if w > room {
			out := append(row{}, r[:i+1]...)
			out[i].text = cutRight(s.text, room)
			return out
		}
		room -= w
	}
	return r
}

// all gives the whole row one style, to the width of the screen.
func (r row) all(s style, room int) row { return row{{pad(r.text(), room), s}} }

// width is how many cells a text takes.
func width(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return ansi.StringWidth(text)
		}
	}
	return len(text)
}

// clean makes a text a single line without terminal control characters: names and lines come from files.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case unicode.IsControl(r):
			return '?'
		case unicode.Is(unicode.Cf, r): // such as marks that turn the direction of writing
			return -1
		}
		return r
	}, text)
}

// cutRight cuts a text at its end.
func cutRight(text string, room int) string {
	if width(text) <= room {
		return text
	}
	return ansi.Truncate(text, max(0, room), "")
}

// cutMiddle cuts a text in its middle: names of runs differ at their ends.
func cutMiddle(text string, room int) string {
	n := width(text)
	if n <= room {
		return text
	}
	if room < 4 {
		return cutRight(text, room)
	}
	head := (room - 2) / 2
	return ansi.Truncate(text, head, "") + ".." + ansi.TruncateLeft(text, n-(room-2-head), "")
}

// pad fills a text with blanks, or cuts it.
func pad(text string, room int) string {
	text = cutRight(text, room)
	return text + strings.Repeat(" ", max(0, room-width(text)))
}

// padLeft fills it at the left.
func padLeft(text string, room int) string {
	text = cutRight(text, room)
	return strings.Repeat(" ", max(0, room-width(text))) + text
}

// wrap breaks a text into lines at blanks.
func wrap(text string, room int) (lines []string) {
	if room < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, room, ""), "\n")
}

func gradeStyle(grade int) style { return [...]style{bad, doubtful, normal, good}[grade] }
