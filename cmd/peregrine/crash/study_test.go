//go:build linux

package crash

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// A study is what the trials disturb: some seconds of work on two cores, in some runs of which each is a process.

// kind is a sort of study: the solver that its engine's fan is zoomed by, and how.
type kind struct {
	name, solver, how, settings string
}

// kinds are the studies under test: two whose runs go on from checkpoints, one whose runs begin anew, by a solver
// of the user's that rests after each iteration, one by a described program, which is a process of its own, and one
// whose runs are made in rounds, each for what the rounds before it found. The processes of throughflow, bladerow and
// the described program take run after run.
var kinds = []kind{
	{"throughflow", "throughflow", "runs: 3", "cells_z: 64, cells_r: 16"},
	{"meanline", "meanline", "runs: 3", "pause: 4e-3"},
	{"described", "rotor", "runs: 3", "pause: 4e-3"},
	{"bladerow", "bladerow", "runs: 3", "refine: 0.25, model: euler, orders: 2, workers: 1"},
	{"rounds", "throughflow", "to: 0.1 %", "cells_z: 64, cells_r: 16"},
}

// solves is what a process does that computes: of a described program every other one that is meant is the program
// itself.
func (k kind) solves(number int) role {
	if k.name == "described" && number%2 == 1 {
		return program
	}
	return solver
}

// shop has the programs and the engines.
type shop struct{ dir string }

// TestMain runs a test for every two cores at a time: each starts a dozen processes whose leases are seconds. It
// removes the shop that the tests share.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(max(1, runtime.GOMAXPROCS(0)/2))) // testing defines it
	}
	code := m.Run()
	if theShop != nil {
		_ = os.RemoveAll(theShop.dir)
	}
	os.Exit(code)
}

var (
	theShop *shop
	opening sync.Mutex
)

// openShop returns the shop of all tests.
func openShop(t *testing.T) *shop {
	t.Helper()
	opening.Lock()
	defer opening.Unlock()
	if theShop == nil {
		theShop = newShop(t)
	}
	return theShop
}

// newShop builds peregrine and the example of a solver, as a user does.
func newShop(t *testing.T) *shop {
	t.Helper()
	dir := must.Value(os.MkdirTemp("", "shop"))(t)
	s := &shop{dir}
	build := exec.Command("go", "build", "-o", s.dir+"/", "..", "../../../zoom/example/meanline")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := must.Value(os.ReadFile(s.program()))(t)
	must.OK(t, os.WriteFile(s.newer(), append(text, "newer"...), 0o755)) // what follows a program is not read
	must.OK(t, os.CopyFS(filepath.Join(s.dir, "examples"), os.DirFS("../../../config/examples")))
	const zoom = "fidelity: bladerow, geometry: geometry/e3-fan.yaml, settings: {refine: 1}"
	for _, k := range append(slices.Clone(kinds), limited) {
		by := "solver: " + k.solver + ", geometry: geometry/e3-fan.yaml, " + k.how + ", settings: {" + k.settings + "}"
		s.engineFrom(t, "turbofan-fan3d.yaml", zoom, by, k)
	}
	s.nodesEngine(t)
	begin := exec.Command(s.program(), "plugin", "new", "external", "rotor")
	begin.Dir = s.dir
	if out, err := begin.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.write(t, s.solvers(), "meanline: {command: [./meanline], version: \"1\"}\nrotor: {external: rotor/rotor.yaml}\n")
	return s
}

func (s *shop) program() string      { return filepath.Join(s.dir, "peregrine") }
func (s *shop) newer() string        { return filepath.Join(s.dir, "newer") } // another build
func (s *shop) engine(k kind) string { return filepath.Join(s.dir, "examples", k.name+".yaml") }
func (s *shop) solvers() string      { return filepath.Join(s.dir, "solvers.yaml") }

// engineFrom writes the engine file of a kind, an example with another zoom.
func (s *shop) engineFrom(t *testing.T, example, zoom, by string, k kind) {
	t.Helper()
	text := must.Value(os.ReadFile(filepath.Join(s.dir, "examples", example)))(t)
	if !strings.Contains(string(text), zoom) {
		t.Fatalf("example %s has no %q", example, zoom)
	}
	s.write(t, s.engine(k), strings.Replace(string(text), zoom, by, 1))
}

func (s *shop) write(t *testing.T, file, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(file, []byte(text), 0o644))
}
