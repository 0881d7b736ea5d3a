package hosting

// The part of the host's environment that a plugin gets. A solver whose answer depended on an unrecorded variable could
// not be cached, and a plugin must not see secrets of the user's shell.

import (
	"os"
	"slices"
	"strings"
)

// passed are the variables that every plugin gets, if they are set.
var passed = []string{
	"PATH", "HOME", "USER", "TMPDIR", "TZ", "LANG", // and LC_*
	"GORACE", "GOCOVERDIR", // of programs that were built for a test
	"SystemRoot", "USERPROFILE", "TEMP", "TMP", "PATHEXT", // Windows starts few programs without
}

// Environment returns the variables of this process that a plugin's process gets:
// PATH, HOME, USER, TMPDIR, TZ, LANG, LC_*, GORACE and GOCOVERDIR, and on Windows SystemRoot,
// USERPROFILE, TEMP, TMP and PATHEXT.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return !strings.HasPrefix(name, "LC_") && !slices.Contains(passed, name)
	})
}
