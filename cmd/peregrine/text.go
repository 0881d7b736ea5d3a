package main

// How all verbs write sizes, times, durations, warnings and tables.

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// warn prints a line of warning: of what does not end the command.
func warn(cmd *cobra.Command, format string, values ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "warning: "+format+"\n", values...)
}

// bytesText writes a size in decimal units: "12.3 kB".
func bytesText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	x := float64(n)
	for _, u := range []string{"kB", "MB", "GB"} {
		x /= 1000
		if x < 999.95 {
			return fmt.Sprintf("%.1f %s", x, u)
		}
	}
	return fmt.Sprintf("%.1f TB", x/1000)
}

// dateText writes a date and time in the user's time zone.
func dateText(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// wallText writes a duration: "0.412 s", "3 min 12 s", "2 h 5 min".
func wallText(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < 10*time.Second:
		return fmt.Sprintf("%.3f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// oneLine shortens a message for a table: no line breaks, no characters that command a terminal, at most so many
// characters.
func oneLine(s string, most int) string {
	s = cellText(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// cellText writes a text into one cell of a table or line: what would break that is visible instead, such as a
// tabulator in a name.
func cellText(s string) string { return visible(s, unicode.IsControl) }

// textTable is a table for people, whose cells may have any text.
type textTable struct {
	to *tabwriter.Writer
}

func newTable(w io.Writer, head ...string) textTable {
	t := textTable{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

// row writes a row.
func (t textTable) row(cells ...string) {
	safe := make([]string, len(cells))
	for i, c := range cells {
		safe[i] = cellText(c)
	}
	_, _ = fmt.Fprintln(t.to, strings.Join(safe, "\t")) // its error comes with the flush
}

func (t textTable) flush() error { return t.to.Flush() }
