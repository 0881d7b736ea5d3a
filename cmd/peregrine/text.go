package main

// How the tables of all verbs write sizes, times and durations.

import (
	"fmt"
	"time"
)

// bytesText writes a size in decimal units, as disks are sold: "12.3 kB".
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

// dateText writes a time of day where the user is.
func dateText(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

