package sensor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// grid returns a board with two sensors in two threads of two runs, each for two blocks.
func grid(t *testing.T) (*sensor.Board, map[string]*sensor.Instance) {
	b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "residual", Kind: sensor.Tracing, Fields: pair},
		sensor.Spec{Name: "load", Kind: sensor.Value, Fields: pair, Off: true})
	all := map[string]*sensor.Instance{}
	for _, run := range []string{"fan-1", "fan-2"} {
		for _, thread := range []string{"0", "1"} {
			th := b.Thread(run, thread)
			for _, s := range []string{"residual", "load"} {
				for _, block := range []string{"rotor", "stator"} {
					all[strings.Join([]string{s, run, thread, block}, " ")] = instance(t, th, b, s, block)
				}
			}
		}
	}
	return b, all
}

func TestSwitch(t *testing.T) {
	b, all := grid(t)
	for _, c := range []struct {
		which   sensor.Selector
		to      sensor.Setting
		changed int
	}{
		{sensor.Selector{Sensor: "load"}, sensor.Setting{Interval: time.Second}, 8},
		{sensor.Selector{Run: "fan-2"}, sensor.Setting{Off: true}, 8},
		{sensor.Selector{Sensor: "residual", Run: "fan-*", Thread: "1", Block: "rotor"}, sensor.Setting{Every: 7}, 2},
		{sensor.Selector{Block: "stator", Thread: "0", Run: "fan-1"}, sensor.Setting{Off: true}, 2},
	} {
		if n, err := b.Switch(c.which, c.to); err != nil || n != c.changed {
			t.Errorf("%+v: changed %d (%v), want %d", c.which, n, err, c.changed)
		}
	}
	for name, i := range all {
		want := !strings.Contains(name, "fan-2") && !strings.HasSuffix(name, "fan-1 0 stator") ||
			strings.HasPrefix(name, "residual fan-2 1 rotor")
		if i.On() != want {
			t.Errorf("%s: on is %v", name, i.On())
		}
	}
	for _, s := range b.Status() {
		if s.Spec.Name == "residual" && s.Thread == "1" && s.Block == "rotor" && s.Every != 7 ||
			s.Spec.Name == "load" && !s.Off && s.Interval != time.Second {
			t.Errorf("status %+v", s)
		}
	}
	if late := instance(t, b.Thread("fan-2", "2"), b, "residual", "rotor"); late.On() {
		t.Error("a thread that came later does not follow")
	}
	must.Value(b.Switch(sensor.Selector{Run: "fan-2"}, sensor.Setting{}))(t)
	if !all["residual fan-2 0 rotor"].On() {
		t.Error("it cannot be switched on again")
	}
}

func TestSwitchRefuses(t *testing.T) {
	b, all := grid(t)
	for want, c := range map[string]struct {
		which sensor.Selector
		to    sensor.Setting
	}{
		`there is no sensor "residul", did you mean residual?`: {
			which: sensor.Selector{Sensor: "residul"},
		},
		`sensors "[": syntax error in pattern: write * for any letters, ? for one`: {
			which: sensor.Selector{Run: "["},
		},
		`sensors "load": every -1, interval 0s: choose 0 to 2147483647, and 0 or at least 1ms`: {
			sensor.Selector{Sensor: "load"}, sensor.Setting{Every: -1},
		},
		`sensors "": every 0, interval 1ns: choose 0 to 2147483647, and 0 or at least 1ms`: {
			to: sensor.Setting{Interval: 1},
		},
	} {
		if n, err := b.Switch(c.which, c.to); n != 0 || err == nil || err.Error() != want {
			t.Errorf("changed %d, error %v; want %s", n, err, want)
		}
	}
	if all["load fan-1 0 rotor"].On() {
		t.Error("a refused switch changed something")
	}
}

// Of n records, one in so many is recorded, and none while the sensor is off.
func TestRate(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		every := rapid.IntRange(1, 50).Draw(t, "every")
		b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: pair, Every: every,
			Full: sensor.Wait})
		var k kept
		l := watch(t, b, &k, sensor.LocalOptions{})
		th := b.Thread("r", "t")
		i := instance(t, th, b, "s", "")
		n := rapid.IntRange(0, 500).Draw(t, "n")
		for range n {
			i.Record(1, 1)
		}
		must.Value(b.Switch(sensor.Selector{}, sensor.Setting{Off: true}))(t)
		for range n {
			i.Record(2, 2)
		}
		th.Close()
		end(t, l)
		if len(k.records) != n/every {
			t.Fatal(fmt.Sprintf("%d of %d records, one in %d is wanted", len(k.records), n, every))
		}
	})
}
