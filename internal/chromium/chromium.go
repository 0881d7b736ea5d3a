// Package chromium prints HTML files as PDF with the installed Chromium. It leaves no process, no profile and no
// temporary file, even if printing fails.
package chromium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// names are the program's names on Debian, Ubuntu and their relatives; the first that is found is used.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// ErrMissing reports a missing Chromium, and how to install it.
var ErrMissing = errors.New("there is no Chromium to print with: install it (Debian and Ubuntu: apt install chromium)")

// Limit is how long printing may take.
const Limit = 3 * time.Minute

// Find returns the path of the program; the error is ErrMissing.
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// Print prints an HTML file into a PDF file, completely or not at all. It takes at most limit.
func Print(ctx context.Context, program, page, pdf string, limit time.Duration) (err error) {
	page, err = filepath.Abs(page)
	if err != nil {
		return err
	}
	profile, err := folder.ForSockets("peregrine-print-", socketName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(profile)) }()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	printed := filepath.Join(profile, "page.pdf")
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, program, arguments(profile, page, printed)...)
	cmd.Env = append(os.Environ(), "HOME="+profile, "TMPDIR="+profile, "XDG_CONFIG_HOME="+profile,
		"XDG_CACHE_HOME="+profile)
	cmd.Stdout, cmd.Stderr = &said, &said
	process.OwnGroup(cmd)
	cmd.Cancel = func() error { // before Wait returns, so no other process has this ID
		process.Kill(process.Identify(cmd.Process.Pid))
		return nil
	}
	cmd.WaitDelay = time.Second // for processes of its that hold its output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	err = cmd.Wait()
	process.KillGroup(cmd.Process.Pid) // helpers that outlive it
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s took longer than %v to print %s", program, limit, page)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return fmt.Errorf("%s: %w: %s", program, err, lastLine(said.String()))
	}
	from, err := intake.Open(printed)
	if err != nil {
		return fmt.Errorf("%s printed nothing: %s", program, lastLine(said.String()))
	}
	defer from.Close()
	return atomic.Stream(pdf, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// socketName is the path that Chromium appends to its temporary folder. Chromium aborts if the result is too long for a
// socket.
const socketName = "/org.chromium.Chromium.XXXXXX/SingletonSocket"

// arguments are the program's arguments: a page without header and footer, no network, and not the user's profile.
func arguments(profile, page, printed string) []string {
	list := []string{
		"--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
		"--disable-dev-shm-usage",
		"--no-pdf-header-footer", "--user-data-dir=" + filepath.Join(profile, "profile"), "--print-to-pdf=" + printed,
	}
	if os.Geteuid() == 0 { // Chromium's sandbox does not run as root; the page has no scripts
		list = append(list, "--no-sandbox")
	}
	return append(list, (&url.URL{Scheme: "file", Path: filepath.ToSlash(page)}).String())
}

// lastLine returns the last line of a program's output.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
