package hosts

// Options that are passed on. Some of sbatch's are not for the user: a block would be another than the file says.

import "strings"

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
	if l.Provider != Slurm {
		return ""
	}
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
