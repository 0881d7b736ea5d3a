package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The files that ARCHITECTURE.md and the road of a request in package run name exist.
func TestArchitectureNamesFiles(t *testing.T) {
	const root = "../.."
	file := regexp.MustCompile(`(?:^|[ \x60])((?:cmd|executive|zoom|watchdog|components|perfmap|config|internal)/[\w/.]+)`)
	page := must.Value(os.ReadFile(filepath.Join(root, "ARCHITECTURE.md")))(t)
	names := file.FindAllStringSubmatch(string(page), -1)
	road := must.Value(os.ReadFile(filepath.Join(root, "zoom/run/doc.go")))(t)
	for _, m := range regexp.MustCompile(`\b([a-z]+)/([a-z]+\.go)`).FindAllStringSubmatch(string(road), -1) {
		folder := "zoom/run/" + m[1] + "/"
		if m[1] == "run" {
			folder = "zoom/run/"
		}
		names = append(names, []string{"", folder + m[2]})
	}
	for _, m := range names {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("%s is named, and is not there", m[1])
		}
	}
	if len(names) < 50 {
		t.Errorf("only %d files were found", len(names))
	}
}

// What the documents of the repository name is there: the files that they link to, and the tests and
// benchmarks that their commands run.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	const root = "../.."
	documents := []string{"README.md", "CONTRIBUTING.md", "VERIFICATION.md", "CHANGELOG.md",
		"ARCHITECTURE.md", "SECURITY.md"}
	pages := append(must.Value(filepath.Glob("help/*.md"))(t),
		must.Value(filepath.Glob("help/verification/*.md"))(t)...)
	for _, path := range pages {
		documents = append(documents, filepath.Join("cmd", "peregrine", path))
	}
	link := regexp.MustCompile(`\]\(([^)#: ]+)(?:#[^)]*)?\)`)
	benchmark := regexp.MustCompile(`-bench (\w+) (\./[\w/]+)`)
	run := regexp.MustCompile(`go test (\./[\w/]+) -run (\w+)`)
	named := 0
	for _, path := range documents {
		data := must.Value(os.ReadFile(filepath.Join(root, path)))(t)
		text := string(data)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			named++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			}
		}
		for _, m := range benchmark.FindAllStringSubmatch(text, -1) {
			named++
			if !declares(t, filepath.Join(root, m[2]), "Benchmark.*"+m[1]) {
				t.Errorf("%s: no benchmark is run by %s", path, m[0])
			}
		}
		for _, m := range run.FindAllStringSubmatch(text, -1) {
			named++
			if !declares(t, filepath.Join(root, m[1]), ".*"+m[2]) {
				t.Errorf("%s: no test is run by %s", path, m[0])
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d links and commands were found", named)
	}
}

// declares reports whether the tests of a package have a function whose name matches.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files := must.Value(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	function := regexp.MustCompile(`(?m)^func ` + name)
	for _, path := range files {
		data := must.Value(os.ReadFile(path))(t)
		if function.Match(data) {
			return true
		}
	}
	return false
}

// The README, and the advice that a report on a study's time prints, name verbs that exist.
func TestAdvisedVerbsExist(t *testing.T) {
	named := regexp.MustCompile(`peregrine ((?:[a-z]+ )+)`)
	for _, path := range []string{"../../README.md", "../../zoom/run/makespan/cause.go"} {
		found := named.FindAllStringSubmatch(string(must.Value(os.ReadFile(path))(t)), -1)
		if len(found) == 0 {
			t.Errorf("%s names no verb", path)
		}
		for _, m := range found {
			cmd, rest, err := newRoot().Find(strings.Fields(m[1]))
			if err != nil || cmd.HasSubCommands() && len(rest) > 0 {
				t.Errorf("%s: there is no `%s` (%v)", path, m[0], err)
			}
		}
	}
}
