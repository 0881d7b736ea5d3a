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
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/licence"
)

// holderEnv, set to a folder, makes the test's executable a process that takes two permits and keeps them.
const holderEnv = "PEREGRINE_TEST_LICENCE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holderEnv); folder != "" {
		p := &licence.Pool{Name: "cfd", Of: 2, Folder: folder}
		for range 2 {
			if _, err := p.Take(context.Background(), func(string) {}); err != nil {
				fmt.Println("error", err)
			}
			fmt.Println("taken")
		}
		time.Sleep(time.Hour) // select {} would be a deadlock, which ends the process
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

// Two studies of eight users each get their share of permits.
func TestStudiesShareFairly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
		defer end()
		var counts [2]atomic.Int64
		var users sync.WaitGroup
		for i := range counts {
			p := &licence.Pool{Name: "cfd", Of: 2, Folder: folder} // as of another process
			for range 8 {
				users.Go(func() {
					for ctx.Err() == nil {
						back, err := p.Take(ctx, func(string) {})
						if err != nil {
							return
						}
						counts[i].Add(1)
						_ = clock.Sleep(ctx, clock.Real, 5*time.Millisecond)
						back()
					}
				})
			}
		}
		users.Wait()
		if a, b := counts[0].Load(), counts[1].Load(); a+b < 500 || 10*min(a, b) < 3*(a+b) {
			t.Errorf("they got %d and %d", a, b)
		}
	})
}

// The permits of a process that is killed are free at once.
func TestPermitsOfAKilledProcess(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderEnv+"="+folder)
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range 2 {
		if !lines.Scan() || lines.Text() != "taken" {
			t.Errorf("it says %q", lines.Text())
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
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
