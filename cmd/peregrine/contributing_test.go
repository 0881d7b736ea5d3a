package main

import (
	"bytes"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// CONTRIBUTING.md shows how to add a component, a map format, a solver and an output format. Each takes one new file and
// at most one line elsewhere. A copy of the module with all four builds the program, with which each addition's commands
// succeed. So do the programs of the help page on the library, which are another module. A soak test also vets the
// additions, and builds each in a copy without the others.
func TestContributing(t *testing.T) {
	testenv.Long(t, "builds the module")
	t.Parallel()
	bin := t.TempDir()
	env := goEnv(t, bin)
	module := moduleFiles(t)
	all := maps.Clone(module)
	list := additions(t)
	for _, a := range list {
		a.apply(t, all)
	}
	full := t.TempDir()
	writeFiles(t, full, all)
	goTool(t, full, env, "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	goTool(t, outside(t, full), env, "build", "-o", bin+string(filepath.Separator), "./...")
	for _, a := range list {
		t.Run(strings.ReplaceAll(a.title, " ", "-"), func(t *testing.T) {
			with := maps.Clone(module)
			a.apply(t, with)
			added, lines := changes(module, with)
			if len(added) != 1 || lines > 1 {
				t.Fatalf("%d new files and %d lines elsewhere", len(added), lines)
			}
			if text, err := format.Source([]byte(all[added[0]])); err != nil || string(text) != all[added[0]] {
				t.Errorf("not formatted: %s, %v", added[0], err)
			}
			if folder := "./" + filepath.Dir(added[0]); testenv.IsSoak() {
				goTool(t, full, env, "vet", folder)
				alone := t.TempDir()
				writeFiles(t, alone, with)
				goTool(t, alone, env, "build", folder)
			}
			a.run(t, full, env)
		})
	}
	b := newPageBench(t)
	b.env = append(b.env, env...)
	if out := b.run("library"); !strings.Contains(out, "map built by zooming fan") {
		t.Errorf("the library's program shows no zoomed fan:\n%s", out)
	}
	b.write("log.simpleFoam", all["watchdog/preset/testdata/rhoSimpleFoam.log"])
	if out := b.run("watching log.simpleFoam"); !strings.HasPrefix(out, "log.simpleFoam ") {
		t.Errorf("the library's program saw no run end:\n%s", out)
	}
}

// outside writes the programs of the help page on the library into a module of their own, which finds this one in a
// folder: it cannot use internal packages.
func outside(t *testing.T, full string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for _, f := range fencesOf(readFile(t, "help/library.md")) {
		if f.language == "go" {
			files[strings.TrimSuffix(f.file, ".go")+"/main.go"] = f.text
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		files[name] = readFile(t, filepath.Join(full, name))
	}
	const peregrine = "github.com/peregrine-sim/peregrine"
	files["go.mod"] = strings.Replace(files["go.mod"], "module "+peregrine, "module example.test/turbine", 1) +
		"require " + peregrine + " v0.0.0\nreplace " + peregrine + " => " + full + "\n"
	writeFiles(t, dir, files)
	return dir
}

// addition is a section of CONTRIBUTING.md that adds something to the module.
type addition struct {
	title  string
	fences []fence
}

func additions(t *testing.T) (list []addition) {
	t.Helper()
	for _, text := range strings.Split(readFile(t, "../../CONTRIBUTING.md"), "\n## Add ")[1:] {
		title, _, _ := strings.Cut(text, "\n")
		list = append(list, addition{title: title, fences: fencesOf(text)})
	}
	if len(list) != 4 {
		t.Fatalf("%d sections that add something", len(list))
	}
	return list
}

// apply does to the module's files what the section says.
func (a addition) apply(t *testing.T, files map[string]string) {
	t.Helper()
	for _, f := range a.fences {
		switch place, into := strings.CutPrefix(f.file, "into "); {
		case f.language != "go":
		case into:
			insert(t, files, place, f.text)
		default:
			files[f.file] = f.text
		}
	}
}

// run writes the section's other files into a copy of the module and runs its commands there: check,
// schema and run among them.
func (a addition) run(t *testing.T, dir string, env []string) {
	t.Helper()
	b := newPageBench(t)
	b.dir, b.env = dir, append(b.env, env...)
	missing := map[string]bool{"check": true, "schema": true, "run": true}
	for _, f := range a.fences {
		if f.language != "go" && f.file != "" {
			b.write(f.file, f.text)
		}
		if f.language != "sh" {
			continue
		}
		for line := range strings.Lines(f.text) {
			b.run(strings.TrimSpace(line))
			if words := strings.Fields(line); words[0] == "peregrine" {
				delete(missing, words[1])
			}
		}
	}
	for verb := range missing {
		t.Errorf("no command `peregrine %s`", verb)
	}
}

// moduleFiles are the texts of the module's files, as git lists them, by their paths.
func moduleFiles(t *testing.T) map[string]string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	list, err := cmd.Output()
	if err != nil {
		testenv.Missing(t, "a git checkout")
	}
	files := map[string]string{}
	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		data, err := os.ReadFile(filepath.Join(root, string(name)))
		if os.IsNotExist(err) { // removed and not yet committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		files[string(name)] = string(data)
	}
	return files
}

// changes lists the files that are new in after, and counts the lines in which the others differ.
func changes(before, after map[string]string) (added []string, lines int) {
	for name, text := range after {
		old, ok := before[name]
		if !ok {
			added = append(added, name)
			continue
		}
		if text == old {
			continue
		}
		count := map[string]int{}
		for line := range strings.Lines(text) {
			count[line]++
		}
		for line := range strings.Lines(old) {
			count[line]--
		}
		for _, n := range count {
			lines += max(n, -n)
		}
	}
	return added, lines
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
}

// insert puts a line at the beginning of a list; place is "FILE, LIST".
func insert(t *testing.T, files map[string]string, place, line string) {
	t.Helper()
	file, list, ok := strings.Cut(place, ", ")
	text, known := files[file]
	at := regexp.MustCompile(`(?m)^var ` + regexp.QuoteMeta(list) + ` = .*\{\n`).FindStringIndex(text)
	if !ok || !known || at == nil {
		t.Fatalf("there is no %s", place)
	}
	files[file] = text[:at[1]] + line + text[at[1]:]
}

// goEnv makes the go command find its caches under any HOME, build the same for every folder that
// holds the module, and programs in bin be found.
func goEnv(t *testing.T, bin string) []string {
	t.Helper()
	env := []string{"GOFLAGS=-trimpath -buildvcs=false", "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

func goTool(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
