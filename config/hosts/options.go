package hosts

// Options that are passed on. Some are not allowed for the user: with them a block would differ from the file, or the
// connection would fail or lead to an unknown host.

import (
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// refusal is why some options of sbatch are refused.
type refusal struct {
	options []string
	why     string
}

// batchRefusals are the options of sbatch (sbatch(1), Slurm 20.11 to 25.05) that would make a block differ from the
// file, or hide it from the search.
var batchRefusals = []refusal{
	{[]string{"--nodes", "-N"}, "sbatch gets this from the key nodes"},
	{[]string{"--time", "-t"}, "sbatch gets this from the key time"},
	{[]string{"--mem", "--mem-per-cpu", "--mem-per-gpu"}, "sbatch gets this from the key memory"},
	{[]string{"--cpus-per-task", "-c", "--cpus-per-gpu"}, "sbatch gets this from the key cores"},
	{[]string{"--licenses", "-L"}, "sbatch gets this from the key licences"},
	{
		[]string{"--array", "-a", "--job-name", "-J", "--parsable", "--signal", "--chdir", "-D", "--no-kill", "-k",
			"--ntasks", "-n", "--ntasks-per-node", "--ntasks-per-core", "--ntasks-per-socket", "--ntasks-per-gpu"},
		"Peregrine itself gives sbatch this option"},
	{[]string{"--clusters", "-M", "--cluster-constraint"},
		"the block would be in another cluster, where Peregrine does not look for it: start peregrine on a login " +
			"node of that one"},
	{[]string{"--uid", "--gid"}, "the block would be another user's, where Peregrine does not look for it"},
	{[]string{"--hold", "-H"}, "the block would wait for ever: leave the option out"},
	{[]string{"--wait", "-W"}, "sbatch would return only when the block has ended"},
	{[]string{"--quiet", "-Q"}, "sbatch would not print the number of the block's job"},
	{[]string{"--wrap", "--test-only", "--help", "-h", "--usage", "-u", "--version", "-V"},
		"with this option sbatch submits no block"},
}

// bare are the short options of sbatch without a value, so that others may follow in the same word.
const bare = "OHhQuVvW"

// options returns a function that takes the words of the options in order and returns the error in each.
func (l *Launcher) options() func(word string) string {
	before := ""
	return func(word string) string {
		former := before
		before = word
		if !strings.HasPrefix(word, "-") {
			if stray := strayWord(former); stray != "" {
				return stray
			}
		}
		switch l.Provider {
		case SSH:
			return ofSecureShell(word)
		case Slurm:
			return ofBatch(word)
		}
		return ""
	}
}

// strayWord returns the error for a word that is not an option. It depends on the previous word, whose value it may be.
func strayWord(former string) string {
	switch {
	case !strings.HasPrefix(former, "-"):
		return "no option; want one such as --partition=short"
	case strings.HasPrefix(former, "--") && strings.Contains(former, "="):
		return "no option, and the previous option has its value; want an option such as --partition=short"
	}
	return ""
}

// notConnecting are options with which ssh does not make the plain connection that the host needs.
var notConnecting = []string{"-f", "-G", "-n", "-N", "-O", "-Q", "-s", "-t", "-tt", "-V", "-W"}

// trusting matches ssh's option to accept the unknown key of a host.
var trusting = regex.Lazy(`(?i)^(-o)?\s*StrictHostKeyChecking[\s=]+"?(no|off|accept-new)"?$`)

// ofSecureShell returns the error in an option of ssh.
func ofSecureShell(word string) string {
	switch {
	case trusting().MatchString(word):
		return "a host's key is never accepted unseen: run ssh there once by hand, compare the key and accept it"
	case slices.Contains(notConnecting, word):
		return "with this option ssh is no connection to a relay"
	}
	return ""
}

// ofBatch returns the error in an option of sbatch, or in the value of an option.
func ofBatch(word string) string {
	switch {
	case word == "--":
		return "after this sbatch reads no options, Peregrine's own neither"
	case word == ":":
		return "the block would be a job of several parts, of which each has options of its own"
	case !strings.HasPrefix(word, "-"):
		return ""
	}
	for _, r := range batchRefusals {
		if slices.ContainsFunc(r.options, func(option string) bool { return is(word, option) }) {
			return r.why
		}
	}
	return ""
}

// is reports whether getopt_long(3) can take a word for an option, with or without its value. A long name may be
// abbreviated, and a short option may follow others without a value.
func is(word, option string) bool {
	if long := strings.HasPrefix(word, "--"); long || strings.HasPrefix(option, "--") {
		name, _, _ := strings.Cut(word, "=")
		return long && strings.HasPrefix(option, name)
	}
	for _, letter := range word[1:] {
		switch {
		case string(letter) == option[1:]:
			return true
		case !strings.ContainsRune(bare, letter):
			return false
		}
	}
	return false
}
