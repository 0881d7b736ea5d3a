package hosts

// The keys of the file: what each is stands here alone. The reader, the schema and the help page take it from here.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// key is one key of a group.
type key struct {
	name     string
	of       []Provider // that take it; nil: all
	required bool
	value    value
	doc      string
	def      string // what holds without it; empty: nothing to say
}

// takenBy reports whether the launchers of a provider have the key.
func (k key) takenBy(p Provider) bool { return k.of == nil || slices.Contains(k.of, p) }

// owners writes the providers that take the key: "slurm and ssh".
func (k key) owners() string { return spell.List(texts(k.of), "and") }

// describe is what the schema and the help page say of the key.
func (k key) describe() string {
	parts := []string{k.doc}
	if form := k.value.form(); form != "" {
		parts = append(parts, form)
	}
	if k.def != "" {
		parts = append(parts, "default: "+k.def)
	}
	return strings.Join(parts, "; ")
}

var (
	nameShape    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	pathShape    = regexp.MustCompile(`^(/|[A-Za-z]:[/\\])[^$]*$`)
	programShape = regexp.MustCompile(`^([^/\\$~]+|(/|[A-Za-z]:[/\\])[^$]*)$`)

	onNode = rule{
		shape: pathShape, fault: "want a path from the root, such as /scratch/peregrine: nothing expands ~ and $ there",
	}
	ofProgram = rule{
		shape: programShape,
		fault: "want a path from the root, such as /opt/peregrine/bin/peregrine, or a name that is in PATH there: " +
			"nothing expands ~ and $",
	}
	ofSSH = rule{
		shape: destinationShape,
		fault: "want a host as ssh knows it: letters, digits and any of _ . : % @ + -, first no -",
	}
)

// launcherKeys are the keys of a launcher.
func launcherKeys(l *Launcher) []key {
	batch := []Provider{Slurm, Command}
	return []key{
		{name: "provider", required: true, value: choice[Provider]{&l.Provider, providers}, doc: "What has the nodes"},
		{
			name: "blocks", value: count{&l.Blocks, 10_000}, doc: "Blocks at a time",
			def: "1, with ssh one for each host",
		},
		{name: "nodes", of: batch, value: count{&l.Nodes, 10_000}, doc: "Nodes of a block", def: "1"},
		{name: "cores", value: count{&l.Cores, 10_000}, doc: "Cores of a node that runs may use",
			def: "all that it has"},
		{name: "memory", value: storage{&l.Memory, 1e6, "60 GB"}, doc: "Memory of a node that runs may use",
			def: "all that it has"},
		{name: "time", value: duration{&l.Time, 1, 1e8, "2 h"}, doc: "Time that a block may take",
			def: "that of the batch system, with ssh no limit"},
		{
			name: "lease", value: duration{&l.Lease, 0.5, 3600, "30 s"},
			doc: "Silence after which a node is given up, and its runs begin again elsewhere", def: "15 s",
		},
		{
			name: "grace", value: duration{&l.Grace, 0.1, 1e6, "90 s"},
			doc: "Time that nodes wait for a host that has died, or was cut off", def: "60 s",
		},
		{
			name: "runs_per_block", value: count{&l.RunsPerBlock, 1_000_000},
			doc: "Runs after which a block is given back", def: "no limit",
		},
		{
			name: "licences", of: batch, value: licences{&l.Licences},
			doc: "Licences that the batch system counts, by name, for a block", def: "none",
		},
		{name: "program", value: text{&l.Program, "the path of peregrine on a node", ofProgram},
			doc: "Peregrine on a node, by its path there", def: "this program, which is brought where it lacks"},
		{
			name: "folder", value: text{&l.Folder, "a folder on a node", onNode},
			doc: "Folder on a node for runs whose folders here it does not see",
			def: "peregrine in its folder for temporary files",
		},
		{
			name: "listen", of: batch, value: list{&l.Listen, "addresses such as [login1, 10.0.0.7:4000]",
				rule{check: address}, true}, doc: "Addresses HOST or HOST:PORT at which nodes reach this machine",
			def: "all that it has, with any free port",
		},
		{
			name: "back", value: backGroup(&l.Back),
			doc: "What of a run's folder comes back from a node that does not share it",
		},
		{
			name: "options", of: []Provider{Slurm, SSH},
			value: list{&l.Options, "options such as [--partition=short]", rule{check: l.options()}, false},
			doc:   "Options that are passed on, to sbatch or ssh", def: "none",
		},
		{name: "hosts", of: []Provider{SSH}, required: true, value: machines{&l.Hosts},
			doc: "Machines that ssh reaches: names, or groups of a name and what differs there"},
		{name: "submit", of: []Provider{Command}, required: true, value: program{&l.Submit, "submit"},
			doc: "Program and arguments, with {placeholders}, that request one block; never through a shell"},
		{name: "list", of: []Provider{Command}, required: true, value: program{&l.List, "list"},
			doc: "Those that print the blocks, each on a line"},
		{name: "cancel", of: []Provider{Command}, required: true, value: program{&l.Cancel, "cancel"},
			doc: "Those that end a block"},
		{
			name: "id", of: []Provider{Command}, value: expression{&l.ID, nil},
			doc: "Regular expression (RE2) whose first group finds the block's ID in what submit prints",
			def: "the last word",
		},
		{name: "line", of: []Provider{Command}, required: true, value: expression{&l.Line, []string{"id", "state"}},
			doc: "Regular expression of a line that list prints, with the groups id and state, and perhaps name, " +
				"reason and node; without the group name, id is the name of the block. Other lines are left out"},
		{
			name: "states", of: []Provider{Command}, value: states{&l.States},
			doc: "Phases by the batch system's words: waiting, running, stuck or ended", def: "its words are these",
		},
	}
}

// hostKeys are the keys of a host, its name first.
func hostKeys(h *Host) []key {
	return []key{
		{name: "name", required: true, value: text{&h.Name, "a host as ssh knows it", ofSSH},
			doc: "Name as ssh knows it, such as ada or me@ada"},
		{name: "cores", value: count{&h.Cores, 10_000}, doc: "Cores that runs may use there", def: "the launcher's"},
		{name: "memory", value: storage{&h.Memory, 1e6, "60 GB"}, doc: "Memory that they may use",
			def: "the launcher's"},
		{name: "folder", value: text{&h.Folder, "a folder there", onNode}, doc: "Folder there", def: "the launcher's"},
	}
}

// whens are when files of a run come back.
var whens = []string{"always", "failed", "never"}

func backGroup(b *Back) group {
	return group{"what comes back such as {files: ['*.csv'], when: failed}", []key{
		{name: "files", value: list{&b.Files, "patterns such as ['*.csv', 'restart-*']", rule{check: pattern}, true},
			doc: "Patterns of names", def: "all"},
		{
			name: "when", value: choice[string]{&b.When, whens},
			doc: "When they come; what Peregrine itself needs comes in any case", def: "always",
		},
		{
			name: "most", value: storage{&b.Most, 1e3, "5 GB"},
			doc: "Most of one run; what is beyond stays there, and is named", def: "1 GB",
		},
	}}
}
