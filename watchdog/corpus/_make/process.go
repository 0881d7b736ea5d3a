package main

// A solver's process: its output passes a pipe into the log, so that it can be ended at a given place of the log, as a
// kill, a full quota or a lost machine would end it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// ending is how a run is disturbed.
type ending struct {
	signal syscall.Signal // 0: it runs to its end
	at     int            // the line "Time =" of this number is seen, then
	bytes  int            // so many bytes more
	block  int            // the log is written in blocks of so many bytes, and the last block is lost; 0: it is whole
	stderr bool           // the log holds the solver's error output, too
}

// execute runs the solver in the case's folder and writes its log. It returns the status as a shell gives it.
func execute(dir, app, log string, noTrap bool, e ending, timeout time.Duration) (status int, err error) {
	f, err := os.Create(log)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nice", "-n", "10", filepath.Join("/usr/bin", app))
	cmd.Cancel = func() error { return process.SignalGroup(cmd.Process, syscall.SIGKILL) }
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WM_PROJECT_DIR=/usr/share/openfoam", "PWD="+dir)
	if noTrap {
		cmd.Env = append(cmd.Env, "FOAM_SIGFPE=false")
	}
	process.OwnGroup(cmd)
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	cmd.Stdout = w
	if e.stderr {
		cmd.Stderr = w
	}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return 0, err
	}
	var kept bytes.Buffer
	buf := make([]byte, 1<<16)
	cut := -1
	for {
		n, err := r.Read(buf)
		kept.Write(buf[:n])
		if e.signal != 0 && cut < 0 {
			if at := place(kept.Bytes(), e.at); at >= 0 && kept.Len() >= at+e.bytes {
				cut = at + e.bytes
				_ = process.SignalGroup(cmd.Process, e.signal) // it may have ended
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	cmd.Wait()
	if ctx.Err() != nil {
		return 0, fmt.Errorf("%s: more than %v", dir, timeout)
	}
	text := kept.Bytes()
	if cut >= 0 {
		text = text[:cut]
		if e.block > 0 {
			text = text[:cut/e.block*e.block]
		}
	}
	if _, err := f.Write(text); err != nil {
		return 0, err
	}
	state := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return 128 + int(state.Signal()), nil
	}
	return state.ExitStatus(), nil
}

// begins matches the first line of an iteration, for all solvers except those of shallow water and of stresses.
var begins = regexp.MustCompile(`\n( ?Time = |Iteration: )`)

// place returns the offset of the first line of the n-th iteration, or -1.
func place(log []byte, n int) int {
	at := begins.FindAllIndex(log, n)
	if n < 1 || len(at) < n {
		return -1
	}
	return at[n-1][0] + 1
}
