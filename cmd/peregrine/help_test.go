package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// The lists of the pages are what the code says. PEREGRINE_STORE=1 writes them anew.
func TestHelpLists(t *testing.T) {
	used := map[string]bool{}
	marked := regexp.MustCompile(`(?s)<!-- list: ([a-z ]+) -->\n.*?<!-- end -->`)
	for _, topic := range topics {
		path := filepath.Join("help", topic+".md")
		now := marked.ReplaceAllStringFunc(programtest.Read(t, path), func(block string) string {
			name := marked.FindStringSubmatch(block)[1]
			used[name] = true
			list := lists[name]
			if list == nil {
				t.Fatalf("%s: there is no list %q", path, name)
			}
			text, err := list()
			if err != nil || strings.TrimSpace(text) == "" {
				t.Fatalf("%s: list %q: %q, %v", path, name, text, err)
			}
			return fmt.Sprintf("<!-- list: %s -->\n\n%s\n\n<!-- end -->", name, strings.TrimRight(text, "\n"))
		})
		golden.Text(t, path, now)
	}
	for name := range lists {
		if !used[name] {
			t.Errorf("no page has the list %q", name)
		}
	}
}

// Every page is a topic, and begins with a sentence of its own and an example.
func TestTopics(t *testing.T) {
	files, err := filepath.Glob("help/*.md")
	if err != nil || len(files) != len(topics) {
		t.Errorf("%d pages for %d topics, %v", len(files), len(topics), err)
	}
	for _, topic := range topics {
		text, err := page(topic)
		must.OK(t, err)
		head, rest, _ := strings.Cut(text, "\n\n")
		sentence, rest, _ := strings.Cut(rest, "\n\n")
		if !strings.HasPrefix(head, "# ") || !strings.HasSuffix(strings.TrimSpace(sentence), ".") ||
			!strings.HasPrefix(rest, "```") {
			t.Errorf("%s begins with %q, %q, %.20q; want a heading, a sentence, an example", topic, head, sentence,
				rest)
		}
		if about(topic) == "" {
			t.Errorf("%s is about nothing", topic)
		}
		if strings.Contains(text, "<!--") {
			t.Errorf("%s shows marks of lists", topic)
		}
	}
}

// fence is a fenced block of a page.
type fence struct {
	language, file string
	text           string
}

var fences = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([^\n]+))?\n(.*?)^```$")

func fencesOf(text string) (list []fence) {
	for _, m := range fences.FindAllStringSubmatch(text, -1) {
		list = append(list, fence{m[1], m[2], m[3]})
	}
	return list
}

// What the pages and the README show works: in a folder with the examples, engine files are checked, and commands run
// in their order. A short test checks the files alone.
func TestPagesRun(t *testing.T) {
	files, err := filepath.Glob("help/*.md")
	must.OK(t, err)
	for _, path := range append(files, "../../README.md") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			t.Parallel()
			isLong := testenv.IsLong(t)
			if path == "help/external.md" && isLong {
				testenv.Program(t, "python3", "python3")
				testenv.Program(t, "gfortran", "gfortran")
			}
			text := programtest.Read(t, path)
			bench := newPageBench(t, strings.HasPrefix(text, "<!-- tutorial -->"))
			for name, z := range zoomed { // their answers are there, as on a machine where the examples were run before
				if isLong && strings.Contains(text, "config/examples/"+name+".yaml") {
					z.copyAnswers(t, bench.cache)
				}
			}
			commands, printed := 0, ""
			for _, f := range fencesOf(text) {
				engine := f.language == "yaml" && strings.HasPrefix(f.text, "engine:")
				switch {
				case f.file != "":
					bench.write(f.file, f.text)
					if engine {
						if out, err := verb(t, "check", filepath.Join(bench.dir, f.file)); err != nil {
							t.Errorf("%s: %v\n%s", f.file, err, out)
						}
					}
				case engine:
					t.Errorf("an engine file without a name is not checked:\n%.60s", f.text)
				case f.language == "sh":
					printed = ""
					for line := range strings.Lines(f.text) {
						if !strings.HasPrefix(line, "peregrine ") && !strings.HasPrefix(line, "gfortran ") &&
							!strings.HasPrefix(line, "sed ") {
							continue
						}
						if commands++; isLong {
							printed += bench.run(strings.TrimSpace(line))
						}
					}
				case f.language == "output" && isLong:
					if !prints(printed, f.text) {
						t.Errorf("the page shows\n%s\nbut this is printed:\n%s", f.text, printed)
					}
				}
			}
			if slices.Contains(files, path) && commands == 0 && !strings.Contains(path, "library") {
				t.Error("no command")
			}
			if commands > 0 {
				testenv.Long(t, "runs the commands of the page")
			}
		})
	}
}

var duration = regexp.MustCompile(`\d+(\.\d+)? ?(ms|s|min)\b`)

// prints reports whether a text has the lines that a page shows, in their order. A line `...` stands for any lines, and
// durations may differ.
func prints(text, shown string) bool {
	text = "\n" + duration.ReplaceAllString(text, "(time)")
	for block := range strings.SplitSeq("\n"+duration.ReplaceAllString(shown, "(time)"), "\n...\n") {
		if block = strings.Trim(block, "\n"); block == "" {
			continue
		}
		_, rest, found := strings.Cut(text, "\n"+block)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// pageBench is a folder in which the commands of a page run.
type pageBench struct {
	*testing.T
	dir   string
	cache string
	env   []string
}

// newPageBench makes the folder: empty for a tutorial, else with the examples.
func newPageBench(t *testing.T, tutorial bool) *pageBench {
	t.Helper()
	b := &pageBench{T: t, dir: t.TempDir()}
	if !tutorial {
		must.OK(t, os.CopyFS(filepath.Join(b.dir, "config", "examples"), os.DirFS("../../config/examples")))
	}
	state := t.TempDir()
	b.cache = filepath.Join(state, "cache")
	b.env = append(os.Environ(), "PATH="+filepath.Dir(programNamed(t, "peregrine"))+string(os.PathListSeparator)+
		os.Getenv("PATH"),
		"HOME="+state, "PEREGRINE_CACHE="+b.cache, "PEREGRINE_WORK="+filepath.Join(state, "runs"))
	return b
}

func (b *pageBench) write(name, text string) {
	b.Helper()
	programtest.Write(b.T, filepath.Join(b.dir, name), text)
}

// run runs a command line, which must succeed, and returns what it prints.
func (b *pageBench) run(line string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = b.dir, b.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Errorf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// The conditions on the page of runs are ones that runs can be asked for, where there is no run yet.
func TestConditionsOfPages(t *testing.T) {
	page, err := os.ReadFile("help/runs.md")
	must.OK(t, err)
	x, err := index.Open(t.Context(), index.Source{Work: filepath.Join(t.TempDir(), "none"), Clock: clock.Real,
		Known: solver.Descriptions()})
	must.OK(t, err)
	defer x.Close()
	found := regexp.MustCompile("--where '([^']+)'|`([A-Za-z_]+ [<>=]+ [^`]+)`").FindAllStringSubmatch(string(page), -1)
	if len(found) < 7 {
		t.Fatalf("the page has the conditions %q only", found)
	}
	for _, c := range found {
		if _, err := x.Fields().Condition(c[1] + c[2]); err != nil {
			t.Error(err)
		}
	}
}

// A flag's help names at most one word in back-quotes: pflag takes it for what the flag is given.
func TestFlagsNameTheirValue(t *testing.T) {
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, usage := pflag.UnquoteUsage(f); strings.ContainsAny(name, " =") || strings.Contains(usage, "`") {
				t.Errorf("%s: --%s %s  %s", cmd.CommandPath(), f.Name, name, usage)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot())
}
