package solver

// The solvers that come with the program. This list is the only one; each solver's file has its entry.

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// builtin is a solver that is part of this program.
type builtin struct {
	name     string
	make     func() plugin.Solver
	files    []string // of this package, which convert requests and answers
	packages []string // of this module, which with their imports compute its answers

	// version is the version of its code. It is part of cache keys instead of a hash of the executable, so that every
	// program with this solver shares its answers. Raise it when an answer may change by a bit.
	version string
	// sources is a hash of packages and files without comments. A test compares it, so that each change of the code
	// requires a decision on raising the version.
	sources string
}

// builtins are all of them, in alphabetical order.
var builtins = []builtin{
	bladeRowEntry,
	faultyEntry,
	throughflowEntry,
}

// Builtin returns a new built-in solver of that name, or nil.
func Builtin(name string) plugin.Solver {
	if b := findBuiltin(name); b != nil {
		return b.make()
	}
	return nil
}

// Descriptions returns the descriptions of the built-in solvers.
func Descriptions() []plugin.Description {
	return convert.All(builtins, func(b builtin) plugin.Description { return b.make().Describe() })
}

func findBuiltin(name string) *builtin {
	i := slices.IndexFunc(builtins, func(b builtin) bool { return b.name == name })
	if i < 0 {
		return nil
	}
	return &builtins[i]
}

// SettingProblem reports a number of a built-in solver's setting that does not suit a geometry; empty: it does, or the
// solver is not a built-in one.
func SettingProblem(solver string, g *blade.Geometry, name string, v float64) string {
	if s, ok := Builtin(solver).(interface {
		meshProblem(g *blade.Geometry, name string, cells float64) string
	}); ok {
		return s.meshProblem(g, name, v)
	}
	return ""
}

// TextProblem reports an invalid text of a built-in solver's setting; empty: it is valid, or the solver is not built
// in.
func TextProblem(solver, name, text string) string {
	if s, ok := Builtin(solver).(interface{ textProblem(name, text string) error }); ok {
		if err := s.textProblem(name, text); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Names returns the names of the built-in solvers in alphabetical order.
func Names() (all []string) {
	return convert.All(builtins, func(b builtin) string { return b.name })
}

// Code returns all that determines the bits of a built-in solver's answers besides the request; empty: no such solver.
func Code(name string) string {
	if b := findBuiltin(name); b != nil {
		return b.code()
	}
	return ""
}

// code returns all that determines the bits of the solver's answers besides the request: its version, the compiler, and
// the target processor. With fused multiply-adds results are rounded differently.
func (b *builtin) code() string {
	parts := []string{b.name, b.version, runtime.Version(), runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		parts = append(parts, processor(info)...)
	}
	return strings.Join(parts, " ")
}

// processor lists the build settings from which the compiler chooses instructions, such as GOAMD64=v3.
func processor(info *debug.BuildInfo) (list []string) {
	for _, s := range info.Settings {
		if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) || s.Key == "-gcflags" && s.Value != "" {
			list = append(list, s.Key+"="+s.Value)
		}
	}
	return list
}

// RowsProblem reports blade rows of a geometry that a built-in solver does not compute; nil: it does, or the solver is
// not built in.
func RowsProblem(solver string, g *blade.Geometry) error {
	if s, ok := Builtin(solver).(interface{ rowsProblem(g *blade.Geometry) error }); ok {
		return s.rowsProblem(g)
	}
	return nil
}
