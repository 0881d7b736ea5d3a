package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "deaf")
	if err := os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, want := range []string{"ready", "interrupted"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it prints %q, want %s", lines.Text(), want)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if code := exitCode(cmd.Wait()); code != exitInterrupted {
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
		{context.Background(), exitBadInput, exitBadInput},
		{ended, exitBadInput, exitInterrupted},
		{ended, exitNoZoom, exitInterrupted},
		{ended, exitFault, exitFault},
		{ended, exitNotConverged, exitNotConverged},
		{ended, exitOK, exitOK},
	} {
		if code, text := afterSignal(c.ctx, c.code, "watchdog: cannot start"); code != c.want || (text == interruptedText) != (c.want == exitInterrupted) {
			t.Errorf("code %d becomes %d, %q; want %d", c.code, code, text, c.want)
		}
	}
}
