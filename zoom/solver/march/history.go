package march

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
)

// History writes a run's history during the run, one line a report, flushed at once so that a watchdog can follow it.
// The format, text:
//
//	# throughflow history 1
//	# iteration residual W_in[kg/s] W_out[kg/s] PR eff Ps_exit[Pa] mesh
//	20 3.1e-02 641.2 640.8 1.63 0.885 118000 0
//	profile 200 area 0.021 0.063 ...
//	profile 200 Pt[Pa] ...
//	profile 200 Tt[K] ...
//	profile 200 Vz[m/s] ...
//	profile 200 Vtheta[m/s] ...
//	end converged 731 residual below 0.0001 ...
//
// The first word is the solver's. A profile is the exit plane, hub to casing.
type History struct {
	w       *bufio.Writer
	reports int
	err     error
}

// profileEvery is how many reports lie between two profiles.
const profileEvery = 10

// NewHistory writes the header to w.
func NewHistory(w io.Writer, solver string) *History {
	h := &History{w: bufio.NewWriter(w)}
	h.printf("# %s history 1\n# iteration residual W_in[kg/s] W_out[kg/s] PR eff Ps_exit[Pa] mesh\n", solver)
	h.flush()
	return h
}

// Report writes a report.
func (h *History) Report(p Progress) {
	h.printf("%d %.6e %.8g %.8g %.8g %.8g %.8g %d\n", p.Iteration, p.Residual, p.WIn, p.WOut, p.PR, p.Eff, p.Ps, p.Mesh)
	if h.reports++; h.reports%profileEvery == 0 {
		h.profile(p.Iteration, p.Exit)
	}
	h.flush()
}

// End writes the last profile and the end of the run, and returns the first error
// that writing met.
func (h *History) End(e Ending) error {
	h.profile(e.Iterations, e.Exit)
	h.printf("end %s %d %s\n", e.Status, e.Iterations, strings.ReplaceAll(e.Message, "\n", " "))
	h.flush()
	return h.err
}

func (h *History) profile(iteration int, s *Station) {
	for _, c := range []struct {
		name string
		v    []float64
	}{{"area", s.Area}, {"Pt[Pa]", s.PtCell}, {"Tt[K]", s.TtCell}, {"Vz[m/s]", s.Vz}, {"Vtheta[m/s]", s.Vtheta}} {
		h.printf("profile %d %s", iteration, c.name)
		for _, v := range c.v {
			h.printf(" %.6g", v)
		}
		h.printf("\n")
	}
}

func (h *History) printf(format string, args ...any) {
	if h.err == nil {
		_, h.err = fmt.Fprintf(h.w, format, args...)
	}
}

func (h *History) flush() {
	if h.err == nil {
		h.err = h.w.Flush()
	}
}

// Names of the files that RunIn writes.
const (
	HistoryFile  = "history.dat"
	GridFile     = "grid.xyz"
	FlowFile     = "flow.q"
	SolutionFile = "solution.bin"
)

// Solver is a solver that [RunIn] runs. R is its result.
type Solver[R interface{ Ending() Ending }] interface {
	Run(ctx context.Context, observe func(Progress) Reply) (R, error)
	WriteGrid(w io.Writer) error
	WriteFlow(w io.Writer) error
	SaveSolution(w io.Writer) error
	Steering() *Steering
}

// Between two checkpoints lie so many reports, or so much time if they are slow.
const (
	checkpointEvery = 10
	checkpointAfter = time.Minute
)

// RunIn runs the named solver with files in the folder dir. During the run it writes the history and, every tenth
// report or minute, the solution so far; at the end the PLOT3D grid and flow and the solution. A later run can start
// from the solution, or continue from it after a kill: the file is complete at any moment. Observe may be nil. At is
// the clock of the minutes. The result is that of Run, also with an error.
func RunIn[R interface{ Ending() Ending }](ctx context.Context, dir, name string, s Solver[R],
	observe func(Progress) Reply, at clock.Clock) (result R, err error) {
	file, err := folder.Create(filepath.Join(dir, HistoryFile))
	if err != nil {
		return result, err
	}
	defer file.Close()
	if observe == nil {
		observe = func(Progress) Reply { return Continue }
	}
	s.Steering().files(dir, s.SaveSolution, s.WriteFlow)
	h := NewHistory(file, name)
	reports, saved := 0, at.Now()
	var unsaved error
	write := func(name string, content func(io.Writer) error) error {
		defer s.Steering().Enter(CheckpointRegion)()
		return atomic.Stream(filepath.Join(dir, name), content)
	}
	result, err = s.Run(ctx, func(p Progress) Reply {
		h.Report(p)
		command := observe(p)
		if reports++; reports%checkpointEvery == 0 || clock.Since(at, saved) > checkpointAfter {
			saved = at.Now()
			if unsaved = write(SolutionFile, s.SaveSolution); unsaved != nil {
				return Stop
			}
		}
		return command
	})
	if e := h.End(result.Ending()); e != nil {
		return result, e
	}
	if unsaved != nil {
		return result, unsaved
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{GridFile, s.WriteGrid}, {FlowFile, s.WriteFlow}, {SolutionFile, s.SaveSolution}} {
		if e := write(f.name, f.write); e != nil {
			return result, e
		}
	}
	return result, err
}
