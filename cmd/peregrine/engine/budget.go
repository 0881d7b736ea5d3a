package engine

// The flags --budget and --by.

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// budgetFlags are the limits of a study.
type budgetFlags struct{ cores, by string }

func (b *budgetFlags) add(f *pflag.FlagSet) {
	f.Var(cli.NonEmpty(&b.cores, "amount"), "budget", `core time of all runs, such as "200 core-hours"; no run `+
		"starts that would pass it, and running ones end at a checkpoint")
	f.Var(cli.NonEmpty(&b.by, "time"), "by", `the same for the time of day, such as 18:00 or "2026-05-31 06:00"`)
}

// budget returns the budget of the flags; nil: there is none.
func (b *budgetFlags) budget(cmd *cobra.Command) (*pool.Budget, error) {
	if b.cores == "" && b.by == "" {
		return nil, nil
	}
	limit := &pool.Budget{Cores: -1, Clock: cli.Clock(cmd)}
	var wrong [2]error
	if b.cores != "" {
		limit.Cores, wrong[0] = coreTime(b.cores)
	}
	if b.by != "" {
		limit.By, wrong[1] = timeBy(b.by, limit.Clock.Now())
	}
	return limit, errors.Join(wrong[:]...)
}

// coreTime reads an amount such as "200 core-hours", in s.
func coreTime(text string) (float64, error) {
	number, of, ok := strings.Cut(text, "core")
	of = strings.TrimLeft(strings.TrimPrefix(of, "s"), "- ")
	short := map[string]string{"hours": "h", "hour": "h", "minutes": "min", "minute": "min", "seconds": "s"}
	s, err := unit.Parse(strings.TrimSpace(number)+" "+cmp.Or(short[of], of), unit.Time)
	if !ok || of == "" || err != nil || s < 0 {
		return 0, fmt.Errorf("--budget: %q: want an amount such as \"200 core-hours\" or \"90 core-min\"", text)
	}
	return s, nil
}

// timeForms are the forms of --by, in the local time zone unless they name a zone.
var timeForms = []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}

// timeBy reads a time. A time of day is the next one.
func timeBy(text string, now time.Time) (time.Time, error) {
	now = now.Local()
	day, clock := 0, text
	if rest, tomorrow := strings.CutPrefix(text, "tomorrow "); tomorrow {
		day, clock = 1, rest
	}
	if at, err := time.Parse("15:04", clock); err == nil {
		by := time.Date(now.Year(), now.Month(), now.Day()+day, at.Hour(), at.Minute(), 0, 0, time.Local)
		if !by.After(now) {
			by = time.Date(now.Year(), now.Month(), now.Day()+1, at.Hour(), at.Minute(), 0, 0, time.Local)
		}
		return by, nil
	}
	for _, form := range timeForms {
		by, err := time.ParseInLocation(form, text, time.Local)
		switch {
		case err != nil:
		case !by.After(now):
			return by, fmt.Errorf("--by: %q is over: it is %s", text, now.Format(time.DateTime))
		default:
			return by, nil
		}
	}
	return time.Time{}, fmt.Errorf("--by: %q: want a time such as 18:00, \"tomorrow 06:00\" or \"2026-05-31 06:00\"",
		text)
}
