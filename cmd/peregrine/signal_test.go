package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
)

// deaf is a program that a signal reaches and does not end.
func deaf() {
	ctx := untilSignal()
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("interrupted")
	time.Sleep(time.Hour)
}

// A second signal ends the program, even where nothing looks at the first.
func TestSecondSignalEndsTheProgram(t *testing.T) {
	hangUp := make(chan os.Signal, 1) // where the tests run under nohup, the program does not
	signal.Notify(hangUp, syscall.SIGHUP)
	defer signal.Stop(hangUp)
	cmd := exec.Command(programNamed(t, "deaf"))
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	kill := time.AfterFunc(programtest.Patience, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	lines := bufio.NewScanner(out)
	for i, want := range []string{"ready", "interrupted"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it prints %q, want %s", lines.Text(), want)
		}
		if i == 0 { // a terminal that closes sends it more than once
			must.OK(t, cmd.Process.Signal(syscall.SIGHUP))
			continue
		}
		must.OK(t, errors.Join(cmd.Process.Signal(syscall.SIGHUP), cmd.Process.Signal(os.Interrupt)))
	}
	if code := programtest.ExitCode(cmd.Wait()); code != cli.Interrupted {
		t.Errorf("it ended with %s", cmd.ProcessState)
	}
}

// What breaks off when a signal comes may call that what it likes: a watchdog that cannot be started, for one.
func TestInterruptedIsNoBadInput(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx        context.Context
		code, want int
	}{
		{context.Background(), cli.BadInput, cli.BadInput},
		{ended, cli.BadInput, cli.Interrupted},
		{ended, cli.NoZoom, cli.Interrupted},
		{ended, cli.Fault, cli.Fault},
		{ended, cli.NotConverged, cli.NotConverged},
		{ended, cli.OK, cli.OK},
	} {
		if code, text := cli.AfterSignal(c.ctx, c.code, "watchdog: cannot start"); code != c.want ||
			(text == cli.InterruptedText) != (c.want == cli.Interrupted) {
			t.Errorf("code %d becomes %d, %q; want %d", c.code, code, text, c.want)
		}
	}
}

// The verbs of the cache, which may have a hundred thousand answers, end with an interrupt and leave nothing half done.
func TestInterruptEndsTheVerbsOfTheCache(t *testing.T) {
	dir := t.TempDir()
	c := must.Value(cache.Open(filepath.Join(dir, "cache")))(t)
	key, err := cache.NewKey("a question")
	if err == nil {
		err = c.Put(key, []byte("an answer"))
	}
	must.OK(t, err)
	bundle := filepath.Join(dir, "there.tar.gz")
	f, err := os.Create(bundle)
	if err == nil {
		_, err = c.Export(t.Context(), f, cache.Manifest{}, []cache.Key{key}, func(cache.Key) any { return nil })
	}
	must.OK(t, errors.Join(err, f.Close()))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"list"}, {"show", key.String()}, {"export", filepath.Join(dir, "new.tar.gz")},
		{"import", bundle}, {"rm", key.String(), "--yes"}} {
		if code := execute(ended, append([]string{"--cache", filepath.Join(dir, "cache"), "cache"}, args...)); code !=
			cli.Interrupted {
			t.Errorf("cache %s: exit code %d, want %d", args[0], code, cli.Interrupted)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if entries, err := c.List(); err != nil || len(entries) != 1 {
		t.Errorf("the cache has %d answers, %v", len(entries), err)
	}
}
