package executive

import (
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// The engine of the README's section on transients is that of its section on engine files
// with other lines in the place of some. Its governor brings it to the speed that is asked
// for, its limiter holds the temperature, and its account of the energy closes.
func TestReadmeTransient(t *testing.T) {
	file := readmeBlock(t, "## An engine file")
	merge(file, readmeBlock(t, "## In time"))
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("readme.yaml", text, components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res := runAll(t, cfg, 1)
	for _, w := range res.Warnings {
		t.Errorf("%s: %s", w.Rule, w.Message)
	}
	i := slices.IndexFunc(res.Cases, func(r *result.Result) bool { return r.Name == "slam" })
	r := res.Cases[i]
	if !r.Converged || len(res.Cases) != 5 {
		t.Fatal(len(res.Cases), r.Message)
	}
	hottest := slices.Max(r.History.Column("burner.out.Tt"))
	t.Logf("%.2f rpm, %.2f K, %v", r.Shafts["spool"]["N"], hottest, r.Ledger)
	if n := r.Shafts["spool"]["N"]; math.Abs(n/8000-1) > 1e-4 {
		t.Errorf("it ends at %.7g rpm", n)
	}
	if math.Abs(hottest/1330-1) > 1e-3 {
		t.Errorf("the burner's exit is at most at %.2f K, which 1330 K should limit", hottest)
	}
	if l := r.Ledger; math.Abs(l.Missing) > 1e-6 || l.Volumes <= 0 || l.Metal <= 0 {
		t.Errorf("%+v", *l)
	}
}

// readmeBlock is the first indented block of a section.
func readmeBlock(t *testing.T, section string) map[string]any {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "\n"+section+"\n\n")
	if !ok {
		t.Fatalf("no %s in the README", section)
	}
	var block strings.Builder
	for line := range strings.Lines(rest) {
		if line != "\n" && !strings.HasPrefix(line, "    ") {
			break
		}
		block.WriteString(strings.TrimPrefix(line, "    "))
	}
	var out map[string]any
	if err := yaml.Unmarshal([]byte(block.String()), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// merge puts the entries of other sections by name into the file's; lists replace lists.
func merge(file, others map[string]any) {
	for name, section := range others {
		into, ok := file[name].(map[string]any)
		if entries, same := section.(map[string]any); ok && same {
			maps.Copy(into, entries)
			continue
		}
		file[name] = section
	}
}
