// Command _release builds what a release of Peregrine consists of: for each platform an archive with a static program,
// its licences, examples, manual pages and completions, and a bill of materials (SPDX); Debian packages; SHA256SUMS.
//
//	go run -C cmd/_release . -out "$PWD/bin/release"                        # what make release does
//	go run -C cmd/_release . -out "$PWD/bin/release" -platforms linux/amd64
//
// The version is the one that the go command writes into the program: that of the tag of the commit, or one made from
// the commit's date and hash. The same commit and the same Go give the same bytes: no clock, user, host or path gets
// into a file. It is a module of its own, so that the program does not depend on what writes its manual pages.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platforms are the systems of a release.
const platforms = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "folder for the files of the release, which is emptied first")
	wanted := flag.String("platforms", platforms, "systems to build for, as OS/ARCH, with blanks between")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := release(*out, strings.Fields(*wanted)); err != nil {
		log.Fatal("_release: ", err)
	}
}

// build is the program for one platform.
type build struct {
	system, arch string
	program      string // file
	info         *buildinfo.BuildInfo
	date         time.Time // of the commit
	modules      []module  // that are linked in
}

// name is that of its archive, without an extension.
func (b *build) name() string { return "peregrine_" + b.version() + "_" + b.system + "_" + b.arch }

// version is that of the program, without the v of a tag.
func (b *build) version() string { return strings.TrimPrefix(b.info.Main.Version, "v") }

// release writes all files of a release.
func release(out string, wanted []string) error {
	root, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	repository := strings.TrimSpace(string(root))
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	work := filepath.Join(out, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	host, err := compile(repository, work, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return err
	}
	common, err := documents(repository, host)
	if err != nil {
		return err
	}
	for _, platform := range wanted {
		system, arch, _ := strings.Cut(platform, "/")
		b := host
		if system != host.system || arch != host.arch {
			if b, err = compile(repository, work, system, arch); err != nil {
				return err
			}
		}
		if err := pack(out, b, common); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	return sums(out)
}

// compile builds the program: static, stripped, without paths of this machine.
func compile(repository, work, system, arch string) (*build, error) {
	b := &build{system: system, arch: arch, program: filepath.Join(work, system+"-"+arch)}
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOOS=" + system, "GOARCH=" + arch,
		"GOAMD64=v1", "GOARM64=v8.0"}
	_, err := output(repository, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", b.program,
		"./cmd/peregrine")
	if err != nil {
		return nil, err
	}
	if b.info, err = buildinfo.ReadFile(b.program); err != nil {
		return nil, err
	}
	for _, s := range b.info.Settings {
		if s.Key == "vcs.time" {
			if b.date, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return nil, err
			}
		}
	}
	if b.date.IsZero() {
		return nil, fmt.Errorf("%s has no commit: a release is built in a clone of the repository", b.program)
	}
	b.modules, err = linked(repository, env, b.info)
	return b, err
}

// output runs a program in a folder and returns what it prints.
func output(folder string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = folder, append(os.Environ(), env...), os.Stderr
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return text, nil
}

// documents are the files that every archive has: licence, changes, examples, manual pages and completions.
func documents(repository string, host *build) ([]file, error) {
	var all []file
	names, err := output(repository, nil, "git", "ls-files", "LICENSE", "CHANGELOG.md", "SECURITY.md",
		"config/examples")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(names)) {
		if ext := filepath.Ext(name); ext == ".svg" || ext == ".png" || ext == ".gitignore" || ext == ".go" {
			continue // of the pages of the repository, or of its code
		}
		data, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: strings.TrimPrefix(name, "config/"), data: data})
	}
	pages, err := manual(host, filepath.Join(repository, "cmd", "peregrine", "help"))
	if err != nil {
		return nil, err
	}
	all = append(all, pages...)
	for shell, name := range map[string]string{"bash": "peregrine.bash", "zsh": "_peregrine", "fish": "peregrine.fish",
		"powershell": "peregrine.ps1"} {
		text, err := output(".", nil, host.program, "completion", shell)
		if err != nil {
			return nil, err
		}
		all = append(all, file{name: "completions/" + name, data: text})
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// pack writes what a release has for one platform.
func pack(out string, b *build, common []file) error {
	program, err := os.ReadFile(b.program)
	if err != nil {
		return err
	}
	bill, err := b.bill(program)
	if err != nil {
		return err
	}
	own := []file{{name: "THIRD-PARTY-LICENSES", data: licences(b.modules)}, {name: "peregrine.spdx.json", data: bill}}
	if err := os.WriteFile(filepath.Join(out, b.name()+".spdx.json"), bill, 0o644); err != nil {
		return err
	}
	files := append(own, common...)
	executable := file{name: "peregrine", data: program, executable: true}
	if b.system == "windows" {
		executable.name += ".exe"
		files = slices.DeleteFunc(files, func(f file) bool { return strings.HasPrefix(f.name, "man/") })
		packed, err := zipped(b.date, b.name(), append(files, executable))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(out, b.name()+".zip"), packed, 0o644)
	}
	packed, err := tarball(b.date, b.name(), append(files, executable))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, b.name()+".tar.gz"), packed, 0o644); err != nil || b.system != "linux" {
		return err
	}
	packed, err = b.debian(append(files, executable))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, b.name()+".deb"), packed, 0o644)
}

// sums writes the checksums of all files, in the form of sha256sum.
func sums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), list.Bytes(), 0o644)
}
