package version

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

const hash = "0123456789abcdef0123456789abcdef01234567"

const unknown = "\ncommit    not in this build (go build in a clone with git records it)\ndate      not in this build"

func TestOf(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "-trimpath", Value: "true"}, {Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: hash},
			{Key: "vcs.time", Value: "2026-11-20T10:11:12+02:00"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		name, version string
		settings      []debug.BuildSetting
		short, want   string
	}{
		{"go run", "", nil, "(devel)", "(devel)" + unknown},
		{
			"go build", "(devel)", vcs("false"), hash[:12],
			"(devel)\ncommit    " + hash + "\ndate      2026-11-20T08:11:12Z",
		},
		{"go build after changes", "v0.0.0-20261120081112-0123456789ab+dirty", vcs("true"),
			"v0.0.0-20261120081112-0123456789ab+dirty",
			"v0.0.0-20261120081112-0123456789ab+dirty\ncommit    " + hash +
				", modified\ndate      2026-11-20T08:11:12Z"},
		{
			"go build of a tag", "v1.2.3", vcs("false"), "v1.2.3",
			"v1.2.3\ncommit    " + hash + "\ndate      2026-11-20T08:11:12Z",
		},
		{"go install of a tag", "v1.2.3", nil, "v1.2.3", "v1.2.3" + unknown},
		{"go install of a commit", "v0.0.0-20261120081112-0123456789ab", nil, "v0.0.0-20261120081112-0123456789ab",
			"v0.0.0-20261120081112-0123456789ab\ncommit    0123456789ab\ndate      2026-11-20T08:11:12Z"},
		{"go install of a commit after a tag", "v1.2.4-0.20261120081112-0123456789ab", nil,
			"v1.2.4-0.20261120081112-0123456789ab",
			"v1.2.4-0.20261120081112-0123456789ab\ncommit    0123456789ab\ndate      2026-11-20T08:11:12Z"},
		{"go install of a candidate", "v1.2.3-rc.1", nil, "v1.2.3-rc.1", "v1.2.3-rc.1" + unknown},
	} {
		i := of(&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: c.version}, Settings: c.settings})
		i.Platform = "plan9/386"
		if got, want := i.String(), c.want+"\ngo        go1.26.0\nplatform  plan9/386"; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
		if i.Short() != c.short {
			t.Errorf("%s: short is %s, want %s", c.name, i.Short(), c.short)
		}
	}
}

func TestRead(t *testing.T) {
	i := Read()
	if i.Version == "" || !strings.HasPrefix(i.Go, "go") && !strings.HasPrefix(i.Go, "devel") ||
		i.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("%+v", i)
	}
}
