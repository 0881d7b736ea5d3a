package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/peregrine-sim/peregrine/"

// layers lists the top-level packages from the bottom up: each may import those
// before it. Package watchdog stands aside: it imports only config and internal.
var layers = []string{"internal", "config", "perfmap", "components", "zoom", "executive", "cmd"}

func allowed(from, to string) bool {
	if from == to {
		return true
	}
	switch {
	case from == "watchdog":
		return to == "config" || to == "internal"
	case to == "watchdog":
		return from == "zoom" || from == "executive" || from == "cmd"
	}
	i, j := slices.Index(layers, from), slices.Index(layers, to)
	return i >= 0 && j >= 0 && j < i
}

func TestImportsGoOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	packages := 0
	for {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages++
		from := top(p.ImportPath)
		if from == "" {
			t.Errorf("package %s is in no top-level folder", p.ImportPath)
			continue
		}
		if from != "watchdog" && !slices.Contains(layers, from) {
			t.Errorf("package %s: %s is none of the project's top-level folders", p.ImportPath, from)
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to := top(imp); to != "" && !allowed(from, to) {
				t.Errorf("%s imports %s: %s must not know %s", p.ImportPath, imp, from, to)
			}
		}
	}
	if packages < 10 {
		t.Fatalf("only %d packages were looked at", packages)
	}
}

// top is the top-level folder of a package of this module, or "".
func top(path string) string {
	rest, ok := strings.CutPrefix(path, module)
	if !ok {
		return ""
	}
	folder, _, _ := strings.Cut(rest, "/")
	return folder
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"executive", "zoom", true}, {"perfmap", "zoom", false}, {"watchdog", "perfmap", false},
		{"zoom", "watchdog", true}, {"components", "watchdog", false}, {"config", "perfmap", false},
	} {
		if got := allowed(c.from, c.to); got != c.want {
			t.Errorf("%s -> %s: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
