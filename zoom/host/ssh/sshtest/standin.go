package sshtest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// standInScript replaces ssh. The host's commands run as children of the caller, with the home folder and the lines
// SetEnv and ForceCommand of the host's daemon; the shell is sh. It knows no keys.
const standInScript = `#!/bin/sh
while [ "$1" != -- ]; do
  [ "$1" = -F ] && site=$(dirname "$2")
  shift
done
host=$2
shift 2
[ -e "$site/$host.sshd" ] || { echo "ssh: Could not resolve hostname $host: Name or service not known" >&2; exit 255; }
[ -e "$site/$host.down" ] && { echo "ssh: connect to host $host port 22: Connection refused" >&2; exit 255; }
export HOME="$site/$host.home" TMPDIR="$site/$host.tmp" SSH_ORIGINAL_COMMAND="$*"
. "$site/$host.sshd"
exec sh -c "$SSH_ORIGINAL_COMMAND"
`

// standing reports whether the stand-in is installed.
var standing bool

// StandIn replaces ssh by a script in this process, for tests without OpenSSH: Start then starts no daemons. A TestMain
// calls it, and the returned function at the end.
func StandIn() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "ssh")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	err = cmp.Or(
		os.WriteFile(filepath.Join(dir, "ssh"), []byte(standInScript), 0o700), //nolint:gosec // a program
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")))
	if err != nil {
		remove()
		return nil, err
	}
	standing = true
	return remove, nil
}

// standIn lays hosts out for the script.
func (s *Site) standIn(hosts int, lines []string) {
	s.t.Helper()
	var settings strings.Builder
	for _, line := range lines {
		key, value, _ := strings.Cut(strings.ReplaceAll(line, "$DIR", s.folder), " ")
		switch key {
		case "SetEnv":
			fmt.Fprintf(&settings, "export %s\n", value)
		case "ForceCommand":
			fmt.Fprintf(&settings, "%s\nexit\n", value)
		default:
			s.t.Fatalf("the stand-in for ssh knows no %q", line)
		}
	}
	for n := range hosts {
		h := &host{name: fmt.Sprintf("h%d", n+1)}
		s.hosts, s.Hosts = append(s.hosts, h), append(s.Hosts, h.name)
		s.folders(h)
		s.write(h.name+".sshd", settings.String())
	}
}
