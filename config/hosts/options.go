package hosts

// Options that are passed on. Some are not for the user: a block would be another than the file says, or no connection, or one to a stranger.

import (
	"regexp"
	"slices"
	"strings"
)

// given are options of sbatch that come from keys of the file; own are those that Peregrine needs for itself.
var (
	given = map[string]string{
		"--nodes": "nodes", "-N": "nodes", "--time": "time", "-t": "time", "--mem": "memory",
		"--cpus-per-task": "cores", "-c": "cores", "--licenses": "licences", "-L": "licences",
	}
	own = []string{"--array", "-a", "--job-name", "-J", "--ntasks", "-n", "--ntasks-per-node", "--signal", "--parsable", "--wrap", "--wait", "-W", "--test-only"}
)

// option says what is wrong with the next word of the options. One that is no option would be taken for a script, or a host.
func (l *Launcher) option(word string) string {
	if len(l.Options) == 0 && !strings.HasPrefix(word, "-") {
		return "no option; want one such as --partition=short"
	}
	switch l.Provider {
	case SSH:
		return ofSecureShell(word)
	case Slurm:
		return ofBatch(word)
	}
	return ""
}

// shellsOwn are options by which ssh would not be a connection.
var shellsOwn = []string{"-f", "-G", "-n", "-N", "-O", "-Q", "-s", "-t", "-tt", "-V", "-W"}

// trusting is ssh's option by which it accepts the key of a host that nobody has seen.
var trusting = regexp.MustCompile(`(?i)^(-o)?\s*StrictHostKeyChecking[\s=]+"?(no|off|accept-new)"?$`)

// ofSecureShell says what is wrong with an option of ssh.
func ofSecureShell(word string) string {
	switch {
	case trusting.MatchString(word):
		return "a host's key is never accepted unseen: run ssh there once by hand, compare the key and accept it"
	case slices.Contains(shellsOwn, word):
		return "with this option ssh is no connection to a relay"
	}
	return ""
}

// ofBatch says what is wrong with an option of sbatch.
func ofBatch(word string) string {
	for option, key := range given {
		if is(word, option) {
			return "sbatch gets this from the key " + key
		}
	}
	for _, option := range own {
		if is(word, option) {
			return "Peregrine itself gives sbatch this option"
		}
	}
	return ""
}

// is reports whether a word is that option, with or without its value.
func is(word, option string) bool {
	if strings.HasPrefix(option, "--") {
		return word == option || strings.HasPrefix(word, option+"=")
	}
	return strings.HasPrefix(word, option)
}
