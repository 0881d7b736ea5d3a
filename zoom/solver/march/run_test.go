package march

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// counter is a solver whose flow is the number of its iterations.
type counter struct {
	reports int
	n       int
	fail    error
}

func (c *counter) WriteGrid(w io.Writer) error { _, err := io.WriteString(w, "grid"); return err }
func (c *counter) WriteFlow(w io.Writer) error { _, err := io.WriteString(w, "flow"); return err }
func (*counter) Steering() *Steering           { return &Steering{} }

func (c *counter) SaveSolution(w io.Writer) error {
	return errors.Join(c.fail, Save(w, "counter", 1, c.n))
}

// Run reports until it is stopped or has made the reports wanted.
func (c *counter) Run(_ context.Context, observe func(Progress) Reply) (*Result, error) {
	for range c.reports {
		c.n++
		if observe(Progress{Iteration: c.n, Exit: &Station{}}) == Stop {
			return &Result{Status: Stopped, Iterations: c.n, Exit: &Station{}}, nil
		}
	}
	return &Result{Status: Converged, Iterations: c.n, Exit: &Station{}}, nil
}

func saved(t *testing.T, dir string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, SolutionFile))
	if err != nil {
		return 0
	}
	n := must.Value(Load[int](bytes.NewReader(data), "counter", 1))(t)
	return *n
}

// A checkpoint is written every tenth report; the last
// solution is that of the end; and no temporary file is left.
func TestCheckpoints(t *testing.T) {
	dir := t.TempDir()
	c := &counter{reports: 35}
	_, err := RunIn(context.Background(), dir, "counter", c, func(p Progress) Reply {
		want := p.Iteration / 10 * 10
		if p.Iteration%10 == 0 {
			want -= 10 // this report's comes behind it
		}
		if got := saved(t, dir); got != want {
			t.Errorf("at report %d the checkpoint is of %d, want %d", p.Iteration, got, want)
		}
		return Continue
	}, clock.Real)
	if err != nil || saved(t, dir) != 35 {
		t.Errorf("%v; the last solution is of %d", err, saved(t, dir))
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 4 {
		t.Errorf("%v; files %v", err, list)
	}
}

// Where reports are slow a checkpoint is written after a minute.
func TestCheckpointEveryMinute(t *testing.T) {
	dir, c, at := t.TempDir(), &counter{reports: 7}, clock.NewManual(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	_, err := RunIn(context.Background(), dir, "counter", c, func(p Progress) Reply {
		want := 0
		if p.Iteration > 4 {
			want = 4 // the fourth report came after 64 s
		}
		if got := saved(t, dir); got != want {
			t.Errorf("at report %d the checkpoint is of %d, want %d", p.Iteration, got, want)
		}
		at.Advance(16 * time.Second)
		return Continue
	}, at)
	if err != nil {
		t.Error(err)
	}
}

// A checkpoint that cannot be written ends the run with its error and leaves the one
// before.
func TestCheckpointFails(t *testing.T) {
	dir := t.TempDir()
	c := &counter{reports: 100}
	full := errors.New("no space left")
	_, err := RunIn(context.Background(), dir, "counter", c, func(p Progress) Reply {
		if p.Iteration == 15 {
			c.fail = full
		}
		return Continue
	}, clock.Real)
	if !errors.Is(err, full) || c.n != 20 || saved(t, dir) != 10 {
		t.Errorf("%v after %d reports; the checkpoint is of %d", err, c.n, saved(t, dir))
	}
}

func TestLoadRefuses(t *testing.T) {
	var b bytes.Buffer
	must.OK(t, Save(&b, "counter", 1, 7))
	good := b.String()
	for _, tc := range []struct{ data, want string }{
		{"", "not a solution of this version"},
		{"something else altogether, and longer than the mark", "not a solution of this version"},
		{strings.Replace(good, "solution 1", "solution 2", 1), "not a solution of this version"},
		{good[:len(good)-2], "damaged solution"},
	} {
		must.Refuse(Load[int](strings.NewReader(tc.data), "counter", 1))(t, tc.want)
	}
}
