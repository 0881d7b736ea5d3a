// Package version reports the build of the running program, as recorded by the go command. No linker flags are needed.
//
//	go build, make build           commit, its date, whether files were changed after it
//	go install module@version      the module's version; a version that was made from
//	                               a commit (a pseudo-version) has its date and hash
//	go run                         neither: "(devel)"
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// Info describes a build.
type Info struct {
	Version  string    // of the module: v1.2.3, a pseudo-version, or "(devel)"
	Commit   string    // full hash; empty if unknown
	Date     time.Time // of the commit, UTC; zero if not known
	Modified bool      // files were changed after the commit
	Go       string    // version of Go
	Platform string    // operating system and architecture
}

// Read returns the build of the running program.
func Read() Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		build = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	info := of(build)
	info.Platform = runtime.GOOS + "/" + runtime.GOARCH
	return info
}

// devel is the go command's word for an unknown version.
const devel = "(devel)"

// pseudo matches the end of a version that was made from a commit
// (https://go.dev/ref/mod#pseudo-versions): its date, UTC, and the hash's first digits.
var pseudo = regex.Lazy(`^v\d.*[-.](\d{14})-([0-9a-f]{12})(?:\+.*)?$`)

func of(build *debug.BuildInfo) Info {
	info := Info{Version: build.Main.Version, Go: build.GoVersion}
	if m := pseudo().FindStringSubmatch(info.Version); m != nil {
		info.Date, _ = time.Parse("20060102150405", m[1])
		info.Commit = m[2]
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				info.Date = t.UTC()
			}
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	info.Version = cmp.Or(info.Version, devel)
	return info
}

// Short returns the version, or the commit if the version is unknown, for files that name their maker.
func (i Info) Short() string {
	if i.Version == devel && i.Commit != "" {
		return i.Commit[:min(12, len(i.Commit))]
	}
	return i.Version
}

// String is for people. Its first line is the version.
func (i Info) String() string {
	var b strings.Builder
	b.WriteString(i.Version + "\n")
	switch {
	case i.Modified:
		fmt.Fprintf(&b, "commit    %s, modified\n", i.Commit)
	case i.Commit != "":
		fmt.Fprintf(&b, "commit    %s\n", i.Commit)
	default: // go run, go build -buildvcs=false, go install of a tag, or a folder without its repository
		b.WriteString("commit    not in this build (go build in a clone with git records it)\n")
	}
	if i.Date.IsZero() {
		b.WriteString("date      not in this build\n")
	} else {
		fmt.Fprintf(&b, "date      %s\n", i.Date.Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "go        %s\n", i.Go)
	fmt.Fprintf(&b, "platform  %s", i.Platform)
	return b.String()
}
