//go:build unix

package external

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/condition"
)

// heeds is a program that looks at its file once an iteration, says what it has read, and converges at a cfl of 0.5.
const heeds = `n=0; old=
while [ $n -lt 30000 ]; do
	n=$((n+1)); new=; stop=
	while read -r name _ value; do case $name in cfl) new=$value ;; stop) stop=$value ;; esac; done <case.cfg
	if [ "$new" != "$old" ]; then
		case $new in 13) echo "no such cfl: $new" ;; *) echo "cfl is now $new"; old=$new ;; esac
	fi
	echo "iteration $n: residual 1e-$n"
	if [ "$new" = 0.5 ]; then echo converged; printf 'y\n9\n' >out.csv; exit 0; fi
	if [ "$stop" = yes ]; then printf 'y\n7\n' >out.csv; exit 0; fi
	sleep 0.01
done`

// cannot is one that reads its file once.
const cannot = `n=0; cat case.cfg; while [ $n -lt 30000 ]; do n=$((n+1)); echo "iteration $n: residual 1"; sleep 0.01; done`

const cfg = `settings:
  cfl: {default: 8, min: 0.1, max: 100, doc: Courant number}
files:
  - {to: case.cfg, text: "# a case\ncfl = {{ cfl }}\norder = 2   # of accuracy\nstop = no\n"}
watch:
  - {file: first.log, lines: ["iteration {iteration}: residual {residual}"]}
success:
  - {regexp: ^converged}
`

const steering = `steer:
  files:
    - file: case.cfg
      format: assignments
      confirm: 'cfl is now (?P<value>\S+)'
      reject: 'no such cfl'
      within: 30 s
      objects:
        cfl: {at: cfl, setting: cfl}
        order: {at: order, type: int, min: 1, max: 3}
        ends: {at: stop, type: bool, words: [no, yes], effect: monitor}
  stop: {ends: true}
`

// hasty is the same, and waits less for what is not going to show.
var hasty = strings.Replace(steering, "within: 30 s", "within: 0.3 s", 1)

// sailing is a run that is steered.
type sailing struct {
	*bench
	folder   string
	log      string // of its program
	registry *steer.Registry
	ended    chan plugin.Result
	end      context.CancelFunc
}

// sail begins a run. The commands are given before it.
func sail(t *testing.T, rest, script string, early ...steer.Command) *sailing {
	t.Helper()
	return sailIn(t, t.TempDir(), rest, script, early...)
}

// sailIn begins it in a folder.
func sailIn(t *testing.T, folder, rest, script string, early ...steer.Command) *sailing {
	t.Helper()
	s := newBench(t, rest, map[string]string{"first": script}).sail(folder, early...)
	s.registry.Begun(t.Context())
	return s
}

// sail begins a run of the description in a folder.
func (b *bench) sail(folder string, early ...steer.Command) *sailing {
	b.Helper()
	ctx, end := context.WithCancel(b.Context())
	s := &sailing{b, folder, "first.log", steer.New(clock.Real), make(chan plugin.Result, 1), end}
	s.registry.Compile = condition.Compile
	for _, c := range early {
		s.registry.Submit(c, func(event.Receipt) {})
	}
	s.launch(ctx, b.load(), plugin.Request{Numbers: map[string]float64{"x": 3}})
	return s
}

// launch has a run of a description begin, and end with the test.
func (s *sailing) launch(ctx context.Context, d *Description, req plugin.Request) {
	p := d.Plugin()
	req = p.WithDefaults(req)
	req.Folder, req.Steer = s.folder, s.registry
	over := make(chan struct{})
	go func() {
		defer close(over)
		r, err := New(d).Run(ctx, req, func(event.Event) {})
		s.registry.Close()
		if err != nil {
			s.Error(err)
		}
		s.ended <- r
	}()
	s.Cleanup(func() {
		s.end()
		<-over
	})
}

// give gives a command and returns its last receipt.
func (s *sailing) give(c steer.Command) event.Receipt {
	s.Helper()
	return <-s.begin(c)
}

// want gives a command and checks the state of its last receipt and what its reason holds.
func (s *sailing) want(state event.State, c steer.Command, reason ...string) {
	s.Helper()
	r := s.give(c)
	if r.State != state || len(reason) > 0 && !strings.Contains(r.Reason, reason[0]) {
		s.Errorf("%s: %+v, want %s %s", c.Verb, r, state, reason)
	}
}

// ends checks how the run ends.
func (s *sailing) ends(class event.Class) {
	s.Helper()
	if res := <-s.ended; res.Class != class {
		s.Errorf("%+v, want %s", res, class)
	}
}

// begin gives a command, and returns where its last receipt comes.
func (s *sailing) begin(c steer.Command) <-chan event.Receipt {
	s.Helper()
	last := make(chan event.Receipt, 1)
	if c.ID == "" {
		ids++
		c.ID = fmt.Sprintf("command %d", ids)
	}
	s.registry.Submit(c, func(r event.Receipt) {
		if r.State.Final() {
			last <- r
		}
	})
	return last
}

var ids int // of commands that were given

func to(name string, v float64) steer.Command {
	return steer.Command{Verb: steer.Set, Changes: []steer.Change{{Object: name, Value: steer.FloatValue(v)}}}
}

// text is the content of a file of the run.
func (s *sailing) text(name string) string {
	s.Helper()
	text := must.Value(os.ReadFile(filepath.Join(s.folder, name)))(s)
	return string(text)
}

// until waits for a line of the log.
func (s *sailing) until(line string) {
	s.Helper()
	log := func() string {
		text, _ := os.ReadFile(filepath.Join(s.folder, s.log)) // it may not be there yet
		return string(text)
	}
	for n := 0; !strings.Contains(log(), line); n++ {
		if n > 6000 {
			s.Fatalf("the log never has %q: %s", line, log())
		}
		<-clock.Real.NewTimer(10 * time.Millisecond).C
	}
}

// What is changed in a file is applied when the program's log shows it, at the iteration that the log shows; nothing
// else of the file changes.
func TestSteered(t *testing.T) {
	s := sail(t, cfg+steering+y, heeds)
	s.until("iteration 3:")
	r := s.give(steer.Command{
		Verb: steer.Set,
		Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(20), Expect: steer.FloatValue(8)},
			{Object: "order", Value: steer.IntValue(1)}},
	})
	if r.State != event.Applied || r.Iteration < 2 || len(r.Effects) != 2 || r.Effects[0].Old.Number != 8 ||
		r.Effects[0].New.Number != 20 || r.Effects[0].Setting != "cfl" {
		t.Fatalf("%+v", r)
	}
	if text := s.text("case.cfg"); text != "# a case\ncfl = 20\norder = 1   # of accuracy\nstop = no\n" {
		t.Errorf("the file is %q", text)
	}
	at := strings.Index(s.text("first.log"), "cfl is now 20")
	if before := strings.Count(s.text("first.log")[:max(at, 0)], "iteration"); at < 0 || r.Iteration != int64(before) {
		t.Errorf("it is said to be applied at iteration %d, and was read after iteration %d", r.Iteration, before)
	}
	if unchanged := s.give(to("cfl", 20)); unchanged.State != event.Applied || unchanged.Iteration < r.Iteration {
		t.Errorf("the value that it has: %+v", unchanged)
	}
	if end := s.begin(to("cfl", 0.5)); (<-end).State != event.Applied {
		t.Error("it was not applied")
	}
	if res := <-s.ended; res.Class != event.Converged || res.Numbers["y"] != 9 {
		t.Errorf("%+v", res)
	}
	s.want(event.Late, to("cfl", 5))
}

// A program that looks at nothing, one that will not have the value, one that dies, a file that is gone, a folder
// that cannot be written: what is said of a change is what is so, and where it is not made the file is as it was.
func TestNotApplied(t *testing.T) {
	spoil := func(s *sailing, name string) func() {
		return func() {
			must.OK(s, os.Mkdir(filepath.Join(s.folder, name), 0o755))
		}
	}
	for name, c := range map[string]struct {
		script string
		before func(s *sailing) func()
		set    steer.Command
		state  event.State
		reason string
		file   string // a line of it
	}{
		"it looks at nothing": {cannot, nil, to("cfl", 5), event.Unconfirmed,
			"nothing showed within 300ms that the program has read it", "cfl = 5\n"},
		"it will not have it": {heeds, nil, to("cfl", 13), event.RolledBack,
			"the program rejects it: no such cfl: 13", "cfl = 8\n"},
		"it dies of it": {"while ! grep -q 'cfl = 5' case.cfg; do sleep 0.01; done; kill -9 $$", nil,
			to("cfl", 5), event.Unconfirmed, "ended before it showed", "cfl = 5\n"},
		"another value shows": {
			"while ! grep -q 'cfl = 5' case.cfg; do sleep 0.01; done; echo cfl is now 4; sleep 290", nil, to("cfl", 5),
			event.Unconfirmed, "nothing showed", "cfl = 5\n",
		},
		"beyond its bounds": {heeds, nil, to("cfl", 1000), event.Refused, "want at most 100", "cfl = 8\n"},
		"not what was expected": {
			heeds, nil,
			steer.Command{
				Verb:    steer.Set,
				Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(5), Expect: steer.FloatValue(9)}},
			}, event.Refused, "it is 8, not 9", "cfl = 8\n",
		},
		"a misspelt name": {heeds, nil, to("clf", 5), event.Refused, `did you mean "cfl"`, "cfl = 8\n"},
		"of two one has no place": {
			heeds, func(s *sailing) func() { return func() { s.put("cfl = 8\nordr = 2\nstop = no\n") } },
			steer.Command{
				Verb: steer.Set, Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(5)},
					{Object: "order", Value: steer.IntValue(3)}},
			}, event.Refused, "order: case.cfg: it has no entry order; did you mean ordr?", "cfl = 8\n",
		},
		"the file cannot be made": {heeds, func(s *sailing) func() { return spoil(s, "case.cfg.next") },
			to("cfl", 5), event.RolledBack, "is a directory", "cfl = 8\n"},
		"something else stands there": {
			heeds, func(s *sailing) func() { return func() { s.put("cfl = $x\norder = 2\nstop = no\n") } },
			to("cfl", 5), event.Applied, "", "cfl = 5\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := steering
			if strings.HasPrefix(c.reason, "nothing showed") {
				text = hasty
			}
			s := sail(t, cfg+text+y, c.script)
			if c.before != nil {
				c.before(s)()
			}
			r := s.give(c.set)
			if r.State != c.state || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%s: %s; want %s: %s", r.State, r.Reason, c.state, c.reason)
			}
			if text := s.text("case.cfg"); !strings.Contains(text, c.file) {
				t.Errorf("the file is %q", text)
			}
			for _, e := range r.Effects {
				if (r.State == event.RolledBack) != e.Old.Equal(e.New) {
					t.Errorf("%s from %v to %v", r.State, e.Old, e.New)
				}
			}
		})
	}
	t.Run("the file is gone", func(t *testing.T) {
		s := sail(t, cfg+steering+y, cannot)
		must.OK(t, os.Remove(filepath.Join(s.folder, "case.cfg")))
		s.want(event.Refused, to("cfl", 5), "case.cfg: ")
		if _, err := os.Stat(filepath.Join(s.folder, "case.cfg")); err == nil {
			t.Error("it was made anew")
		}
	})
}

// tidy checks that no file is left that was to take another's place.
func (s *sailing) tidy() {
	s.Helper()
	if left, _ := filepath.Glob(filepath.Join(s.folder, "*.next")); left != nil {
		s.Errorf("left behind: %v", left)
	}
}

// put writes the file as a program of somebody's would.
func (s *sailing) put(text string) {
	s.Helper()
	must.OK(s, os.WriteFile(filepath.Join(s.folder, "case.cfg"), []byte(text), 0o644))
}

// A change that nothing showed is written once more when it is wanted once more; the answer counts then.
func TestOnceMore(t *testing.T) {
	s := sail(t, cfg+hasty+y, `while :; do
	now=$(stat -c %y case.cfg)
	if [ "$now" != "$seen" ] && [ -e look ]; then echo cfl is now $(sed -n 's/^cfl = //p' case.cfg); fi
	seen=$now
	sleep 0.02
done`)
	if r := s.give(to("cfl", 20)); r.State != event.Unconfirmed {
		t.Fatalf("%+v", r)
	}
	must.OK(t, os.WriteFile(filepath.Join(s.folder, "look"), nil, 0o644))
	r := s.give(to("cfl", 20))
	for n := 0; r.State == event.Unconfirmed && n < 100; n++ { // the program may be slow
		r = s.give(to("cfl", 20))
	}
	if r.State != event.Applied {
		t.Errorf("%+v", r)
	}
}

// Of several changes at once each waits for the one before it, and all are done.
func TestManyAtOnce(t *testing.T) {
	s := sail(t, cfg+steering+y, heeds)
	var all []<-chan event.Receipt
	for i := range 8 {
		all = append(all, s.begin(to("cfl", float64(20+i))))
	}
	last, old := int64(0), 8.0
	for i, c := range all {
		r := <-c
		if r.State != event.Applied || r.Iteration < last || len(r.Effects) != 1 || r.Effects[0].Old.Number != old {
			t.Errorf("change %d: %+v", i, r)
		}
		last, old = r.Iteration, float64(20+i)
	}
}

// A run is held and goes on, makes steps, waits for iterations and conditions, by what its log shows. What is changed
// while it is held nothing shows.
func TestHeld(t *testing.T) {
	s := sail(t, cfg+steering+y, heeds)
	if r := s.give(steer.Command{Verb: steer.Set, Changes: to("cfl", 20).Changes, At: 5}); r.State != event.Applied ||
		r.Iteration < 5 {
		t.Errorf("at iteration 5: %+v", r)
	}
	if r := s.give(steer.Command{
		Verb: steer.Set, Changes: to("cfl", 30).Changes, When: "iteration >= 8 && residual < 1e-8",
	}); r.State != event.Applied || r.Iteration < 8 {
		t.Errorf("at a condition: %+v", r)
	}
	at := s.give(steer.Command{Verb: steer.Pause})
	if at.State != event.Applied || !at.Held {
		t.Fatalf("%+v", at)
	}
	lines := func() int { return strings.Count(s.text("first.log"), "iteration") }
	before := lines()
	s.want(event.Unconfirmed, to("cfl", 40), "is held")
	<-clock.Real.NewTimer(200 * time.Millisecond).C
	if n := lines(); n != before {
		t.Errorf("it is held, and makes %d iterations", n-before)
	}
	s.want(event.Applied, steer.Command{Verb: steer.Step, Steps: 3})
	for n := 0; lines() < before+3 || !s.registry.Held(); n++ {
		if n > 500 {
			t.Fatalf("three steps: %d iterations, held %v", lines()-before, s.registry.Held())
		}
		<-clock.Real.NewTimer(10 * time.Millisecond).C
	}
	s.give(steer.Command{Verb: steer.Resume})
	s.want(event.Applied, to("cfl", 0.5))
	s.ends(event.Converged)
}

// A run that was given what to do before it began does it before its program runs, and is held there if that is wanted.
func TestBeforeItBegins(t *testing.T) {
	pause := steer.Command{ID: "hold", Verb: steer.Pause}
	early := to("cfl", 0.5)
	early.ID = "early"
	s := sail(t, cfg+steering+y, heeds, pause, early)
	if r := s.give(early); r.State != event.Applied || r.Iteration != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "first.log")); err == nil {
		t.Error("it is held, and the program has begun")
	}
	s.give(steer.Command{Verb: steer.Release})
	if res := <-s.ended; res.Class != event.Converged || strings.Contains(s.text("first.log"), "is now 8") {
		t.Errorf("%+v, %s", res, s.text("first.log"))
	}
}

// A stop lets the program end in order where the description says how, and ends it else; also while it is held, and
// before it begins.
func TestSteeredStop(t *testing.T) {
	without := strings.Replace(steering, "  stop: {ends: true}\n", "", 1)
	for name, c := range map[string]struct {
		steering, script string
		early            []steer.Command
		pause            bool
		message          string
	}{
		"in order":      {steering, heeds, nil, false, "stopped on request; step first ended by itself"},
		"while held":    {steering, heeds, nil, true, "stopped on request; step first ended by itself"},
		"it is deaf":    {hasty, cannot, nil, false, "stopped on request; step first was ended"},
		"not described": {without, heeds, nil, false, "stopped on request; step first was ended"},
		"before": {steering, heeds, []steer.Command{{ID: "stop", Verb: steer.Stop}}, false,
			"stopped on request before step first"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sail(t, cfg+c.steering+y, c.script, c.early...)
			if c.early == nil {
				s.until("iteration 2:")
				if c.pause {
					s.give(steer.Command{Verb: steer.Pause})
				}
				s.want(event.Applied, steer.Command{Verb: steer.Stop})
			}
			if res := <-s.ended; res.Class != event.Killed || res.Message != c.message {
				t.Errorf("%+v", res)
			}
		})
	}
}

// A stop ends the run also in the steps before the one that is steered, and in those after it, in which nothing else
// can be changed.
func TestStopInOtherSteps(t *testing.T) {
	const steps = "  - {name: second, command: [./second.sh], time: 300 s}\n  - {name: third, command: [./third.sh], " +
		"time: 300 s}\n"
	for at, name := range []string{"first", "second", "third"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, steps+cfg+strings.Replace(steering, "steer:\n", "steer:\n  step: second\n", 1)+y,
				map[string]string{"first": "true", "second": "true", "third": "true"})
			b.write(name+".sh", "#!/bin/sh\necho begun; exec sleep 290\n", 0o755)
			s := b.sail(t.TempDir())
			s.log = name + ".log"
			s.until("begun")
			if at > 1 {
				s.want(event.Refused, to("cfl", 5), "step second has ended")
			}
			if at != 1 {
				s.want(event.Applied, steer.Command{Verb: steer.Stop})
			} else {
				s.end()
			}
			if res := <-s.ended; res.Class != event.Killed ||
				!strings.Contains(res.Message, "step "+name+" was ended") {
				t.Errorf("%+v", res)
			}
		})
	}
}

// The ways to have a program read a file.
func TestReread(t *testing.T) {
	for name, c := range map[string]struct{ keys, script string }{
		"a signal": {
			"reread: SIGUSR1",
			`trap 'echo cfl is now $(sed -n "s/^cfl = //p" case.cfg)' USR1; echo iteration 1: residual 1; while :; do sleep 0.02; done`,
		},
		"a touched file": {
			"reread: {touch: go}",
			`echo iteration 1: residual 1; while [ ! -e go ]; do sleep 0.02; done; echo cfl is now $(sed -n "s/^cfl = //p" case.cfg); sleep 290`,
		},
		"in place": {
			"write: in_place",
			`exec 3<case.cfg; while ! grep -q "cfl = 5" /dev/fd/3; do sleep 0.02; done; echo cfl is now 5; sleep 290`,
		},
		"a later date": {
			"later: 1 h",
			`touch -d '30 minutes' mark; while [ ! case.cfg -nt mark ]; do sleep 0.02; done; echo cfl is now 5; sleep 290`,
		},
		"in another file": {"confirm: {regexp: 'took (?P<value>.*)', file: seen.txt}",
			`while :; do echo took $(sed -n "s/^cfl = //p" case.cfg) >seen.tmp; mv seen.tmp seen.txt; sleep 0.02; done`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(steering, "      within: 30 s\n", "      within: 30 s\n      "+c.keys+"\n", 1)
			if strings.HasPrefix(c.keys, "confirm") {
				text = strings.Replace(text, "      confirm: 'cfl is now (?P<value>\\S+)'\n", "", 1)
			}
			s := sail(t, cfg+text+y, c.script)
			s.want(event.Applied, to("cfl", 5))
			s.tidy()
		})
	}
}

// The controls of a program that is steered are objects; nothing shows whether it reads what is made of them.
func TestControlsAreObjects(t *testing.T) {
	s := sail(t,
		strings.Replace(cfg, "files:\n", "  dt: {default: 1}\nfiles:\n  - {to: other.txt, text: '{{ dt }}'}\n", 1)+
			steering+"controls: [dt]\n"+y, heeds)
	if r := s.give(to("dt", 5)); r.State != event.Unconfirmed || r.Effects[0].Old.Number != 1 ||
		r.Effects[0].New.Number != 5 || s.text("other.txt") != "5" {
		t.Errorf("%+v", r)
	}
	names := convert.All(s.registry.List(), func(o steer.Listed) string { return o.Name })
	if !slices.Contains(names, "dt") || !slices.Contains(names, "cfl") {
		t.Errorf("objects %v", names)
	}
}

// Where a file cannot be written for want of room, what was changed is rolled back, and what stands there is whole;
// with room it can be done.
func TestFullDisk(t *testing.T) {
	folder := t.TempDir()
	if _, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", folder).CombinedOutput(); err != nil {
		testenv.NotHere(t, "no small disk can be mounted")
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", folder).CombinedOutput()
		// it is busy until the last program that was ended has left the folder
		for n := 0; err != nil && n < 3000; n++ {
			<-clock.Real.NewTimer(10 * time.Millisecond).C
			out, err = exec.Command("umount", folder).CombinedOutput()
		}
		if err != nil {
			t.Errorf("%s", out)
		}
	})
	s := sailIn(t, folder, cfg+steering+y, heeds)
	s.until("iteration 2:")
	s.give(steer.Command{Verb: steer.Pause}) // it prints, too
	full := filepath.Join(folder, "full")
	f := must.Value(os.Create(full))(t)
	for err := error(nil); err == nil; {
		_, err = f.Write(make([]byte, 4096))
	}
	must.OK(t, f.Close())
	before := s.text("case.cfg")
	s.want(event.RolledBack, to("cfl", 5), "no space left on device")
	if now := s.text("case.cfg"); now != before {
		t.Errorf("the file is %q, and was %q", now, before)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*.next")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	must.OK(t, os.Remove(full))
	s.give(steer.Command{Verb: steer.Resume})
	s.want(event.Applied, to("cfl", 5))
}
