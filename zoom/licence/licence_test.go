package licence_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/licence"
)

// holderEnv, set to a folder, makes the test's executable a process with many that want one of two permits.
const holderEnv = "PEREGRINE_TEST_LICENCE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holderEnv); folder != "" {
		p := &licence.Pool{Name: "cfd", Of: 2, Folder: folder}
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for {
					back, err := p.Take(context.Background(), func(string) {})
					if err != nil {
						fmt.Println("error", err)
						return
					}
					fmt.Println("taken")
					_ = clock.Sleep(context.Background(), clock.Real, 5*time.Millisecond)
					back()
				}
			})
		}
		workers.Wait()
	}
	os.Exit(m.Run())
}

// No more permits are out than there are, whoever waits gets one, and who does is told once why he waits.
func TestPermitsAreCounted(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "locks")
	var out, most, said atomic.Int64
	var users sync.WaitGroup
	for range 2 { // as of two processes: pools of one name that know nothing of each other
		p := &licence.Pool{Name: "cfd", Of: 3, Folder: folder}
		for range 10 {
			users.Go(func() {
				back, err := p.Take(t.Context(), func(string) { said.Add(1) })
				if err != nil {
					t.Error(err)
					return
				}
				if n := out.Add(1); n > most.Load() {
					most.Store(n)
				}
				_ = clock.Sleep(t.Context(), clock.Real, 3*time.Millisecond)
				out.Add(-1)
				back()
			})
		}
	}
	users.Wait()
	if most.Load() > 3 || most.Load() == 0 || said.Load() > 20 {
		t.Errorf("%d of 3 permits were out at a time, and waiting was said %d times by 20", most.Load(), said.Load())
	}
}

// Who waits is told why, and ends with its context.
func TestWaitingEnds(t *testing.T) {
	folder := t.TempDir()
	p, q := &licence.Pool{Name: "cfd", Of: 1, Folder: folder}, &licence.Pool{Name: "cfd", Of: 1, Folder: folder}
	back, err := p.Take(t.Context(), func(why string) { t.Error(why) })
	must.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = q.Take(ctx, func(why string) {
		if why != "all 1 are in use on this machine" {
			t.Error(why)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	back()
	back = must.Value(q.Take(t.Context(), func(why string) { t.Error(why) }))(t)
	back()
}

// Two processes of eight users each get their share of permits, and those of a process that is killed are free at once.
func TestProcessesShareFairly(t *testing.T) {
	folder := t.TempDir()
	var counts [2]atomic.Int64
	var readers sync.WaitGroup
	var commands []*exec.Cmd
	for i := range counts {
		self := must.Value(os.Executable())(t)
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), holderEnv+"="+folder)
		out, err := cmd.StdoutPipe()
		must.OK(t, errors.Join(err, cmd.Start()))
		commands = append(commands, cmd)
		readers.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if lines.Text() == "taken" {
					counts[i].Add(1)
				} else {
					t.Error(lines.Text())
				}
			}
		})
	}
	await := func(enough func() bool) {
		for end := time.Now().Add(time.Minute); !enough() && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
	}
	await(func() bool { return counts[0].Load() > 0 && counts[1].Load() > 0 }) // one may start later
	a, b := counts[0].Load(), counts[1].Load()
	await(func() bool { return counts[0].Load()+counts[1].Load() >= a+b+100 })
	a, b = counts[0].Load()-a, counts[1].Load()-b
	for _, cmd := range commands {
		_ = cmd.Process.Kill()
	}
	readers.Wait()
	for _, cmd := range commands {
		_ = cmd.Wait()
	}
	if a+b < 100 || min(a, b) < 20 { // a busy machine runs one of them more than the other
		t.Errorf("they got %d and %d", a, b)
	}
	p := &licence.Pool{Name: "cfd", Of: 2, Folder: folder}
	for range 2 {
		must.Value(p.Take(t.Context(), func(why string) { t.Error(why) }))(t)
	}
}

// The licence server is asked, and asked once more, until it has one.
func TestServerIsAsked(t *testing.T) {
	folder := t.TempDir()
	count := filepath.Join(folder, "count")
	script := `echo x >> '` + count + `'; n=$(wc -l < '` + count +
		`'); if [ $n = 1 ]; then exit 3; elif [ $n = 2 ]; then echo "12 issued, 12 in use, free: 0"; else echo "12 issued, 10 in use, free: 2."; fi`
	p := &licence.Pool{Name: "cfd", Folder: folder, Free: []string{"/bin/sh", "-c", script}}
	var said []string
	back := must.Value(p.Take(t.Context(), func(why string) { said = append(said, why) }))(t)
	back()
	if text, err := os.ReadFile(count); err != nil || strings.Count(string(text), "x") != 3 || len(said) != 1 ||
		!strings.Contains(said[0], "exit status 3") {
		t.Errorf("asked %q, %v; said %q", text, err, said)
	}
	p.Free = []string{"/nowhere/lmstat"}
	if _, err := p.Take(t.Context(), func(string) {}); err == nil || !strings.Contains(err.Error(), "licences of cfd") {
		t.Errorf("error %v", err)
	}
}
