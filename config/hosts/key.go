package hosts

// The keys of the file, with their descriptions. The reader, the schema and the help page use them.

import (
	"errors"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// key is a key of a launcher.
type key struct {
	document.Key
	of []Provider // providers that take it; nil: all
}

// takenBy reports whether the launchers of a provider have the key.
func (k key) takenBy(p Provider) bool { return k.of == nil || slices.Contains(k.of, p) }

// owners writes the providers that take the key: "slurm and ssh".
func (k key) owners() string { return spell.List(document.Texts(k.of), "and") }

var (
	nameShape    = regex.Lazy(`^[A-Za-z][A-Za-z0-9_-]*$`)
	pathShape    = regex.Lazy(`^(/|[A-Za-z]:[/\\])[^$]*$`)
	programShape = regex.Lazy(`^([^/\\$~]+|(/|[A-Za-z]:[/\\])[^$]*)$`)

	onNode = document.Rule{Shape: pathShape(),
		Fault: "want a path from the root, such as /scratch/peregrine: ~ and $ are not expanded"}
	ofProgram = document.Rule{Shape: programShape(),
		Fault: "want a path from the root, such as /opt/peregrine/bin/peregrine, or a name that is in PATH there: " +
			"nothing expands ~ and $"}
	ofSSH = document.Rule{Shape: destinationShape(),
		Fault: "want a host as ssh knows it: letters, digits and any of _ . : % @ + -, first no -"}
)

// launcherKeys are the keys of a launcher.
func launcherKeys(r *document.Reader, l *Launcher) []key {
	batch, command := []Provider{Slurm, Command}, []Provider{Command}
	const most = 10_000
	return []key{
		{r.Required("provider", "What has the nodes", document.Choice(r, &l.Provider, providers...)), nil},
		{r.Optional("blocks", "Blocks at a time",
			r.Count(&l.Blocks, 1, most)).Or("1, with ssh one for each host"), nil},
		{r.Optional("nodes", "Nodes of a block", r.Count(&l.Nodes, 1, most)).Or("1"), batch},
		{r.Optional("cores", "Cores of a node that runs may use",
			r.Count(&l.Cores, 1, most)).Or("all that it has"), nil},
		{r.Optional("memory", "Memory of a node that runs may use",
			r.Storage(&l.Memory, 1e6, mostStorage).Like("60 GB")).Or("all that it has"), nil},
		{r.Optional("time", "Time that a block may take",
			r.Duration(&l.Time, 1, 1e8).Like("2 h")).Or("that of the batch system, with ssh no limit"), nil},
		{r.Optional("lease", "Silence after which a node is given up, and its runs begin again elsewhere",
			r.Duration(&l.Lease, 0.5, 3600).Like("30 s")).Or("15 s"), nil},
		{r.Optional("grace", "Time that nodes wait for a host that has ended or cannot be reached",
			r.Duration(&l.Grace, 0.1, 1e6).Like("90 s")).Or("60 s"), nil},
		{r.Optional("runs_per_block", "Runs after which a block is given back",
			r.Count(&l.RunsPerBlock, 1, 1_000_000)).Or("no limit"), nil},
		{r.Optional("licences", "Licences that the batch system counts, by name, for a block",
			Licences(r, &l.Licences)).Or("none"), batch},
		{r.Optional("program", "Peregrine on a node, by its path there",
			r.Shaped(&l.Program, "the path of peregrine on a node",
				ofProgram)).Or("this program, which is brought where it lacks"), nil},
		{r.Optional("folder", "Folder on a node for runs whose folders here it does not see",
			r.Shaped(&l.Folder, "a folder on a node", onNode)).Or("peregrine in its folder for temporary files"), nil},
		{r.Optional("listen", "Addresses HOST or HOST:PORT at which nodes reach this machine",
			words(r, &l.Listen, "addresses such as [login1, 10.0.0.7:4000]",
				once(&l.Listen, address))).Or("all that it has, with any free port"), batch},
		{r.Optional("back", "Files of a run's folder that are copied back from a node without a shared folder",
			r.Section("files that come back, such as {files: ['*.csv'], when: failed}", backKeys(r, &l.Back))), nil},
		{r.Optional("options", "Options that are passed on, to sbatch or ssh",
			words(r, &l.Options, "options such as [--partition=short]", l.options())).Or("none"),
			[]Provider{Slurm, SSH}},
		{r.Required("hosts", "Machines that ssh reaches: names, or groups of a name and different values for that host",
			machines(r, &l.Hosts)), []Provider{SSH}},
		{r.Required("submit",
			"Program and arguments, with {placeholders}, that request one block; never through a shell",
			program(r, &l.Submit, "submit")), command},
		{r.Required("list", "Those that print the blocks, each on a line", program(r, &l.List, "list")), command},
		{r.Required("cancel", "Those that end a block", program(r, &l.Cancel, "cancel")), command},
		{r.Optional("id", "Regular expression (RE2) whose first group finds the block's ID in the output of submit",
			expression(r, &l.ID)).Or("the last word"), command},
		{r.Required("line", "Regular expression of a line that list prints, with the groups id and state, and perhaps "+
			"name, reason and node; without the group name, id is the name of the block. Other lines are left out",
			expression(r, &l.Line, "id", "state")), command},
		{r.Optional("states", "Phases by the batch system's words: waiting, running, stuck or ended",
			states(r, &l.States)).Or("its words are these"), command},
		{r.Optional("interval", "Time between two calls of list, longer if it is slow",
			r.Duration(&l.Interval, 1, 3600).Like("30 s")).Or("10 s"), command},
	}
}

// hostKeys are the keys of a host, its name first.
func hostKeys(r *document.Reader, h *Host) []document.Key {
	return []document.Key{
		r.Required("name", "Name as ssh knows it, such as ada or me@ada",
			r.Shaped(&h.Name, "a host as ssh knows it", ofSSH)),
		r.Optional("cores", "Cores that runs may use there", r.Count(&h.Cores, 1, 10_000)).Or("the launcher's"),
		r.Optional("memory", "Memory that they may use", r.Storage(&h.Memory, 1e6,
			mostStorage).Like("60 GB")).Or("the launcher's"),
		r.Optional("folder", "Folder there", r.Shaped(&h.Folder, "a folder there", onNode)).Or("the launcher's"),
	}
}

// backKeys are the keys for the files that come back from a run's folder.
func backKeys(r *document.Reader, b *Back) []document.Key {
	return []document.Key{
		r.Optional("files", "Patterns of names",
			words(r, &b.Files, "patterns such as ['*.csv', 'restart-*']", once(&b.Files, pattern))).Or("all"),
		r.Optional("when", "When they come back; files that Peregrine itself needs always come back",
			r.Choice(&b.When, "always", "failed", "never")).Or("always"),
		r.Optional("most", "Largest size for one run; further files stay on the node, and are listed",
			r.Storage(&b.Most, 1e3, mostStorage).Like("5 GB")).Or("1 GB"),
	}
}

const mostStorage = 1e15

// words is a non-empty list of words that pass check.
func words(r *document.Reader, to *[]string, want string, check func(string) string) document.Value {
	list := r.Texts(to, want, "a word, in quotes if it has braces", document.Rule{Check: check}).NotEmpty()
	return list.Then(func(n ast.Node, path string) {
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
			r.Fail(document.Position(n), path, "", "an empty list; want %s, or no such key", want)
		}
	})
}

// once is a check of words that also refuses words that are already in a list.
func once(list *[]string, check func(string) string) func(string) string {
	return func(word string) string {
		if fault := check(word); fault != "" || !slices.Contains(*list, word) {
			return fault
		}
		return "it is listed twice"
	}
}

// pattern is a shell's pattern of names within a folder.
func pattern(text string) string {
	switch _, err := path.Match(text, ""); {
	case err != nil:
		return "no pattern; want one such as *.csv or restart-[0-9]*"
	case path.IsAbs(text) || slices.Contains(strings.Split(text, "/"), ".."):
		return "it leads out of the run's folder; want a pattern such as *.csv"
	}
	return ""
}

// Licences that a batch system counts. Both an engine file and a hosts file can request them.

// licenceShape matches the names of licences in batch systems: Slurm has NAME and NAME@SERVER, between commas and
// before a colon.
var licenceShape = regex.Lazy(`^[A-Za-z0-9][A-Za-z0-9_.@-]*$`)

// mostLicences is the largest request for licences of one name.
const mostLicences = 100_000

// Licences are numbers of licences by name.
func Licences(r *document.Reader, dst *map[string]int) document.Value {
	return document.Map(r, dst, "licences of the batch system such as {ansys: 2}", licenceShape(),
		"a name of a licence is letters, digits and any of _ . @ -, first a letter or digit",
		func(n *int) document.Value { return r.Count(n, 1, mostLicences) })
}

// Output of the engine of provider command, and its reading.

// phases are the possible states of a block, in the order of its life; package provider defines them.
var phases = []string{"waiting", "running", "stuck", "ended"}

// groups are the names that groups of Launcher.Line may have.
var groups = []string{"id", "state", "name", "reason", "node"}

// expression is a regular expression with the groups in needs. Without needs it requires one group, named or not.
func expression(r *document.Reader, to *string, needs ...string) document.Value {
	v := r.Text(to, "a regular expression (RE2)")
	v.Read = func(n ast.Node, path string) {
		w, ok := r.Word(n, path, "a regular expression (RE2)")
		if !ok {
			return
		}
		x, err := regexp.Compile(w.Text)
		var wrong *syntax.Error
		switch {
		case errors.As(err, &wrong):
			r.Fail(w.Pos, path, w.Text, "no regular expression (RE2): %s: %s", wrong.Code, wrong.Expr)
			return
		case needs == nil && x.NumSubexp() == 0:
			r.Fail(w.Pos, path, w.Text, "no group; want one around the ID, such as (\\d+)")
		case needs != nil:
			namedGroups(r, w, path, needs, x.SubexpNames()[1:])
		}
		*to = w.Text
	}
	return v
}

// namedGroups reports missing, unknown and duplicate groups.
func namedGroups(r *document.Reader, w document.Word, path string, needs, names []string) {
	seen := map[string]bool{}
	for _, name := range names {
		switch {
		case name == "":
		case !slices.Contains(groups, name):
			r.Fail(w.Pos, path, w.Text, "unknown group %s%s", name, r.Hint(name, groups))
		case seen[name]:
			r.Fail(w.Pos, path, w.Text, "the group %s is listed twice", name)
		}
		seen[name] = true
	}
	for _, name := range needs {
		if !seen[name] {
			r.Fail(w.Pos, path, w.Text, "no group %s; want (?P<%s>...)", name, name)
		}
	}
}

// states are phases by the engine's words.
func states(r *document.Reader, to *map[string]string) document.Value {
	return document.Map(r, to, "phases by the engine's words such as {Q: waiting, R: running}", nil, "",
		func(phase *string) document.Value { return r.Choice(phase, phases...) })
}
