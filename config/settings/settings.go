// Package settings has the settings of the program, from its flags, the environment and the user's settings file.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Settings are the settings of the program, not of an engine. Each comes from the first of these places that has it:
// the command line, the environment (PEREGRINE_WORKERS ...), the settings file (peregrine/config.yaml in the user's
// configuration folder), the default.
type Settings struct {
	Workers      int    // runs at a time; default: the cores
	Cache        string // folder of map entries; default: peregrine/ in the user's cache folder
	Site         string // folder of a cache that is only read, behind Cache; empty: none
	Limit        int64  // most bytes of the entries in Cache; 0: any number
	Work         string // folder of run folders; default: peregrine/runs in the user's state folder
	Launcher     string // where runs go: "local", or a launcher of the hosts file; default "local"
	LauncherFrom string // where that was set, for messages, such as --launcher
	LauncherSet  bool   // it has been set
	Hosts        string // the hosts file; default: hosts.yaml beside the settings file, or empty if that is missing
	// file of the user's own solvers; default: solvers.yaml beside the settings file, or empty if that is missing
	Solvers  string
	LogLevel slog.Level // default: warn
	// folder of trust decisions: peregrine/trusted in the user's state folder, independent of settings; empty without a
	// home
	Trusted  string
	LogLimit int64 // largest number of bytes of a solver's output in its run folder; default: 64 MiB
	// how long a request that failed twice alike is not run again; 0: it is always run
	Remember time.Duration
	Notify   []notification.Channel // to whom watch sends what happens. Only the settings file has them
	// folder of messages that wait: peregrine/notify in the user's state folder; empty without a home
	Unsent string
	Trace  *recording.Trace // of engines without one; nil: no records. Only in the settings file
}

// LauncherOf returns the launcher for the runs of a zoom. Its hosts are in the order of preference. A launcher that was
// set explicitly comes first if it is among them.
func (s *Settings) LauncherOf(z *config.Zoom) string {
	isSet := func(w document.Word) bool { return s.LauncherSet && w.Text == s.Launcher }
	if len(z.Hosts) == 0 || slices.ContainsFunc(z.Hosts, isSet) {
		return s.Launcher
	}
	return z.Hosts[0].Text
}

// Flags declares the flags of the settings. Load takes only the given flags; their defaults here are for the help text.
func Flags(flags *pflag.FlagSet) {
	for _, s := range all {
		if s.name == "workers" {
			flags.Int(s.name, 0, s.usage())
			continue
		}
		flags.String(s.name, "", s.usage())
	}
}

// setting is a key, with the same name in the file and as a flag. In the environment it is PEREGRINE_ and the name in
// capitals, with _ for -.
type setting struct {
	name, doc string
	without   string // default, in words
	def       any    // default as a value; nil: it is found where it is used
}

// LogLevels are the words of the setting log-level.
var LogLevels = []string{"debug", "info", "warn", "error"}

var all = []setting{
	{"workers", "runs at a time", "the cores", runtime.NumCPU()},
	{"cache", "folder of finished runs and maps", "peregrine in the user's cache folder", nil},
	{"site-cache", "folder of a cache, such as a site's, that is read where one's own lacks an answer, and never " +
		"written", "none", nil},
	{"cache-limit", "largest size of the answers in the cache, such as 20 GB; those that are cheapest to make again " +
		"are removed first", "no limit", nil},
	{"work", "folder of run folders", "peregrine/runs in the user's state folder", nil},
	{"launcher", "where runs go: local, this machine, or a name in the hosts file", hosts.Local, hosts.Local},
	{"hosts", "file of launchers, which name machines for runs", "hosts.yaml beside the settings file", nil},
	{"solvers", "file of flow solvers of your own", "solvers.yaml beside the settings file", nil},
	{"log-level", spell.List(LogLevels, "or"), "warn", "warn"},
	{"remember-failures", "how long a request whose solver failed twice alike is not run again, such as 10 min; " +
		"0: it is always run", "1 h", "1 h"},
	{"log-limit", "largest size of a solver's output in a run folder, such as 1 GB", "64 MiB", "64 MiB"},
}

func (s setting) usage() string { return s.doc + " (default: " + s.without + ")" }

// keys are the keys of a settings file; use takes the values of the settings.
func keys(r *document.Reader, trace **recording.Trace, notify *[]notification.Channel,
	use func(name string, w document.Word)) (keys []document.Key) {
	for _, s := range all {
		take := func(w document.Word, _ string) { use(s.name, w) }
		keys = append(keys, r.Optional(s.name, s.usage(), r.Scalar(s.usage(), take)))
	}
	return append(keys, r.Optional("trace", recording.Doc, recording.Section(r, trace)),
		r.Optional("notify", notification.Doc, notification.Section(r, notify)))
}

// Load gathers the settings. flags may be nil, and may lack some of the
// flags. All wrong settings are reported at once, each with where its
// value came from.
func Load(flags *pflag.FlagSet) (Settings, error) {
	l, err := newLayers(flags)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	problems := []error{l.wrong}
	note := func(err error) { problems = append(problems, err) }
	s.Workers, err = l.workers()
	note(err)
	s.Cache, err = l.folder("cache", userCache)
	note(err)
	s.Site, err = l.site()
	note(err)
	s.Limit, err = l.cacheLimit()
	note(err)
	s.Work, err = l.folder("work", userRuns)
	note(err)
	s.Trusted = userTrusted()
	s.Solvers, err = l.beside("solvers", "a file of solvers")
	note(err)
	s.Hosts, err = l.beside("hosts", "a file of launchers")
	note(err)
	s.LogLevel, err = l.level()
	note(err)
	s.LogLimit, err = l.logLimit()
	note(err)
	s.Remember, err = l.remember()
	note(err)
	s.Trace, s.Notify = l.trace, l.notify
	if s.Trusted != "" {
		s.Unsent = filepath.Join(filepath.Dir(s.Trusted), "notify")
	}
	if s.Launcher = l.Text("launcher"); s.Launcher == "" {
		note(l.bad("launcher", "empty", "the name of a launcher such as local"))
	}
	s.LauncherFrom, s.LauncherSet = l.origin("launcher"), l.isSet("launcher")
	if err := errors.Join(problems...); err != nil {
		return Settings{}, err
	}
	return s, nil
}

// layers is the stack of sources of settings.
type layers struct {
	v     *viper.Viper
	flags *pflag.FlagSet
	home  string // folder of the settings file; empty without a home
	file  string // the settings file; empty: no file

	wrong  error                   // with the form of the settings file
	places map[string]document.Pos // of its settings
	trace  *recording.Trace
	notify []notification.Channel
}

func newLayers(flags *pflag.FlagSet) (*layers, error) {
	l := &layers{v: viper.New(), flags: flags}
	l.v.SetEnvPrefix("PEREGRINE")
	l.v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	for _, s := range all {
		if s.def != nil {
			l.v.SetDefault(s.name, s.def)
		}
		if err := l.v.BindEnv(s.name); err != nil {
			return nil, err
		}
		if f := l.flag(s.name); f != nil {
			if err := l.v.BindPFlag(s.name, f); err != nil {
				return nil, err
			}
		}
	}
	return l, l.read()
}

// read reads the settings file if it exists.
func (l *layers) read() error {
	folder, err := os.UserConfigDir()
	if err != nil {
		return nil // no home: no settings file either
	}
	l.home = filepath.Join(folder, "peregrine")
	file := filepath.Join(l.home, "config.yaml")
	data, err := intake.Read(file, settingsForm.Limit())
	if errors.Is(err, fs.ErrNotExist) && !isLink(file) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings file: %w", err)
	}
	l.file = file
	var given map[string]document.Word
	given, l.trace, l.notify, l.wrong = parseSettings(file, data)
	l.places = map[string]document.Pos{}
	values := map[string]any{}
	for name, w := range given {
		values[name], l.places[name] = w.Text, w.Pos
	}
	return l.v.MergeConfigMap(values)
}

// Schema returns the JSON Schema of the settings file.
func Schema() *jsonschema.Schema {
	s := document.Object("Settings of the tool.", keys(new(document.Reader), nil, nil, nil))
	s.Defs = map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	return document.Titled("Peregrine settings", s)
}

var settingsForm = document.Form{What: "a settings file", Begins: "a setting such as workers: 4", Bytes: 1 << 20,
	Words: 30_000}

// parseSettings reads the text of a settings file, whose name it uses in messages. It returns the values as written. If
// a key is not a setting, or the file is not a group of keys, the error is a [*document.Errors], and the readable
// values are returned; an empty file has none.
func parseSettings(file string, data []byte) (given map[string]document.Word, trace *recording.Trace,
	notify []notification.Channel, err error) {
	given = map[string]document.Word{}
	if len(bytes.TrimSpace(data)) == 0 {
		return given, nil, nil, nil
	}
	r := document.NewReader(file, settingsForm)
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "settings such as workers: 4",
			keys(&r, &trace, &notify, func(name string, w document.Word) { given[name] = w }))
	}
	return given, trace, notify, r.Errors()
}

// flag returns a setting's flag if it was given on the command line.
func (l *layers) flag(name string) *pflag.Flag {
	if l.flags == nil {
		return nil
	}
	if f := l.flags.Lookup(name); f != nil && f.Changed {
		return f
	}
	return nil
}

func variable(name string) string {
	return "PEREGRINE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// isSet reports whether a setting has another source than its default.
func (l *layers) isSet(name string) bool {
	return l.flag(name) != nil || os.Getenv(variable(name)) != "" || l.v.InConfig(name)
}

// origin returns the source of a setting's value.
func (l *layers) origin(name string) string {
	switch {
	case l.flag(name) != nil:
		return "--" + name
	case os.Getenv(variable(name)) != "":
		return variable(name)
	case l.v.InConfig(name):
		return fmt.Sprintf("%s:%v: %s", l.file, l.places[name], name)
	}
	return "default of " + name
}

func (l *layers) Text(name string) string { return strings.TrimSpace(l.v.GetString(name)) }

func (l *layers) bad(name, what, want string) error {
	return fmt.Errorf("%s: %q: %s, want %s", l.origin(name), l.Text(name), what, want)
}

func (l *layers) workers() (int, error) {
	n, err := strconv.Atoi(l.Text("workers"))
	if err != nil || n < 1 || n > math.MaxInt16 {
		return 0, l.bad("workers", "not a number of runs at a time", "a whole number from 1")
	}
	return n, nil
}

func (l *layers) level() (slog.Level, error) {
	text := strings.ToLower(l.Text("log-level"))
	var level slog.Level
	if !slices.Contains(LogLevels, text) {
		return 0, l.bad("log-level", "unknown level", spell.List(LogLevels, "or"))
	}
	err := level.UnmarshalText([]byte(text))
	return level, err
}

func (l *layers) logLimit() (int64, error) { return l.storage("log-limit", 1<<16, "64 KiB") }

// cacheLimit is 0 where none is given.
func (l *layers) cacheLimit() (int64, error) {
	if l.Text("cache-limit") == "" {
		return 0, nil
	}
	return l.storage("cache-limit", 1<<20, "1 MiB")
}

// remember is a time; a bare number is s.
func (l *layers) remember() (time.Duration, error) {
	const name, most = "remember-failures", 366 * 24 * time.Hour
	x, err := unit.Parse(l.Text(name), unit.Time)
	if err != nil || !(x >= 0 && x <= most.Seconds()) {
		return 0, l.bad(name, "not a time from 0 to a year", "such as 10 min or 0")
	}
	return time.Duration(x * float64(time.Second)), nil
}

// storage returns an amount of memory.
func (l *layers) storage(name string, least float64, leastText string) (int64, error) {
	const most = 1 << 50
	x, err := unit.Parse(l.Text(name), unit.Storage)
	if err != nil || x < least || x > most {
		return 0, l.bad(name, "not an amount of memory from "+leastText, "such as 64 MiB or 1 GB")
	}
	return int64(x), nil
}

// site returns the folder of a site cache. If it was set it must exist.
func (l *layers) site() (string, error) {
	const name = "site-cache"
	if l.Text(name) == "" {
		return "", nil
	}
	path, err := l.absolute(name, l.Text(name))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return "", l.bad(name, "no such folder", "the folder of a cache")
	}
	return path, nil
}

// folder returns a folder as an absolute path: run folders outlive the folder in which the program was started. An
// unexpanded ~ is the home.
func (l *layers) folder(name string, usual func() (string, error)) (string, error) {
	path := l.Text(name)
	if path == "" {
		def, err := usual()
		if err != nil {
			return "", fmt.Errorf("no folder for %s: %w; give --%s or %s", name, err, name, variable(name))
		}
		path = def
	}
	path, err := l.absolute(name, path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return "", l.bad(name, "a file", "a folder, or a path where one can be made")
	}
	return path, nil
}

// absolute returns the path of a setting, with ~ and without the folder that the tool was started in.
func (l *layers) absolute(name, path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", l.bad(name, err.Error(), "a path without ~")
		}
		path = filepath.Join(home, rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", l.origin(name), err)
	}
	return path, nil
}

// beside returns a file that must exist if it was set. Otherwise it returns the file with the setting's name beside the
// settings file, if it exists.
func (l *layers) beside(name, want string) (string, error) {
	path := l.Text(name)
	if path == "" {
		usual := filepath.Join(l.home, name+".yaml")
		if _, err := os.Stat(usual); l.home == "" || errors.Is(err, fs.ErrNotExist) && !isLink(usual) {
			return "", nil
		}
		return usual, nil // its reader reports another error
	}
	path, err := l.absolute(name, path)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(path); {
	case err != nil:
		return "", l.bad(name, "no such file", want)
	case info.IsDir():
		return "", l.bad(name, "a folder", want)
	}
	return path, nil
}

// isLink reports whether a path is a link, which may lead nowhere: to a file system that is not mounted.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func userCache() (string, error) {
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "peregrine"), err
}

// userRuns is peregrine/runs in the user's state folder.
func userRuns() (string, error) {
	state, err := userState()
	return filepath.Join(state, "peregrine", "runs"), err
}

// userTrusted is peregrine/trusted in the state folder; empty without a home.
func userTrusted() string {
	state, err := userState()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "peregrine", "trusted")
}

// userState is $XDG_STATE_HOME, by default ~/.local/state (XDG Base Directory Specification 0.8).
func userState() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return state, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}
