package main

import (
	"bytes"
	"encoding/json"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// CONTRIBUTING.md shows how to add a component, a map format, a solver and an output format. Each takes one new file
// and at most one line elsewhere. The module with all four builds the program, with which each addition's commands
// succeed. So do the programs of the help page on the library, which are another module. A soak test also vets the
// additions, and builds each without the others.
func TestContributing(t *testing.T) {
	testenv.Long(t, "builds the module")
	t.Parallel()
	root := must.Value(filepath.Abs("../.."))(t)
	bin := t.TempDir()
	module := moduleFiles(t, root)
	all := maps.Clone(module)
	list := additions(t)
	for _, a := range list {
		a.apply(t, all)
	}
	env := goEnv(t, bin, overlay(t, root, module, all))
	full := t.TempDir() // for a test that reads the sources
	writeFiles(t, full, all)
	programtest.Go(t, root, env, "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	programtest.Go(t, outside(t, root), env, "build", "-o", bin+string(filepath.Separator), "./...")
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
				programtest.Go(t, root, env, "vet", folder)
				programtest.Go(t, root, goEnv(t, bin, overlay(t, root, module, with)), "build", folder)
			}
			a.run(t, root, full, env)
		})
	}
	b := newPageBench(t, false)
	b.env = append(b.env, env...)
	if out := b.run("library"); !strings.Contains(out, "map built by zooming fan") {
		t.Errorf("the library's program shows no zoomed fan:\n%s", out)
	}
	b.write("log.simpleFoam", all["watchdog/fileformat/testdata/rhoSimpleFoam.log"])
	if out := b.run("watching log.simpleFoam"); !strings.HasPrefix(out, "log.simpleFoam ") {
		t.Errorf("the library's program saw no run end:\n%s", out)
	}
}

// overlay writes the files that differ, and the file by which the go command sees them in the module's folder: what
// does not depend on them is not built again.
func overlay(t *testing.T, root string, before, after map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replaced := map[string]string{}
	for name, text := range after {
		if to := filepath.Join(dir, filepath.FromSlash(name)); text != before[name] {
			replaced[filepath.Join(root, filepath.FromSlash(name))] = to
			programtest.Write(t, to, text)
		}
	}
	text := must.Value(json.Marshal(map[string]any{"Replace": replaced}))(t)
	file := filepath.Join(dir, "overlay.json")
	programtest.Write(t, file, string(text))
	return file
}

// outside writes the programs of the help page on the library into a module of their own, which finds this one in a
// folder: it cannot use internal packages.
func outside(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for _, f := range fencesOf(programtest.Read(t, "help/library.md")) {
		if f.language == "go" {
			files[strings.TrimSuffix(f.file, ".go")+"/main.go"] = f.text
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		files[name] = programtest.Read(t, filepath.Join(root, name))
	}
	const peregrine = "github.com/peregrine-sim/peregrine"
	files["go.mod"] = strings.Replace(files["go.mod"], "module "+peregrine, "module example.test/turbine", 1) +
		"require " + peregrine + " v0.0.0\nreplace " + peregrine + " => " + root + "\n"
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
	for _, text := range strings.Split(programtest.Read(t, "../../CONTRIBUTING.md"), "\n## Add ")[1:] {
		title, _, _ := strings.Cut(text, "\n")
		list = append(list, addition{title: title, fences: fencesOf(text)})
	}
	must.Equal(t, 4, len(list))
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

// run writes the section's other files into a folder and runs its commands there: check, schema and run among them.
// Those of the go command run in the module's folder, tests in full, a copy with the additions.
func (a addition) run(t *testing.T, root, full string, env []string) {
	t.Helper()
	b := newPageBench(t, false)
	b.env = append(b.env, env...)
	missing := map[string]bool{"check": true, "schema": true, "run": true}
	for _, f := range a.fences {
		if f.language != "go" && f.file != "" {
			b.write(f.file, f.text)
		}
		if f.language != "sh" {
			continue
		}
		for line := range strings.Lines(f.text) {
			words := strings.Fields(line)
			if words[0] == "go" {
				there := filepath.Join(full, words[len(words)-1])
				line = "cd '" + root + "' && " + strings.NewReplacer(" -o ", " -o '"+b.dir+"'/",
					"go test ", `go test -exec "env -C '`+there+`'" `).Replace(line)
			}
			b.run(strings.TrimSpace(line))
			if words[0] == "peregrine" {
				delete(missing, words[1])
			}
		}
	}
	for verb := range missing {
		t.Errorf("no command `peregrine %s`", verb)
	}
}

// moduleFiles are the texts of the module's files, as git lists them, by their paths.
func moduleFiles(t *testing.T, root string) map[string]string {
	t.Helper()
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
		must.OK(t, err)
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
		programtest.Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
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

// goEnv makes the go command find its caches under any HOME, see the files of an overlay, and programs in bin be found.
func goEnv(t *testing.T, bin, overlay string) []string {
	t.Helper()
	env := []string{ // the flags of the tests, so that packages are not built again
		"GOFLAGS=" + os.Getenv("GOFLAGS") + " -buildvcs=false '-overlay=" + overlay + "'",
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		out := must.Value(exec.Command("go", "env", name).Output())(t)
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}
