package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// No attempt starts that would pass the budget, by what runs took so far.
func TestBudgetRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const hour = 3600.0
		anHour := map[string]float64{"fan": hour}
		for name, c := range map[string]struct {
			of    *Budget
			cores int
			why   string // empty: it starts
		}{
			"nothing allowed":   {&Budget{}, 1, "0 core-hours are used up"},
			"unknown time":      {&Budget{Cores: 1}, 1, ""},
			"no end in sight":   {&Budget{Cores: 1e11}, 1, ""},
			"fits":              {&Budget{Cores: 2 * hour, Usual: anHour}, 2, ""},
			"too many cores":    {&Budget{Cores: 2 * hour, Usual: anHour}, 3, "about 3 core-hours"},
			"another component": {&Budget{Cores: 2 * hour, Usual: map[string]float64{"hpc": hour}}, 3, ""},
			"over":              {&Budget{Cores: -1, By: time.Now()}, 1, "is over"},
			"it would end too late": {&Budget{Cores: -1, By: time.Now().Add(time.Hour), Usual: anHour}, 1,
				"of about 1h0m0s would not end by"},
			"it ends in time": {&Budget{Cores: -1, By: time.Now().Add(2 * time.Hour), Usual: anHour}, 9, ""},
		} {
			b := c.of
			b.Clock = clock.Real
			if _, err := b.begin(stopNot, "fan", c.cores, false); err != nil { // a second attempt, which may be missing
				must.Equal(t, BudgetState{}, b.State())
			}
			b.living = nil
			if why := b.refuses("fan", c.cores); (why == "") != (c.why == "") || !strings.Contains(why, c.why) ||
				b.State().Why != why {
				t.Errorf("%s: refused as %q", name, why)
			}
			end, err := b.begin(stopNot, "fan", c.cores, true)
			if err == nil {
				time.Sleep(time.Second / 2)
				end()
			}
			if is := b.State(); (err == nil) != (c.why == "") || !strings.Contains(is.Why, c.why) ||
				(is.LeftOut == 1) != (err != nil) {
				t.Errorf("%s: %v, %+v", name, err, is)
			}
		}
	})
}

func stopNot(error) {}

// What runs under way are expected to use counts, and what they took replaces what earlier studies did.
func TestBudgetCountsRunsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &Budget{Cores: 100, Clock: clock.Real, Usual: map[string]float64{"fan": 60}}
		end, err := b.begin(stopNot, "fan", 1, true)
		must.OK(t, err)
		if _, err := b.begin(stopNot, "fan", 1, true); err == nil {
			t.Error("60 s and 60 s fit into 100 s")
		}
		time.Sleep(10 * time.Second)
		end()
		b.learn("fan", 10*time.Second, 1)
		must.Equal(t, 10.0, b.Cost("fan"))
		must.Equal(t, "", b.refuses("fan", 1)) // although one was left out
		for range 9 {
			end, err := b.begin(stopNot, "fan", 1, true)
			must.OK(t, err)
			defer end()
		}
		if _, err := b.begin(stopNot, "fan", 1, true); err == nil {
			t.Error("an eleventh run of 10 s fits into 100 s")
		}
	})
}

// Attempts that take longer than expected are stopped when the budget is used up, or at its time.
func TestBudgetStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			of        *Budget
			by, after time.Duration
		}{
			{&Budget{Cores: 90}, 0, 30 * time.Second},
			{&Budget{Cores: -1}, 20 * time.Second, 20 * time.Second},
			{&Budget{Cores: 90}, time.Second, time.Second},
			{&Budget{Cores: -1}, 50 * time.Hour, 50 * time.Hour},
			{&Budget{Cores: 3 * 3600 * 50}, 0, 50 * time.Hour},
		} {
			c.of.Clock = clock.Real
			began := time.Now()
			if c.by > 0 {
				c.of.By = began.Add(c.by)
			}
			one, stopOne := context.WithCancelCause(t.Context())
			endOne, err := c.of.begin(stopOne, "fan", 1, true)
			must.OK(t, err)
			two, stopTwo := context.WithCancelCause(t.Context())
			endTwo, err := c.of.begin(stopTwo, "fan", 2, true)
			must.OK(t, err)
			<-one.Done()
			<-two.Done()
			must.Equal(t, c.after, time.Since(began).Round(time.Second))
			if !errors.As(context.Cause(two), new(*BudgetError)) {
				t.Error(context.Cause(two))
			}
			time.Sleep(time.Second) // until their checkpoints
			endOne()
			endTwo()
			must.Equal(t, 2, c.of.State().Stopped)
			must.Equal(t, 3*(c.after.Seconds()+1), float64(int(c.of.State().Used)))
			if _, err := c.of.begin(stopNot, "fan", 1, true); err == nil {
				t.Error("a run starts after the end")
			}
		}
	})
}

// A study without a budget has no limit.
func TestNoBudget(t *testing.T) {
	t.Parallel()
	var b *Budget
	end, err := b.begin(stopNot, "fan", 1, true)
	must.OK(t, err)
	end()
	b.learn("fan", time.Second, 1)
	must.Equal(t, "", b.refuses("fan", 1))
	must.Equal(t, BudgetState{}, b.State())
}
