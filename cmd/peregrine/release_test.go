package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// The files of each release, in a folder of its version, are read as that release read them, and give its answers to
// the last bit: CHANGELOG.md promises it. No file there changes: answers.gz is written only where it does not exist.
func TestFilesOfReleases(t *testing.T) {
	t.Parallel()
	for _, dir := range must.Value(filepath.Glob("testdata/release/*"))(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			answers := filepath.Join(dir, "answers.gz")
			if _, err := os.Stat(answers); err == nil && golden.Update() {
				t.Skip("the answers of a release stay as they are")
			}
			now := golden.Figures{}
			for name, args := range map[string][]string{
				"solve":     {"run", "engine.yaml"},
				"sweep":     {"sweep", "engine.yaml", "throttle"},
				"transient": {"run", "transient.yaml", "--case", "slam"},
				"zoom":      {"run", "zoom.yaml"},
				"stored":    {"run", "stored.yaml"},
				"hosts":     {"hosts", "list", "--hosts", "hosts.yaml"},
				"rules":     {"rule", "list", "--rules", "rules.yaml"},
			} {
				for i, word := range args {
					if strings.HasSuffix(word, ".yaml") {
						args[i] = filepath.Join(dir, word)
					}
				}
				folder := t.TempDir()
				out := must.Value(verb(t, append(args, "--json", "--cache", folder+"/cache", "--work",
					folder+"/work")...))(t)
				must.OK(t, now.AddJSON(name, []byte(out)))
			}
			must.Value(verb(t, "plugin", "describe", "radial", "--solvers", filepath.Join(dir, "solvers.yaml")))(t)
			if golden.Update() { // how it was solved, rules that were built in, where this clone is: no promises
				none := regexp.MustCompile(`/solver/|^hosts/.*/file$|^rules/.*/source$`)
				all := maps.Clone(now)
				maps.DeleteFunc(now, func(name, _ string) bool {
					rule, _, _ := strings.Cut(strings.TrimPrefix(name, "rules/"), "/")
					return none.MatchString(name) || all["rules/"+rule+"/builtin"] == "true"
				})
			}
			golden.Compare(t, answers, now)
		})
	}
}

// A release for this platform, built twice, has the same bytes, and its program runs where nothing is installed. dpkg
// reads its package.
func TestRelease(t *testing.T) {
	testenv.Long(t, "builds a release twice")
	t.Parallel()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	sums := func(out string) string {
		programtest.Go(t, "../_release", nil, "run", ".", "-out", out, "-platforms", platform)
		return programtest.Read(t, filepath.Join(out, "SHA256SUMS"))
	}
	out := t.TempDir()
	must.Equal(t, sums(filepath.Join(out, "again")), sums(filepath.Join(out, "release")))
	one := func(pattern string) string {
		found := must.Value(filepath.Glob(filepath.Join(out, "release", pattern)))(t)
		if len(found) != 1 {
			t.Fatalf("%d files %s", len(found), pattern)
		}
		return found[0]
	}
	if runtime.GOOS == "windows" {
		testenv.NotHere(t, "the archive is a ZIP file")
	}
	files := unpacked(t, one("*.tar.gz"), out)
	program := files["peregrine"]
	if program == "" || files["THIRD-PARTY-LICENSES"] == "" || files["man/peregrine-run.1"] == "" ||
		files["completions/_peregrine"] == "" {
		t.Fatalf("the archive has %q", slices.Sorted(maps.Keys(files)))
	}
	run := func(args ...string) string {
		c := exec.Command(program, args...)
		c.Dir, c.Env = t.TempDir(), []string{"HOME=" + t.TempDir()}
		text, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		return string(text)
	}
	version := strings.SplitN(filepath.Base(one("*.tar.gz")), "_", 3)[1]
	must.Contain(t, run("version"), "peregrine v"+version+"\n", "commit ", "platform  "+platform)
	var solved struct{ Cases []struct{ Converged bool } }
	must.OK(t, json.Unmarshal([]byte(run("run", files["examples/turbojet.yaml"], "--json")), &solved))
	if len(solved.Cases) == 0 || !solved.Cases[0].Converged {
		t.Errorf("%+v", solved)
	}
	checkBill(t, one("*.spdx.json"), programtest.Read(t, files["THIRD-PARTY-LICENSES"]))
	if runtime.GOOS == "linux" {
		dpkg := testenv.Program(t, "dpkg", "dpkg-deb")
		about := must.Value(exec.Command(dpkg, "--info", one("*.deb")).Output())(t)
		must.Contain(t, string(about), "Package: peregrine", "Architecture: "+runtime.GOARCH)
		list := must.Value(exec.Command(dpkg, "--contents", one("*.deb")).Output())(t)
		must.Contain(t, string(list), "usr/bin/peregrine\n", "usr/share/man/man1/peregrine-run.1.gz\n")
	}
}

// unpacked unpacks an archive into a folder, and returns the paths of its files by their names in the archive's folder.
func unpacked(t *testing.T, archive, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	r := tar.NewReader(must.Value(gzip.NewReader(bytes.NewReader(must.Value(os.ReadFile(archive))(t))))(t))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.OK(t, err)
		if h.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(h.Name))
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.OK(t, os.WriteFile(path, must.Value(io.ReadAll(r))(t), h.FileInfo().Mode()))
		_, name, _ := strings.Cut(h.Name, "/")
		files[name] = path
	}
}

// checkBill holds a bill of materials against the licences: every module has both.
func checkBill(t *testing.T, file, licences string) {
	t.Helper()
	var bill struct {
		Packages []struct{ Name, VersionInfo, SourceInfo, LicenseDeclared string }
	}
	must.OK(t, json.Unmarshal([]byte(programtest.Read(t, file)), &bill))
	if len(bill.Packages) < 30 {
		t.Errorf("the bill has only %d packages", len(bill.Packages))
	}
	for _, p := range bill.Packages[1:] { // the first is Peregrine
		if p.LicenseDeclared == "" || p.Name != "std" && !strings.Contains(p.SourceInfo, "h1:") ||
			!strings.Contains(licences, "\n"+p.Name+" "+p.VersionInfo+": ") {
			t.Errorf("no licence or checksum: %+v", p)
		}
	}
}
