package testenv

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Page opens a page in Chromium and returns its elements as HTML, as they are when its scripts have run. A message of
// the page to the console is an error of the test.
func Page(t testing.TB, url string) (dom string) {
	t.Helper()
	program := Program(t, "chromium", "chromium")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
		"--enable-logging=stderr", "--v=0", "--user-data-dir=" + filepath.Join(t.TempDir(), "profile"),
		"--virtual-time-budget=4000", "--dump-dom"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, program, append(args, url)...)
	cmd.WaitDelay = 5 * time.Second
	var out, says strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &says
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(says.String(), "CONSOLE") {
		t.Error(says.String())
	}
	return out.String()
}
