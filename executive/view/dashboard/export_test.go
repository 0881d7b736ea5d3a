package dashboard

import "strings"

// Text is the frame without any style, without blanks at the ends of lines.
func (f Frame) Text() string {
	var b strings.Builder
	for i, r := range f.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(r.text(), " "))
	}
	return b.String()
}
