package clock

import "time"

// Real is the machine's clock.
var Real Clock = real{}

type real struct{}

func (real) Now() time.Time { return time.Now() }

func (real) NewTimer(d time.Duration) *Timer {
	t := time.NewTimer(d)
	return &Timer{C: t.C, stop: t.Stop}
}

func (real) AfterFunc(d time.Duration, f func()) *Timer {
	t := time.AfterFunc(d, f)
	return &Timer{stop: t.Stop}
}

func (real) NewTicker(d time.Duration) *Timer {
	t := time.NewTicker(d)
	return &Timer{C: t.C, stop: func() bool { t.Stop(); return true }}
}
