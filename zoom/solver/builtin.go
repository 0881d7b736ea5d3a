package solver

// The solvers that come with the program. This list is the only one; each solver's file has its entry.

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// builtin is a solver that comes with the program.
type builtin struct {
	name     string
	make     func() plugin.Solver
	files    []string // of this package, that compute or pass requests and answers on
	packages []string // of this module, that its answers come from besides, with all that they import

	// version is the version of its code: answers are kept under it, and not under the
	// content of the executable, so that every program with these solvers shares them. Raise it when
	// an answer may change by a bit.
	version string
	// sources is a hash of their code without comments, which a test compares: whoever
	// changes the code has to say whether the answers change, too.
	sources string
}

// builtins are all of them, in alphabetical order.
var builtins = []builtin{
	bladeRowEntry,
	throughflowEntry,
}

// Builtin makes the built-in solver of that name, or returns nil.
func Builtin(name string) plugin.Solver {
	if b := find(name); b != nil {
		return b.make()
	}
	return nil
}

func find(name string) *builtin {
	i := slices.IndexFunc(builtins, func(b builtin) bool { return b.name == name })
	if i < 0 {
		return nil
	}
	return &builtins[i]
}

// Names of the built-in solvers, in alphabetical order.
func Names() (all []string) {
	for _, b := range builtins {
		all = append(all, b.name)
	}
	return all
}

// code is what the bits of the solver's answers depend on besides a request: its version,
// and the compiler and processor that the program was built with and for, whose fused
// multiply-adds round otherwise.
func (b *builtin) code() string {
	parts := []string{b.name, b.version, runtime.Version(), runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		parts = append(parts, processor(info)...)
	}
	return strings.Join(parts, " ")
}

// processor lists the settings of a build by which the compiler chooses instructions, such as GOAMD64=v3.
func processor(info *debug.BuildInfo) (list []string) {
	for _, s := range info.Settings {
		if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) || s.Key == "-gcflags" && s.Value != "" {
			list = append(list, s.Key+"="+s.Value)
		}
	}
	return list
}
