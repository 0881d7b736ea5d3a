package engine

import (
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestCoreTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"200 core-hours": 720_000, "200 core hours": 720_000,
		"1.5 core-h": 5400, "90core-min": 5400, "0 core-hours": 0, "1 core-hour": 3600, "10 core-s": 10} {
		must.Equal(t, want, must.Value(coreTime(text))(t))
	}
	for _, text := range []string{"200", "200 hours", "core-hours", "200 core", "200 core-kg", "-1 core-hours",
		"nan core-hours", "1e400 core-hours", "200 core-hours more"} {
		if x, err := coreTime(text); err == nil {
			t.Errorf("%q is %v", text, x)
		}
	}
}

func TestTimeBy(t *testing.T) {
	t.Parallel()
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 5, day, hour, minute, 0, 0, time.Local) }
	now := at(30, 12, 30)
	for text, want := range map[string]time.Time{"18:00": at(30, 18, 0), "06:00": at(31, 6, 0), "12:30": at(31, 12, 30),
		"tomorrow 18:00": at(31, 18, 0), "tomorrow 06:00": at(31, 6, 0), "2026-05-31 06:00": at(31, 6, 0),
		"2026-05-31T06:00": at(31, 6, 0), at(31, 6, 0).Format(time.RFC3339): at(31, 6, 0)} {
		if by := must.Value(timeBy(text, now))(t); !by.Equal(want) {
			t.Errorf("%s is %v, want %v", text, by, want)
		}
	}
	for _, text := range []string{"25:00", "18", "noon", "2026-05-30 12:30", "2026-05-29 18:00", "yesterday 18:00",
		"tomorrow", "2026-02-30 18:00"} {
		if by, err := timeBy(text, now); err == nil {
			t.Errorf("%q is %v", text, by)
		}
	}
}
