package cli

// How all verbs write sizes, times, durations, warnings and tables.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// Warn prints a warning line about a problem that does not end the command.
func Warn(cmd *cobra.Command, format string, values ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "warning: "+format+"\n", values...)
}

// Bytes writes a size in decimal units: "12.3 kB".
func Bytes(n int64) string {
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

// Date writes a date and time in the user's time zone.
func Date(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// Seconds is a duration of so many seconds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Duration writes a duration: "0.412 s", "3 min 12 s", "2 h 5 min".
func Duration(d time.Duration) string {
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

// Took writes a duration in seconds as Duration does.
func Took(s float64) string { return Duration(Seconds(s)) }

// OrNone writes a missing text as -.
func OrNone(text string) string { return cmp.Or(text, "-") }

// PrintJSON writes a value as JSON for programs and people. It does not escape HTML, so that > stays >.
func PrintJSON(cmd *cobra.Command, v any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// PrintLine prints a value as JSON on one line with --json, otherwise a line of text.
func PrintLine(cmd *cobra.Command, v any, text string) error {
	if !AsJSON(cmd) {
		cmd.Println(text)
		return nil
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// PrintValue prints a value as JSON with --json, else as text.
func PrintValue[T any](cmd *cobra.Command, v T, text func(T) string) error {
	if AsJSON(cmd) {
		return PrintJSON(cmd, v)
	}
	cmd.Print(text(v))
	return nil
}

// PrintList is printValue for a list. Instead of an empty text it prints none, on standard error.
func PrintList[T any](cmd *cobra.Command, list []T, none string, text func([]T) string) error {
	if !AsJSON(cmd) && len(list) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), none)
		return nil
	}
	return PrintValue(cmd, list, text)
}
