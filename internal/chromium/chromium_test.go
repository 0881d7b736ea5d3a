package chromium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// program is Chromium, which CI has.
func program(t *testing.T) string {
	t.Helper()
	path, err := Find()
	if err != nil {
		testenv.Missing(t, "Chromium (apt-get install chromium)")
	}
	return path
}

// A page becomes a PDF, and nothing is left, also where the path of the temporary folder is too long for sockets. A
// script stands for Chromium in short tests.
func TestPrint(t *testing.T) {
	for _, folder := range []string{"d", strings.Repeat("d", 90)} {
		t.Run(fmt.Sprintf("script, %d", len(folder)), func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "chromium")
			const text = "#!/bin/sh\ntest ${#TMPDIR} -lt 60 || exit 1\n" +
				"for a; do case $a in --print-to-pdf=*) echo %PDF-1.4 > \"${a#*=}\";; esac; done\n"
			must.OK(t, os.WriteFile(script, []byte(text), 0o755))
			prints(t, script, folder)
		})
		t.Run(fmt.Sprintf("Chromium, %d", len(folder)), func(t *testing.T) {
			testenv.Long(t, "starts Chromium")
			prints(t, program(t), folder)
		})
	}
}

func prints(t *testing.T, path, folder string) {
	t.Helper()
	dir, temporary := t.TempDir(), filepath.Join(t.TempDir(), folder)
	must.OK(t, os.Mkdir(temporary, 0o755))
	t.Setenv("TMPDIR", temporary)
	page, pdf := filepath.Join(dir, "a page #1.html"), filepath.Join(dir, "page.pdf")
	must.OK(t, os.WriteFile(page, []byte("<!DOCTYPE html><title>x</title><p>Peregrine"), 0o644))
	must.OK(t, Print(t.Context(), path, page, pdf, Limit))
	if data, err := os.ReadFile(pdf); err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Errorf("%.10q, %v", data, err)
	}
	leftNothing(t, temporary)
}

func leftNothing(t *testing.T, folder string) {
	t.Helper()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// What cannot be printed, takes too long or is interrupted leaves no file and no process.
func TestPrintFails(t *testing.T) {
	dir, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	slow, broken, pid := filepath.Join(dir, "slow"), filepath.Join(dir, "broken"), filepath.Join(dir, "pid")
	for file, text := range map[string]string{
		slow:   "#!/bin/sh\nsleep 1000 &\necho $! > '" + pid + "'\nwait\n",
		broken: "#!/bin/sh\necho no display >&2\nexit 3\n",
	} {
		must.OK(t, os.WriteFile(file, []byte(text), 0o755))
	}
	pdf := filepath.Join(dir, "page.pdf")
	if err := Print(t.Context(), broken, "page.html", pdf, Limit); err == nil ||
		!strings.Contains(err.Error(), "no display") {
		t.Errorf("%v", err)
	}
	if err := Print(t.Context(), slow, "page.html", pdf, 50*time.Millisecond); err == nil ||
		!strings.Contains(err.Error(), "took longer") {
		t.Errorf("%v", err)
	}
	_ = os.Remove(pid)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan process.ID, 1)
	go func() {
		defer cancel()
		started <- process.Identify(number(t, pid))
	}()
	if err := Print(ctx, slow, "page.html", pdf, Limit); !errors.Is(err, context.Canceled) {
		t.Errorf("printed after an interruption: %v", err)
	}
	if err := Print(ctx, slow, "page.html", pdf, Limit); !errors.Is(err, context.Canceled) {
		t.Errorf("started after an interruption: %v", err)
	}
	patient, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	if child := <-started; child.Wait(patient) != nil {
		t.Error("a process was left")
	}
	if _, err := os.Stat(pdf); err == nil {
		t.Error("a file was left")
	}
	leftNothing(t, temporary)
}

// number waits for a file with a number and a line's end.
func number(t *testing.T, file string) int {
	for range 60_000 {
		text, _ := os.ReadFile(file)
		if line, ok := strings.CutSuffix(string(text), "\n"); ok {
			n, err := strconv.Atoi(line)
			if err != nil {
				t.Error(err)
			}
			return n
		}
		<-clock.Real.NewTimer(time.Millisecond).C
	}
	t.Error("the program does not start")
	return 0
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "apt install chromium") {
		t.Errorf("%v", err)
	}
}
