package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// A zoom names one launcher or several, and the licences of a run; where no hosts file was read any name is taken.
func TestZoomHosts(t *testing.T) {
	for _, c := range []struct {
		zoom     string
		hosts    []string
		licences map[string]int
		any      bool // no hosts file was read
	}{
		{zoom: "{solver: throughflow}"},
		{zoom: "{solver: throughflow, hosts: cluster}", hosts: []string{"cluster"}},
		{zoom: "{solver: throughflow, hosts: [local, desks], licences: {ansys@site: 2}}",
			hosts: []string{"local", "desks"}, licences: map[string]int{"ansys@site": 2}},
		{zoom: "{solver: throughflow, hosts: elsewhere}", hosts: []string{"elsewhere"}, any: true},
	} {
		cat := catalogue()
		if c.any {
			cat.Launchers = nil
		}
		text := jet + "zoom:\n  compressor: " + c.zoom + "\n"
		engine, err := config.Parse("jet.yaml", []byte(text), cat, nil)
		if err != nil {
			t.Errorf("%s: %v", c.zoom, err)
			continue
		}
		var names []string
		for i, w := range engine.Zooms[0].Hosts {
			names = append(names, w.Text)
			if w.Pos.Line != 14 || i > 0 && !engine.Zooms[0].Hosts[i-1].Pos.Before(w.Pos) {
				t.Errorf("%s: %s at %v", c.zoom, w.Text, w.Pos)
			}
		}
		if d := cmp.Diff(c.hosts, names); d != "" {
			t.Errorf("%s: %s", c.zoom, d)
		}
		if d := cmp.Diff(c.licences, engine.Zooms[0].Licences); d != "" {
			t.Errorf("%s: %s", c.zoom, d)
		}
		// its catalogue knows the names
		if err := resolved(t).Validate(instance(t, []byte(text))); (err == nil) == c.any {
			t.Errorf("%s: schema: %v", c.zoom, err)
		}
	}
}

// Runs are made by the first launcher that the zoom names, unless somebody has set another one of them; without any
// by that of the setting.
func TestLauncherOf(t *testing.T) {
	for _, c := range []struct {
		hosts, set, want string
	}{
		{"", "", "local"}, {"", "desks", "desks"},
		{"hosts: cluster", "", "cluster"}, {"hosts: cluster", "desks", "cluster"},
		{"hosts: cluster", "local", "cluster"},
		{"hosts: [cluster, local]", "", "cluster"}, {"hosts: [cluster, local]", "local", "local"},
		{"hosts: [cluster, desks]", "desks", "desks"}, {"hosts: [cluster, desks]", "cluster", "cluster"},
		{"hosts: [cluster, desks]", "local", "cluster"},
	} {
		engine, err := config.Parse("jet.yaml",
			[]byte(jet+"zoom:\n  compressor: {solver: throughflow, "+c.hosts+"}\n"), catalogue(), nil)
		must.OK(t, err)
		for _, by := range []string{"flag", "environment"} {
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			settings.Flags(flags)
			t.Setenv("HOME", t.TempDir())
			t.Setenv("PEREGRINE_LAUNCHER", "")
			if c.set != "" && by == "flag" {
				err = flags.Set("launcher", c.set)
			} else {
				t.Setenv("PEREGRINE_LAUNCHER", c.set)
			}
			must.OK(t, err)
			settings := must.Value(settings.Load(flags))(t)
			if got := settings.LauncherOf(&engine.Zooms[0]); got != c.want {
				t.Errorf("%q with %q by %s: %s, want %s", c.hosts, c.set, by, got, c.want)
			}
		}
	}
}
