package hosts

// Words in braces in the commands of provider command, which are replaced by values.

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// Placeholder is a word in braces.
type Placeholder struct {
	Name  string
	Of    []string // commands that may have it: submit, list, cancel
	Doc   string
	needs string // required key of the launcher for its value; empty: it always has a value
}

// Placeholders are all of them.
var Placeholders = []Placeholder{
	{"script", []string{"submit"}, "path of the file that every node of the block starts, once", ""},
	{"name", []string{"submit", "cancel"},
		"name of the block, which `line` finds again: 15 letters and digits in lower case, first a letter", ""},
	{"id", []string{"cancel"}, "ID that the batch system gave it", ""},
	{"study", []string{"submit"}, "name of the study", ""},
	{"nodes", []string{"submit"}, "nodes of the block", ""},
	{"cores", []string{"submit"}, "cores of a node", "cores"},
	{"memory_MB", []string{"submit"}, "memory of a node in units of 1024^2 bytes, as batch systems count", "memory"},
	{"memory_GB", []string{"submit"}, "memory of a node in units of 1024^3 bytes", "memory"},
	{"seconds", []string{"submit"}, "time of the block in seconds, rounded up", "time"},
	{"minutes", []string{"submit"}, "time of the block in minutes, rounded up", "time"},
	{"time", []string{"submit"}, "time of the block as HH:MM:SS", "time"},
	{"licences", []string{"submit"}, "licences of the block, as in ansys=2,solver=1", "licences"},
	{"folder", []string{"submit"}, "folder of the block's files, which the nodes must see", ""},
	{"user", []string{"submit", "list", "cancel"}, "user who runs Peregrine", ""},
}

// PlaceholderShape finds placeholders in a word; its group is the name.
var PlaceholderShape = regex.Lazy(`\{([A-Za-z_]+)\}`)

// PlaceholdersOf are the names of the placeholders of a command.
func PlaceholdersOf(command string) (names []string) {
	for _, p := range Placeholders {
		if slices.Contains(p.Of, command) {
			names = append(names, p.Name)
		}
	}
	return names
}

// program is a program and its arguments, with placeholders of a command.
func program(r *document.Reader, to *[]string, command string) document.Value {
	may := PlaceholdersOf(command)
	return r.Command(to).Then(func(n ast.Node, path string) {
		eachPlaceholder(n, *to, func(i int, at document.Pos, word, name string) {
			if !slices.Contains(may, name) {
				r.Fail(at, document.Item(path, i), word, "{%s} is unknown in %s%s", name, command, r.Hint(name, may))
			}
		})
	})
}

// eachPlaceholder visits the placeholders of a command whose words were all read.
func eachPlaceholder(n ast.Node, words []string, do func(i int, at document.Pos, word, name string)) {
	items, ok := n.(*ast.SequenceNode)
	if !ok || len(items.Values) != len(words) {
		return
	}
	for i, word := range words {
		for _, found := range PlaceholderShape().FindAllStringSubmatch(word, -1) {
			do(i, document.Position(items.Values[i]), word, found[1])
		}
	}
}

// unset reports placeholders of submit without a value: the default of the batch system cannot be written there.
func (l *Launcher) unset(r *document.Reader, fields []document.Field, path string, given map[string]bool) {
	i := slices.IndexFunc(fields, func(f document.Field) bool { return f.Key == "submit" })
	if i < 0 {
		return
	}
	path = document.Join(path, "submit")
	eachPlaceholder(fields[i].Value, l.Submit, func(i int, at document.Pos, word, name string) {
		j := slices.IndexFunc(Placeholders, func(p Placeholder) bool {
			return p.Name == name && p.needs != "" && !given[p.needs]
		})
		if j >= 0 {
			r.Fail(at, document.Item(path, i), word, "{%s} has no value: give the launcher the key %s", name,
				Placeholders[j].needs)
		}
	})
}
