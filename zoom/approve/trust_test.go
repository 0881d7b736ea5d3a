package approve_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/approve"
)

func text(t must.T, words ...string) string {
	a := &approve.Account{}
	a.Words("command", words...)
	return must.Value(a.Text())(t)
}

// No other words have the same account: whoever trusts one command trusts no other. And none writes a second line, or
// anything but plain characters to a terminal.
func TestAccountIsExact(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a "\\\n\x1b-]{0,4}`),
		rapid.SampledFrom([]string{"sh", "-c", "rm -rf /", "a b", `"a`, `b"`, "a\n  program     /bin/true", "\u202e"}))
	words := rapid.SliceOfN(word, 1, 4)
	testenv.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		x, y := text(t, a...), text(t, b...)
		if (x == y) != slices.Equal(a, b) {
			t.Fatalf("%q and %q: %q and %q", a, b, x, y)
		}
		for _, r := range strings.TrimSuffix(x, "\n") {
			if r < ' ' || r > '~' {
				t.Fatalf("%q has %q", x, r)
			}
		}
	})
}

func TestAccountOfFiles(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	account := func() (string, error) {
		a := &approve.Account{}
		a.File("file", script)
		return a.Text()
	}
	if _, err := account(); err == nil {
		t.Error("a file that is not there has an account")
	}
	seen := map[string]bool{}
	for _, content := range []string{"one", "two"} {
		must.OK(t, os.WriteFile(script, []byte(content), 0o755))
		s, err := account()
		if err != nil || seen[s] || !strings.Contains(s, script) {
			t.Errorf("%q, %v", s, err)
		}
		seen[s] = true
	}
	a := &approve.Account{}
	a.Program(filepath.Join(dir, "nothing"))
	if _, err := a.Text(); err == nil {
		t.Error("a program that is not there has an account")
	}
}

func TestStore(t *testing.T) {
	s := &approve.Store{Folder: filepath.Join(t.TempDir(), "state", "trusted")}
	one, two := text(t, "sh", "one"), text(t, "sh", "two")
	has := func(account string, want bool) {
		t.Helper()
		if got, err := s.Has(account); got != want || err != nil {
			t.Errorf("%q: %t, %v; want %t", account, got, err, want)
		}
	}
	has(one, false)
	for _, account := range []string{one, one} {
		must.OK(t, s.Keep(account))
	}
	has(one, true)
	has(two, false)
	has(one+" ", false)
	for range 2 {
		must.OK(t, s.Forget(one))
	}
	has(one, false)
}

// A record counts by what it says, not by its name; and nobody else may have written it.
func TestStoreBelievesNobody(t *testing.T) {
	s := &approve.Store{Folder: filepath.Join(t.TempDir(), "trusted")}
	one, two := text(t, "sh", "one"), text(t, "sh", "two")
	for _, account := range []string{one, two} {
		must.OK(t, s.Keep(account))
	}
	files, err := filepath.Glob(filepath.Join(s.Folder, "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for i, file := range files { // each has the other's text
		data := []string{one, two}[i]
		if kept, err := os.ReadFile(file); err != nil || string(kept) == data {
			data = []string{two, one}[i]
		}
		must.OK(t, os.WriteFile(file, []byte(data), 0o600))
	}
	if got, err := s.Has(one); got || err != nil {
		t.Errorf("%t, %v", got, err)
	}
	must.OK(t, s.Keep(one))
	for _, path := range append(files, s.Folder) {
		before := must.Value(os.Stat(path))(t)
		must.OK(t, os.Chmod(path, before.Mode().Perm()|0o020))
	}
	if got, err := s.Has(one); got || err == nil {
		t.Errorf("%t, %v; want an error about who can write", got, err)
	}
}

// Without a home nothing is trusted and nothing can be.
func TestNoStore(t *testing.T) {
	s := &approve.Store{}
	if got, err := s.Has(text(t, "sh")); got || err != nil {
		t.Errorf("%t, %v", got, err)
	}
	if err := s.Keep(text(t, "sh")); err == nil {
		t.Error("kept nowhere")
	}
}
