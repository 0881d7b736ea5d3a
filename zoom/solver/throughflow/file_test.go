package throughflow

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The run folder holds a history whose every line says what its header promises,
// and PLOT3D files that agree on their size.
func TestRunFolder(t *testing.T) {
	c := coarseE3(t)
	dir := t.TempDir()
	s := newSolver(t, c)
	reports, inTime := 0, true
	r, err := s.RunIn(context.Background(), dir, func(p march.Progress) march.Reply {
		reports++
		data := must.Value(os.ReadFile(filepath.Join(dir, march.HistoryFile)))(t)
		inTime = inTime && strings.Contains(string(data), fmt.Sprintf("\n%d ", p.Iteration))
		return march.Continue
	})
	must.OK(t, err)
	if !inTime {
		t.Error("a report was not in the history file when the observer heard of it")
	}
	data := must.Value(os.ReadFile(filepath.Join(dir, march.HistoryFile)))(t)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if lines[0] != "# throughflow history 1" || !strings.HasPrefix(lines[1], "# iteration residual W_in") {
		t.Errorf("header %q", lines[:2])
	}
	n, profiles := 0, 0
	for _, l := range lines[2 : len(lines)-1] {
		f := strings.Fields(l)
		switch {
		case f[0] == "profile":
			profiles++
			if want := c.Settings.NR; len(f) != 3+want && len(f) != 3+want/2 {
				t.Errorf("profile of %d values", len(f)-3)
			}
		default:
			n++
			if len(f) != 8 {
				t.Errorf("line %q", l)
			}
		}
	}
	if n != reports || profiles < 5 {
		t.Errorf("%d lines for %d reports, %d profile lines", n, reports, profiles)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, fmt.Sprintf("end converged %d ", r.Iterations)) {
		t.Errorf("last line %q", last)
	}
	grid, flow := numbers(t, filepath.Join(dir, march.GridFile)), numbers(t, filepath.Join(dir, march.FlowFile))
	nodes := (c.Settings.NZ + 1) * (c.Settings.NR + 1)
	if len(grid) != 3+3*nodes || len(flow) != 3+4+5*nodes {
		t.Errorf("%d numbers in the grid, %d in the flow, %d nodes", len(grid), len(flow), nodes)
	}
	if rho := flow[7]; rho < 0.5 || rho > 1 {
		t.Errorf("density at the inlet's hub is %g of the total density", rho)
	}
}

func numbers(t *testing.T, path string) []float64 {
	t.Helper()
	f := must.Value(os.Open(path))(t)
	defer f.Close()
	var out []float64
	sc := bufio.NewScanner(f)
	sc.Split(bufio.ScanWords)
	for sc.Scan() {
		var x float64
		must.Value(fmt.Sscan(sc.Text(), &x))(t)
		out = append(out, x)
	}
	return out
}

// A solution of another size or mesh is not taken; FuzzSolution has files that are none.
func TestDamagedSolution(t *testing.T) {
	s := newSolver(t, coarseE3(t))
	sol := s.Solution()
	sol.Flow[3] = sol.Flow[3][1:]
	if err := s.Resume(sol); err == nil {
		t.Error("a solution with a value too few was taken")
	}
	sol = s.Solution()
	sol.NZ++
	if err := s.Resume(sol); err == nil {
		t.Error("a solution of another mesh was taken")
	}
}
