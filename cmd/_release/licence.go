package main

// The licences of what is linked into the program, as their modules have them.

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that is linked in, or Go's standard library.
type module struct {
	path, version, sum string
	texts              map[string][]byte // its licences, by the path of their file in the module
	identifier         string            // SPDX expression
}

// licenceFile matches the names of files with licences and what belongs to them.
var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)`)

// linked returns the modules of a program with the licences of those of their packages that are linked in. Those in
// the folders above a package count, too.
func linked(repository string, env []string, info *buildinfo.BuildInfo) ([]module, error) {
	list, err := output(repository, env, "go", "list", "-deps", "-trimpath", "-f",
		"{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}\t{{.Dir}}", "./cmd/peregrine")
	if err != nil {
		return nil, err
	}
	root, err := output(repository, env, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	texts := map[string]map[string][]byte{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 3 || fields[0] == info.Main.Path {
			continue
		}
		if texts[fields[0]] == nil {
			texts[fields[0]] = map[string][]byte{}
		}
		if err := collect(fields[1], fields[2], texts[fields[0]]); err != nil {
			return nil, err
		}
	}
	std := strings.TrimSpace(string(root))
	all := []module{{path: "std", version: info.GoVersion, texts: map[string][]byte{}}}
	if err := collect(std, std, all[0].texts); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s is replaced: a release has the modules of go.sum", m.Path)
		}
		all = append(all, module{path: m.Path, version: m.Version, sum: m.Sum, texts: texts[m.Path]})
	}
	for i := range all {
		if all[i].identifier, err = identify(all[i].texts); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].path, err)
		}
	}
	return all, nil
}

// collect reads the licences in a folder of a module and in the folders above it.
func collect(top, folder string, texts map[string][]byte) error {
	for {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			name, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			if e.IsDir() && strings.EqualFold(e.Name(), "licenses") { // to choose from, as of golang/freetype
				inner, err := os.ReadDir(path)
				if err != nil {
					return err
				}
				for _, i := range inner {
					if texts[filepath.ToSlash(filepath.Join(name, i.Name()))], err = os.ReadFile(
						filepath.Join(path, i.Name())); err != nil {
						return err
					}
				}
			}
			if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
				continue
			}
			if texts[filepath.ToSlash(name)], err = os.ReadFile(path); err != nil {
				return err
			}
		}
		if folder == top || len(folder) <= len(top) {
			return nil
		}
		folder = filepath.Dir(folder)
	}
}

// unnamed matches the names of files that name no licence of a module as a whole: patents, notices, accounts of other
// code, sources of pictures, SQLite's waiver of all rights, and texts from which the file LICENSE lets one choose.
var unnamed = regexp.MustCompile(`(?i)patents|notice|3rd-party|-logo|-link|-sqlite$|^licenses/`)

// known are licences by sentences of theirs, in small letters with single blanks. A file may have several.
var known = []struct{ identifier, sentence string }{
	{"Apache-2.0", "apache license version 2.0, january 2004"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy of this software"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms"},
	{"BSD-3-Clause", "be used to endorse or promote products derived from this software"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"CC-BY-4.0", "creative commons attribution 4.0 international public license"},
	{"(FTL OR GPL-2.0-or-later)", "choice of exactly one of the following two licenses: * the freetype license"},
}

// identify returns the SPDX expression for the licences of a module. A file with none that is known is an error:
// somebody has to read it.
func identify(texts map[string][]byte) (string, error) {
	found := map[string]bool{}
	for name, text := range texts {
		if unnamed.MatchString(name) {
			continue
		}
		words := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
		some := false
		for _, k := range known {
			if strings.Contains(words, k.sentence) {
				found[k.identifier], some = true, true
			}
		}
		if !some {
			return "", fmt.Errorf("%s has no licence that is known here", name)
		}
	}
	if found["BSD-3-Clause"] {
		delete(found, "BSD-2-Clause") // whose text is part of it
	}
	if len(found) == 0 {
		return "", errors.New("no licence")
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND "), nil
}

// licences is the file with the licences of all modules.
func licences(modules []module) []byte {
	var b bytes.Buffer
	b.WriteString("Peregrine is linked with the modules below. Their licences, as the modules have them:\n")
	for _, m := range modules {
		for _, name := range slices.Sorted(maps.Keys(m.texts)) {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n%[1]s\n\n%[5]s\n", strings.Repeat("=", 78), m.path, m.version, name,
				bytes.TrimSpace(m.texts[name]))
		}
	}
	return b.Bytes()
}
