package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// CONTRIBUTING.md shows how to add a component, a map format, a solver and an output format:
// each by one new file and at most one line elsewhere. A copy of the module with exactly what it prints
// builds, and the commands it prints succeed. So does the program of the help page on the library.
func TestContributing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the module")
	}
	module := moduleCopy(t)
	data, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(data), "\n## Add ")[1:]
	if len(sections) != 4 {
		t.Fatalf("%d sections that add something", len(sections))
	}
	type addition struct {
		title  string
		fences []fence
	}
	var all []addition
	for _, text := range sections {
		title, _, _ := strings.Cut(text, "\n")
		a := addition{title: title}
		files, lines := 0, 0
		for _, m := range fences.FindAllStringSubmatch(text, -1) {
			f := fence{m[1], m[2], m[3]}
			place, into := strings.CutPrefix(f.file, "into ")
			switch {
			case f.language != "go":
				a.fences = append(a.fences, f)
			case into:
				lines += strings.Count(f.text, "\n")
				insert(t, module, place, f.text)
			default:
				files++
				create(t, filepath.Join(module, f.file), f.text)
			}
		}
		if files != 1 || lines > 1 {
			t.Errorf("%s takes %d new files and %d lines elsewhere", title, files, lines)
		}
		all = append(all, a)
	}
	bench := newPageBench(t)
	for _, f := range fencesOf(t, "help/library.md") {
		if f.language == "go" {
			create(t, filepath.Join(module, "cmd", "library", "main.go"), f.text)
		}
	}
	bin := filepath.Join(t.TempDir(), "bin") + string(filepath.Separator)
	goTool(t, module, "build", "-o", bin, "./cmd/...")
	goTool(t, module, "vet", "./components", "./perfmap/format", "./zoom/solver", "./executive/report")
	if unformatted := goFmt(t, module, "components/filter.go", "perfmap/format/columns.go", "zoom/solver/actuator.go", "executive/report/markdown.go"); unformatted != "" {
		t.Errorf("not formatted: %s", unformatted)
	}
	bench.env = append(bench.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, a := range all {
		t.Run(strings.ReplaceAll(a.title, " ", "-"), func(t *testing.T) {
			b := &pageBench{T: t, dir: bench.dir, env: bench.env}
			commands := 0
			for _, f := range a.fences {
				if f.file != "" {
					b.write(f.file, f.text)
				}
				if f.language == "sh" {
					for line := range strings.Lines(f.text) {
						commands++
						b.run(strings.TrimSpace(line))
					}
				}
			}
			if commands < 3 {
				t.Errorf("%d commands", commands)
			}
		})
	}
	if out := bench.run("library"); !strings.Contains(out, "map built by zooming fan") {
		t.Errorf("the library's program shows no zoomed fan:\n%s", out)
	}
}

// moduleCopy copies what is of the module, as git lists it, without its history.
func moduleCopy(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no git here that lists the module's files: %v", err)
	}
	dir := t.TempDir()
	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		data, err := os.ReadFile(filepath.Join(root, string(name)))
		if os.IsNotExist(err) { // removed and not yet committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		create(t, filepath.Join(dir, string(name)), string(data))
	}
	return dir
}

func create(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// insert puts a line at the beginning of a list; place is "FILE, LIST".
func insert(t *testing.T, module, place, line string) {
	t.Helper()
	file, list, ok := strings.Cut(place, ", ")
	path := filepath.Join(module, file)
	data, err := os.ReadFile(path)
	if err != nil || !ok {
		t.Fatal(place, err)
	}
	at := regexp.MustCompile(`(?m)^var ` + regexp.QuoteMeta(list) + ` = .*\{\n`).FindIndex(data)
	if at == nil {
		t.Fatalf("%s has no list %s", file, list)
	}
	create(t, path, string(data[:at[1]])+line+string(data[at[1]:]))
}

func goTool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func goFmt(t *testing.T, dir string, files ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "gofmt", append([]string{"-l"}, files...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gofmt: %v\n%s", err, out)
	}
	return string(out)
}
