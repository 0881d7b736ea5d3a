package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/hosts"
)

// listHostsKeys lists the keys of the hosts file: of all providers' launchers, or of some.
func listHostsKeys() (string, error) {
	root := hosts.Schema()
	var names []string
	owners := map[string][]string{}
	keys := map[string]*jsonschema.Schema{}
	providers := []hosts.Provider{hosts.Slurm, hosts.SSH, hosts.Command}
	for _, p := range providers {
		s := root.Defs[string(p)]
		for _, name := range s.PropertyOrder {
			if keys[name] == nil {
				names, keys[name] = append(names, name), s.Properties[name]
			}
			owner := string(p)
			if slices.Contains(s.Required, name) {
				owner += "!"
			}
			owners[name] = append(owners[name], owner)
		}
	}
	var rows [][]string
	for _, name := range names {
		of := strings.Join(owners[name], ", ")
		required := strings.HasSuffix(of, "!")
		of = strings.ReplaceAll(of, "!", "")
		if len(owners[name]) == len(providers) {
			of = "all"
		}
		rows = append(rows, hostsKey(name, of, keys[name], required))
		for _, inner := range insides(keys[name]) {
			for _, sub := range inner.PropertyOrder {
				rows = append(rows,
					hostsKey(name+"."+sub, "", inner.Properties[sub], slices.Contains(inner.Required, sub)))
			}
		}
	}
	return listTable([]string{"key", "of", "default", ""}, rows), nil
}

// insides are the groups of keys that a key holds.
func insides(s *jsonschema.Schema) (groups []*jsonschema.Schema) {
	if s.PropertyOrder != nil {
		groups = append(groups, s)
	}
	if s.Items != nil {
		for _, q := range s.Items.AnyOf {
			groups = append(groups, insides(q)...)
		}
	}
	return groups
}

func hostsKey(name, of string, s *jsonschema.Schema, required bool) []string {
	doc, def, _ := strings.Cut(s.Description, "; default: ")
	if required {
		def = "required"
	}
	for i, w := range s.Enum {
		doc += map[bool]string{true: ": ", false: ", "}[i == 0] + code(fmt.Sprint(w))
	}
	return []string{code(name), of, def, doc}
}
