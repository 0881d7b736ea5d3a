package executive

import (
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
)

// e3WithVolumes is the E3 with inertias and with volumes behind its fan and booster, its
// HPC, its burner, its turbines and its mixer. All are assumed: inertias that
// accelerate it in some 6 s, and volumes of ducts as long as such an engine's.
func e3WithVolumes(t testing.TB) *config.Engine {
	t.Helper()
	const file = "../config/examples/e3.yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, edit := range [][2]string{
		{"flow:\n", `  v25: {type: volume, volume: 0.15 m3}
  v3:  {type: volume, volume: 0.06 m3}
  v48: {type: volume, volume: 0.05 m3}
  v16: {type: volume, volume: 4 m3}
  v6:  {type: volume, volume: 0.6 m3}
flow:
`},
		{"core_inlet -> hpc -> burner -> hpt -> lpt -> core_duct", "core_inlet -> v25 -> hpc -> v3 -> burner -> hpt -> v48 -> lpt -> v6 -> core_duct"},
		{"return -> bypass_duct", "return -> v16 -> bypass_duct"},
		{"{N: 12645 rpm,", "{N: 12645 rpm, inertia: 30 kg m2,"},
		{"{N: 3539 rpm,", "{N: 3539 rpm, inertia: 150 kg m2,"},
	} {
		if strings.Count(text, edit[0]) != 1 {
			t.Fatalf("%s has %d of %q", file, strings.Count(text, edit[0]), edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	cfg, err := config.Parse(file, []byte(text), components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
