package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/chromium"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// The page shows in a browser the numbers of the snapshot, texts of a study as text, and writes no message to the
// console.
func TestPageInABrowser(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	program := testenv.Program(t, "chromium", "chromium")
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	p.ended("fan-<img src=x onerror=alert(1)>", event.Diverged)
	p.record(event.Event{Kind: event.Finding, Run: "fan-a", Name: "rule", Severity: "warning", Text: "too <b>slow</b>"})
	p.snapshot(func(w *wanted) bool { return len(w.Warnings) == 1 && len(w.Runs) == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), chromium.Limit)
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--enable-logging=stderr",
		"--v=0", "--user-data-dir=" + filepath.Join(t.TempDir(), "profile"), "--virtual-time-budget=4000", "--dump-dom"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, program, append(args, p.base+"/#"+p.token)...)
	cmd.WaitDelay = 5 * time.Second
	var dom, says strings.Builder
	cmd.Stdout, cmd.Stderr = &dom, &says
	must.OK(t, cmd.Run())
	must.Contain(t, dom.String(), "E3 &lt;script&gt;", "fan-a", "converged", "fan-&lt;img src=x onerror=alert(1)&gt;",
		"why\\u202e", "2 runs")
	if strings.Contains(says.String(), "CONSOLE") {
		t.Error(says.String())
	}
}
