package settings_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// home gives the test a home of its own, with a settings file if text is not empty.
func home(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("XDG_STATE_HOME", "")
	for _, name := range []string{"WORKERS", "CACHE", "WORK", "LAUNCHER", "HOSTS", "SOLVERS", "LOG_LEVEL"} {
		t.Setenv("PEREGRINE_"+name, "")
	}
	if text != "" {
		folder := filepath.Join(dir, "config", "peregrine")
		must.OK(t, os.MkdirAll(folder, 0o755))
		must.OK(t, os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(text), 0o644))
	}
	return dir
}

func flags(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	f := pflag.NewFlagSet("test", pflag.ContinueOnError)
	settings.Flags(f)
	must.OK(t, f.Parse(args))
	return f
}

func TestSettingsByDefault(t *testing.T) {
	dir := home(t, "")
	want := settings.Settings{Workers: runtime.NumCPU(), Cache: filepath.Join(dir, "cache", "peregrine"),
		Work: filepath.Join(dir, ".local", "state", "peregrine", "runs"), Launcher: "local",
		LauncherFrom: "default of launcher", LogLevel: slog.LevelWarn, LogLimit: 64 << 20, Remember: time.Hour,
		Trusted: filepath.Join(dir, ".local", "state", "peregrine", "trusted"),
		Unsent:  filepath.Join(dir, ".local", "state", "peregrine", "notify")}
	for _, f := range []*pflag.FlagSet{nil, flags(t)} {
		got, err := settings.Load(f)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	}
}

// Each layer hides the ones below it.
func TestSettingsComeFromTheHighestLayer(t *testing.T) {
	dir := home(t, "workers: 2\ncache: /file\nlog-level: error\nlauncher: slurm\nwork: ~/runs\n")
	t.Setenv("PEREGRINE_WORKERS", "3")
	t.Setenv("PEREGRINE_CACHE", "/environment")
	t.Setenv("PEREGRINE_LOG_LEVEL", "info")
	got, err := settings.Load(flags(t, "--workers=4", "--log-level=DEBUG", "--log-limit=1 GB", "--remember-failures=0"))
	want := settings.Settings{Workers: 4, Cache: "/environment", Work: filepath.Join(dir, "runs"), Launcher: "slurm",
		LauncherFrom: filepath.Join(dir, "config", "peregrine", "config.yaml") + ":4:11: launcher", LauncherSet: true,
		LogLevel: slog.LevelDebug, LogLimit: 1e9,
		Trusted: filepath.Join(dir, ".local", "state", "peregrine", "trusted"),
		Unsent:  filepath.Join(dir, ".local", "state", "peregrine", "notify")}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestSettingsFollowTheStateFolder(t *testing.T) {
	home(t, "")
	t.Setenv("XDG_STATE_HOME", "/state")
	got, err := settings.Load(nil)
	if err != nil || got.Work != "/state/peregrine/runs" || got.Trusted != "/state/peregrine/trusted" {
		t.Errorf("%q, %q, %v", got.Work, got.Trusted, err)
	}
}

func TestBadSettingsNameTheirOrigin(t *testing.T) {
	dir := home(t, "workers: many\nlauncher: ''\nworker: 3\n")
	file := filepath.Join(dir, "config", "peregrine", "config.yaml")
	t.Setenv("PEREGRINE_WORK", file)
	_, err := settings.Load(flags(t, "--log-level=loud"))
	want := strings.Join([]string{
		file +
			`:2:11: launcher: no value, want where runs go: local, this machine, or a name in the hosts file (default: local)`,
		"    launcher: ''", "              ^",
		file + `:3:1: "worker": unknown key, did you mean workers?`,
		"    worker: 3", "    ^",
		file + `:1:10: workers: "many": not a number of runs at a time, want a whole number from 1`,
		`PEREGRINE_WORK: "` + file + `": a file, want a folder, or a path where one can be made`,
		`--log-level: "loud": unknown level, want debug, info, warn or error`,
	}, "\n")
	must.Equal(t, want, fmt.Sprint(err))
	must.Refuse(settings.Load(flags(t, "--workers=0")))(t, `--workers: "0"`)
	dir = home(t, "workers: [\n")
	must.Refuse(settings.Load(nil))(t,
		filepath.Join(dir, "config", "peregrine", "config.yaml")+":1:10: not YAML: ")
}

// The section `trace` is a group of the file, checked as that of an engine.
func TestTraceOfTheSettings(t *testing.T) {
	home(t, "workers: 2\ntrace: {kinds: [region]}\n")
	got := must.Value(settings.Load(nil))(t)
	must.Equal(t, 2, got.Workers)
	must.Equal(t, fmt.Sprint([]recording.Kind{recording.Region}), fmt.Sprint(got.Trace.Kinds))
	home(t, "workers: 2\ntrace:\n  kinds: [region, regions]\n")
	must.Refuse(settings.Load(nil))(t, `config.yaml:3:19: trace.kinds[2]: "regions": unknown word`)
}

// Settings behind a link that leads nowhere are missed, not passed over: their file system may not be mounted.
func TestSettingsAreALinkToNowhere(t *testing.T) {
	file := filepath.Join(home(t, ""), "config", "peregrine", "config.yaml")
	must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.RemoveAll(file)))
	if os.Symlink("nowhere", file) != nil {
		testenv.NotHere(t, "no symbolic links")
	}
	must.Refuse(settings.Load(nil))(t, "settings file: stat "+file)
}

// Channels have one way each, and no secret is sent in the clear.
func TestNotifyOfTheSettings(t *testing.T) {
	home(t, "notify:\n  - {name: phone, webhook: https://ntfy.example/me, secret: A}\n"+
		"  - {name: desk, command: [cat], severity: error, wait: 1 min, hourly: 3}\n")
	got := must.Value(settings.Load(nil))(t)
	want := []notification.Channel{
		{Name: "phone", Webhook: "https://ntfy.example/me", Secret: "A", Severity: "warning", Wait: 10 * time.Second,
			Hourly: 20},
		{Name: "desk", Command: []string{"cat"}, Severity: "error", Wait: time.Minute, Hourly: 3},
	}
	if !reflect.DeepEqual(got.Notify, want) {
		t.Errorf("%+v", got.Notify)
	}
	for channel, fault := range map[string]string{
		"{name: a}": "a channel has one of command",
		"{name: a, command: [b], webhook: https://c}":              "a channel has one of command",
		"{name: a, webhook: 'https://b', template: '{{.Sumary}}'}": "can't evaluate field Sumary",
		"{name: a, bell: false}":                                   "a way that is false sends nothing",
		"{name: a, webhook: ntfy}":                                 "want an address such as https://ntfy.example/me",
		"{name: a, webhook: http://b, secret: C}":                  "a secret is sent by https only",
		"{name: ../a, command: [b]}":                               "want letters, digits, - and _",
		"{name: a, command: [b], severity: warn}":                  "unknown word",
		"{name: a, command: [b]}, {name: a, command: [b]}":         "another channel has this name",
		"{name: a, command: [b], secret: C, secret-file: D}":       "a channel has secret or secret-file, not both",
	} {
		home(t, "notify: ["+channel+"]\n")
		must.Refuse(settings.Load(nil))(t, fault)
	}
}

// A file of solvers or launchers is the one that is named, which must be there, or else the one beside the settings.
func TestFilesBesideTheSettings(t *testing.T) {
	for name, of := range map[string]func(settings.Settings) string{
		"solvers": func(s settings.Settings) string { return s.Solvers },
		"hosts":   func(s settings.Settings) string { return s.Hosts },
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t, "workers: 2\n")
			usual := filepath.Join(dir, "config", "peregrine", name+".yaml")
			mine := filepath.Join(dir, "mine.yaml")
			if got, err := settings.Load(flags(t)); err != nil || of(got) != "" {
				t.Errorf("%q, %v; want none", of(got), err)
			}
			for _, file := range []string{usual, mine} {
				must.OK(t, os.WriteFile(file, nil, 0o644))
			}
			if got, err := settings.Load(flags(t)); err != nil || of(got) != usual {
				t.Errorf("%q, %v; want the file beside the settings", of(got), err)
			}
			if got, err := settings.Load(flags(t, "--"+name, mine)); err != nil || of(got) != mine {
				t.Errorf("%q, %v; want the file that is named", of(got), err)
			}
			must.OK(t, os.Remove(usual))
			if err := os.Symlink("nowhere", usual); err == nil { // what it leads to may not be mounted
				if got, err := settings.Load(flags(t)); err != nil || of(got) != usual {
					t.Errorf("%q, %v; want the link beside the settings", of(got), err)
				}
			}
			variable := "PEREGRINE_" + strings.ToUpper(name)
			t.Setenv(variable, filepath.Join(dir, "absent.yaml"))
			if _, err := settings.Load(flags(t)); err == nil || !strings.HasPrefix(err.Error(), variable+": ") {
				t.Errorf("got %v", err)
			}
		})
	}
}
