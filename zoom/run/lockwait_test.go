package run_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// holderEnv names the key of which a process holds the lock, and its cache.
const holderEnv = "PEREGRINE_TEST_HOLDER"

// beHolder takes the lock of a key and keeps it.
func beHolder() {
	text, dir, _ := strings.Cut(os.Getenv(holderEnv), " ")
	c, err := cache.Open(dir)
	if err == nil {
		var key cache.Key
		if key, err = cache.ParseKey(text); err == nil {
			_, err = c.Lock(context.Background(), key)
		}
	}
	fmt.Println(err)
	time.Sleep(time.Hour) // select {} would be a deadlock, which ends the process
}

// hold starts a process that holds a key, and stops it as Ctrl-Z does.
func hold(t *testing.T, dir string, key cache.Key) *exec.Cmd {
	t.Helper()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderEnv+"="+key.String()+" "+dir)
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	must.OK(t, err)
	t.Cleanup(func() {
		_ = holder.Process.Kill()
		_ = holder.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatal(line, err)
	}
	must.OK(t, exec.Command("kill", "-STOP", fmt.Sprint(holder.Process.Pid)).Run())
	until(t, "its stop", process.Identify(holder.Process.Pid).Stopped)
	return holder
}

// A process that was stopped holds two points: the study says so within 5 s, goes on with the
// others, one of which comes free meanwhile, and takes the last when its holder dies.
func TestStoppedHolder(t *testing.T) {
	dir := t.TempDir()
	s := newStudy(t, openCache(t, dir))
	at := clock.NewManual(time.Now())
	s.Pool.Clock, s.Pool.Workers = at, 1
	jobs := []run.Job{job("stopped", 1, ""), job("late", 2, ""), job("free", 3, "")}
	holders := map[string]*exec.Cmd{}
	var stopped cache.Key
	for _, j := range jobs[:2] {
		key, err := s.Key(j)
		must.OK(t, err)
		if j.Name == "stopped" {
			stopped = key
		}
		holders[j.Name] = hold(t, dir, key)
	}
	var mu sync.Mutex
	said := map[string]string{}
	ended := map[string]bool{}
	s.Pool.Observe = func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Kind == event.Warning:
			said[e.Run] = e.Text
		case e.Kind == event.Ended:
			ended[e.Run] = true
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err := s.Evaluate(context.Background(), jobs)
		noError(t, err)
		for _, o := range out {
			if !o.OK() {
				t.Errorf("%s: %s, %v", o.Job.Name, o.Class, o.Err)
			}
		}
	}()
	come := func(what string, step time.Duration, has func() bool) {
		t.Helper()
		until(t, what, func() bool {
			at.Advance(step)
			mu.Lock()
			defer mu.Unlock()
			return has()
		})
	}
	come("the free point", 0, func() bool { return ended["free"] })
	at.Advance(5 * time.Second)
	come("words", 0, func() bool { return len(said) == 2 })
	for name, text := range said {
		for _, want := range []string{fmt.Sprintf("process %d", holders[name].Process.Pid), "stopped", " since 20"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q lacks %q", name, text, want)
			}
		}
	}
	if !strings.Contains(said["stopped"], stopped.String()[:12]) {
		t.Errorf("%q lacks the key", said["stopped"])
	}
	for _, name := range []string{"late", "stopped"} { // the first job goes on to be held
		must.OK(t, holders[name].Process.Kill())
		come(name, 4*time.Millisecond, func() bool { return ended[name] })
	}
	<-done
}
