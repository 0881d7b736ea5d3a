package main

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// descriptions are those of the built-in solvers.
func descriptions() (all []plugin.Description) {
	for _, name := range solver.Names() {
		all = append(all, solver.Builtin(name).Describe())
	}
	return all
}

// catalogue is that of engine files without solvers of the user's own.
func catalogue() *config.Catalogue {
	cat := components.Catalogue()
	cat.Solvers = solver.Names()
	return cat
}

// listExternalKeys lists the keys of a description of a program.
func listExternalKeys() string {
	var b strings.Builder
	for _, g := range external.Groups() {
		fmt.Fprintf(&b, "\n%s, such as `%s`:\n\n", strings.ToUpper(g.Name[:1])+g.Name[1:], g.Form)
		b.WriteString(tableOf([]string{"key", "", ""}, g.Keys, func(k document.Key) []string {
			return []string{code(k.Name), k.Kind(), k.Doc + map[bool]string{true: " (required)"}[k.Required]}
		}))
	}
	return strings.TrimPrefix(b.String(), "\n")
}
