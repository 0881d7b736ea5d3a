package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// layers lists the top-level folders from the bottom up: a package may import
// those of lower layers and of its own.
var layers = []string{"internal", "config", "perfmap", "components", "zoom", "executive", "cmd"}

// aside lists the top-level folders outside the layers.
var aside = []sideFolder{
	{name: "watchdog", imports: []string{"config", "internal"}, importedBy: []string{"zoom", "executive", "cmd"}},
}

type sideFolder struct {
	name                string
	imports, importedBy []string // top-level folders
}

// rules narrow the direction, package by package. Patterns are paths within the
// module; "/..." at the end means the folder and all below it.
var rules = []rule{
	{of: "zoom/solver/average", only: []string{"internal/..."},
		why: "averages are of fields, whatever computes them"},
	{of: "zoom/solver/blade/...", only: []string{"config/document", "internal/..."},
		why: "a blade's geometry does not know what computes its flow"},
	{
		of: "zoom/solver/march/...", only: flowSolver,
		why: "a flow solver knows blades and commands, not the 1-D models or runs",
	},
	{
		of: "zoom/solver/throughflow/...", only: flowSolver,
		why: "a flow solver knows blades and commands, not the 1-D models or runs",
	},
	{
		of: "zoom/solver/bladerow/...", only: flowSolver,
		why: "a flow solver knows blades and commands, not the 1-D models or runs",
	},
	{
		of: "executive/graph", never: []string{"executive/steady", "executive/transient", "executive/session"},
		why: "an engine's equations do not know who solves them",
	},
	{
		of: "executive/steady", never: []string{"executive/transient", "executive/session"},
		why: "operating points are solved without time, and without other cases",
	},
	{
		of: "executive/transient", never: []string{"executive/session"},
		why: "a transient starts where somebody has brought the engine",
	},
	{of: "executive/newton", only: []string{"internal/..."},
		why: "a solver of equations does not know what it solves"},
	{of: "executive/ode", only: []string{"internal/..."},
		why: "an integrator does not know what it integrates"},
	{of: "watchdog/fact", only: []string{"internal/..."}, standard: true,
		why: "a memory of facts does not know what they are about"},
	{of: "zoom/run/schedule", only: []string{"internal/..."}, standard: true,
		why: "which run goes where is decided without clock, goroutine, disk or network"},
}

// flowSolver are the packages that a flow solver may import.
var flowSolver = []string{"internal/...", "zoom/steer", "zoom/solver/average", "zoom/solver/blade/...",
	"zoom/solver/march/...",
	"zoom/solver/throughflow", "config/document", "watchdog/event"} // whose receipts answer commands

type rule struct {
	of       string
	never    []string // must not import these
	only     []string // of this module imports nothing but these (and itself, if of is a folder)
	standard bool     // and from elsewhere the standard library alone; tests may use more
	why      string
}

// owners names the packages which alone may use a thing of the standard library
// (or of golang.org/x/sys): a package, or one function as "os.FindProcess".
// Tests are free. The files of all systems are looked at.
var owners = []owner{
	{
		what: "os/exec", by: []string{"cmd/peregrine/programtest", "internal/chromium", "internal/hosting",
			"internal/process", "internal/testenv", "internal/testrun", "zoom/plugin/mock"},
		why: "processes are started where somebody waits for them"},
	{what: "os.StartProcess", by: nil, why: "os/exec does this"},
	{what: "os.FindProcess", by: nil, why: "a process is ended by its owner"},
	{what: "os/signal", by: []string{"cmd/peregrine", "cmd/peregrine/watch", "executive", "internal/testrun"},
		why: "signals are for the program; a package gets a context"},
	{
		what: "syscall", by: []string{"cmd/peregrine", "internal/fault", "internal/filelock", "internal/folder",
			"internal/folder/foldertest", "internal/hosting", "internal/intake", "internal/intake/intaketest",
			"internal/process", "internal/testrun", "internal/ulimit", "watchdog/tail", "zoom/plugin/mock"},
		why: "what depends on the system stands behind internal/process and internal/filelock"},
	{what: "syscall.Kill", by: []string{"internal/process"},
		why: "Windows has none; internal/process says what it does instead"},
	// Folders (internal/atomic), files of /proc and of control groups (internal/process) and what belongs to tests are
	// no files that somebody names.
	{what: "os.Open", by: []string{"internal/atomic", "internal/process"},
		why: "a file that somebody names may be a pipe or a device: internal/intake opens it"},
	{
		what: "os.ReadFile", by: []string{"executive/enginetest", "internal/process", "internal/golden",
			"zoom/plugin/mock"},
		why: "a file that somebody names may never end: internal/intake reads it"},
	{
		what: "os.OpenFile", by: []string{"internal/atomic", "internal/intake",
			"internal/process", "zoom/plugin/mock"},
		why: "it is for writing and for locks: internal/intake opens what is read"},
	{what: "golang.org/x/sys/unix", by: []string{"internal/folder", "internal/process", "internal/terminal",
		"watchdog/tail"},
		why: "what depends on the system stands behind internal/process and internal/filelock"},
	{what: "golang.org/x/sys/windows", by: []string{"internal/filelock", "internal/process"},
		why: "what depends on the system stands behind internal/process and internal/filelock"},
}

type owner struct {
	what string
	by   []string // paths within the module
	why  string
}

// broken returns why one import breaks the rules, or "". The paths are within the module.
func broken(from, to string) string {
	if from == to {
		return ""
	}
	if !downwards(top(from), top(to)) {
		return fmt.Sprintf("%s must not know %s", top(from), top(to))
	}
	for _, r := range rules {
		if !matches(r.of, from) || matches(r.of, to) {
			continue
		}
		if matchesAny(r.never, to) || r.only != nil && !matchesAny(r.only, to) {
			return r.why
		}
	}
	return ""
}

// downwards reports whether a top-level folder may import another.
func downwards(from, to string) bool {
	if from == to {
		return true
	}
	for _, s := range aside {
		if from == s.name {
			return slices.Contains(s.imports, to)
		}
		if to == s.name {
			return slices.Contains(s.importedBy, from)
		}
	}
	i, j := slices.Index(layers, from), slices.Index(layers, to)
	return j >= 0 && j < i
}

func TestImportsGoOneWay(t *testing.T) {
	for _, f := range everyFolder(t) {
		checkImports(t, f)
	}
	if t.Failed() {
		t.Log("The tables at the top of internal/house/imports_test.go hold the rules.")
	}
}

func checkImports(t *testing.T, f folder) {
	from := f.path
	if !slices.Contains(layers, top(from)) &&
		!slices.ContainsFunc(aside, func(s sideFolder) bool { return s.name == top(from) }) {
		t.Errorf("package %s is in none of the module's top-level folders", from)
		return
	}
	for _, path := range f.allImports() {
		to, ok := inModule(path)
		if !ok {
			continue
		}
		if why := broken(from, to); why != "" {
			t.Errorf("%s imports %s: %s", from, to, why)
		}
	}
	for _, r := range rules {
		for _, path := range f.imports {
			if _, ours := inModule(path); r.standard && matches(r.of, from) && !ours && !isStandard(path) {
				t.Errorf("%s imports %s, which is not of the standard library: %s", from, path, r.why)
			}
		}
	}
}

// isStandard reports whether an import path is the standard library's: the first
// element of every other path has a dot.
func isStandard(path string) bool { return !strings.Contains(top(path), ".") }

func TestSystemBelongsToFewPackages(t *testing.T) {
	users := map[string][]string{} // by what is used
	for _, f := range everyFolder(t) {
		for _, path := range f.imports {
			users[path] = append(users[path], f.path)
		}
		for _, u := range f.uses {
			users[u.name] = append(users[u.name], f.path)
		}
	}
	for _, o := range owners {
		for _, by := range o.by {
			if !slices.Contains(users[o.what], by) {
				t.Errorf("%s uses %s no more: take it from the table owners in internal/house/imports_test.go", by,
					o.what)
			}
		}
		slices.Sort(users[o.what])
		for _, user := range slices.Compact(users[o.what]) {
			if !slices.Contains(o.by, user) {
				t.Errorf("%s uses %s, which only %s may: %s", user, o.what, orNobody(o.by), o.why)
			}
		}
	}
}

// trees lists packages whose files lie in folders that others may write: they use these through a folder.Tree alone.
var trees = []string{"perfmap/cache", "zoom/licence"}

// openers are the functions that a folder.Tree replaces.
var openers = []string{"os.Open", "os.OpenFile", "os.Create", "os.ReadFile", "os.WriteFile", "os.ReadDir", "os.Mkdir",
	"os.Remove", "os.RemoveAll", "os.Rename", "os.Chmod", "os.Chtimes", "os.Stat", "os.Lstat", "os.Link", "os.Symlink",
	"os.Truncate", "os.MkdirTemp", "os.CreateTemp", "path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob"}

// studies lists packages that open files of studies and runs: by functions of internal/folder on one file, or by a
// folder.Tree. What solvers write is opened by internal/intake, in other packages.
var studies = []string{"watchdog/event", "watchdog/log", "zoom/host/command", "zoom/host/local", "zoom/host/nodes",
	"zoom/host/ssh", "zoom/plugin", "zoom/run/attempt", "zoom/run/branch", "zoom/run/index", "zoom/run/live",
	"zoom/run/pool", "zoom/run/record", "zoom/run/study", "zoom/solver/march"}

// followers are functions that open or change a file behind a link.
var followers = []string{"os.Open", "os.OpenFile", "os.Create", "os.ReadFile", "os.WriteFile", "os.Chmod",
	"os.Truncate"}

func TestFilesOfStudiesAreOpenedInOwnFolders(t *testing.T) {
	for _, f := range everyFolder(t) {
		for _, u := range f.uses {
			if slices.Contains(studies, f.path) && slices.Contains(followers, u.name) {
				t.Errorf("%s:%d uses %s: a link may be at the name; use internal/folder", u.file, u.line, u.name)
			}
		}
	}
}

func TestSharedFoldersAreOpenedAsTrees(t *testing.T) {
	for _, f := range everyFolder(t) {
		for _, u := range f.uses {
			if slices.Contains(trees, f.path) && slices.Contains(openers, u.name) {
				t.Errorf("%s:%d uses %s: a link may be at the name; use a folder.Tree", u.file, u.line, u.name)
			}
		}
	}
}

func orNobody(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

func TestBroken(t *testing.T) {
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"executive", "zoom", true},
		{"perfmap", "zoom", false},
		{"watchdog", "perfmap", false},
		{"watchdog/rule", "config", true},
		{"zoom", "watchdog/event", true},
		{"config", "perfmap", false},
		{"internal/paper", "config", false},
		{"zoom/solver/bladerow", "components", false},
		{"zoom/solver/bladerow", "zoom/solver/march", true},
		{"components", "components/control", true},
		{"executive/newton", "internal/golden", true},
		{"executive/newton", "config", false},
		{"zoom/run/schedule", "zoom/run", false},
	} {
		if why := broken(c.from, c.to); (why == "") != c.allowed {
			t.Errorf("%s -> %s: allowed is %v, want %v (%s)", c.from, c.to, why == "", c.allowed, why)
		}
	}
}

// clocks lists the files that use the package time's clock: the one that makes the clock, and few that meet the
// world outside. All others get a clock from their caller, so that a test of theirs need not wait.
var clocks = []string{
	"internal/clock/real.go",
	"zoom/example/meanline/main.go",
}

// clockFunctions are the functions of package time that read the clock or wait for it.
var clockFunctions = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}

func TestClockIsHandedIn(t *testing.T) {
	first := map[string]use{} // by file
	for _, f := range everyFolder(t) {
		for _, u := range f.uses {
			name, ok := strings.CutPrefix(u.name, "time.")
			if _, known := first[u.file]; ok && !known && slices.Contains(clockFunctions, name) {
				first[u.file] = u
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(first)) {
		if !slices.Contains(clocks, file) {
			t.Errorf("%s:%d uses %s: take a clock from the caller", file, first[file].line, first[file].name)
		}
	}
	for _, file := range clocks {
		if _, ok := first[file]; !ok {
			t.Errorf("%s uses the clock no more: take it from the table clocks in internal/house/imports_test.go", file)
		}
	}
}
