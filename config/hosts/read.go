package hosts

// Reading the file.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

var form = document.Form{What: "a hosts file", Begins: "launchers: and the name of one", Bytes: 1 << 20, Words: 30_000}

// Load reads a hosts file; see [Parse].
func Load(path string) ([]Launcher, error) {
	data, err := intake.Read(path, form.Limit())
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a hosts file, whose name it uses in messages. If the file has problems the error is a
// [*document.Errors] with all of them. A relative path of a program of submit, list or cancel begins at the file's
// folder, and so does an argument that names a file there.
func Parse(file string, data []byte) ([]Launcher, error) {
	r := document.NewReader(file, form)
	var all []Launcher
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "launchers: and the name of one", []document.Key{
			r.Required("launchers", "Launchers by name.", document.Value{Read: func(n ast.Node, path string) {
				all = launchers(&r, n, path)
			}}),
		})
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return all, nil
}

// Local is the launcher of this machine, which always exists.
const Local = "local"

// builtin are the launchers that need no entry: no entry has such a name.
var builtin = []string{Local}

// Names are the names that the setting `launcher`, and hosts of a zoom, can have.
func Names(all []Launcher) []string {
	names := slices.Clone(builtin)
	for _, l := range all {
		names = append(names, l.Name)
	}
	return names
}

// Find returns the launcher of a name among those of a hosts file. The error proposes a name that is near.
func Find(all []Launcher, file, name string) (*Launcher, error) {
	if i := slices.IndexFunc(all, func(l Launcher) bool { return l.Name == name }); i >= 0 {
		return &all[i], nil
	}
	return nil, fmt.Errorf("%s has no launcher %q%s", cmp.Or(file, "the hosts file"), name,
		spell.Hint(name, Names(all)))
}

func launchers(r *document.Reader, n ast.Node, path string) (all []Launcher) {
	for _, f := range r.Fields(n, path, "launchers by name: NAME: {provider: slurm, time: 2 h}") {
		switch {
		case slices.Contains(builtin, f.Key):
			r.Fail(f.Pos, path, f.Key, "the name is taken: %s is this machine, and needs no entry", f.Key)
		case !nameShape().MatchString(f.Key):
			r.Fail(f.Pos, path, f.Key, "a name of a launcher is letters, digits, _ and -, first a letter")
		}
		l := Launcher{Name: f.Key, Pos: f.Pos, File: r.File}
		l.read(r, f.Value, document.Join(path, f.Key))
		all = append(all, l)
	}
	return all
}

// read reads a launcher. Its provider, which may come at any place, determines the allowed keys.
func (l *Launcher) read(r *document.Reader, n ast.Node, path string) {
	fields := r.Fields(n, path, "a launcher such as {provider: slurm, time: 2 h}")
	if fields == nil {
		return
	}
	keys := launcherKeys(r, l)
	if i := slices.IndexFunc(fields, func(f document.Field) bool { return f.Key == keys[0].Name }); i >= 0 {
		keys[0].Read(fields[i].Value, document.Join(path, fields[i].Key))
	}
	names := l.keyNames(keys)
	given := map[string]bool{}
	for _, f := range fields {
		given[f.Key] = true
		i := slices.IndexFunc(keys, func(k key) bool { return k.Name == f.Key })
		switch {
		case i < 0:
			r.Fail(f.Pos, path, f.Key, "unknown key%s", r.Hint(f.Key, names, document.Keys(fields)...))
			given[spell.Nearest(f.Key, slices.Values(names))] = true // misspelt, not missing as well
		case l.Provider != "" && !keys[i].takenBy(l.Provider):
			r.Fail(f.Pos, path, f.Key, "a key of provider %s, not of %s", keys[i].owners(), l.Provider)
		case i > 0:
			keys[i].Read(f.Value, document.Join(path, f.Key))
		}
	}
	l.missing(r, document.Position(n), path, keys, given)
	l.unset(r, fields, path, given)
}

// keyNames are the names of the keys that the launcher may have: of any provider as long as its own is not known.
func (l *Launcher) keyNames(keys []key) (names []string) {
	for _, k := range keys {
		if l.Provider == "" || k.takenBy(l.Provider) {
			names = append(names, k.Name)
		}
	}
	return names
}

// missing reports missing required keys.
func (l *Launcher) missing(r *document.Reader, at document.Pos, path string, keys []key, given map[string]bool) {
	for _, k := range keys {
		switch {
		case !k.Required || given[k.Name]:
		case k.of == nil:
			r.Fail(at, path, "", "no key %s%s", k.Name, r.Hint("", document.Texts(providers)))
		case k.takenBy(l.Provider):
			r.Fail(at, path, "", "no key %s, which provider %s needs", k.Name, l.Provider)
		}
	}
}
