package march

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// checkpoints holds the named solutions of a run, in its folder. A run can continue from each of them. The latest are
// kept.
type checkpoints struct {
	dir   string
	save  func(io.Writer) error
	most  int // number that are kept
	bytes int // of all, MB
	kept  []kept
}

type kept struct {
	name string
	size int64
}

const (
	keptCheckpoints = 4
	keptMegabytes   = 4096
)

// CheckpointFile returns the file of a named checkpoint in a run folder.
func CheckpointFile(name string) string { return "checkpoint-" + name + ".bin" }

var checkpointName = regex.Lazy(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,39}$`)

// write saves the state under a name, and removes the oldest surplus checkpoints. Without a name it writes the solution
// from which a killed run continues.
func (c *checkpoints) write(_ context.Context, name steer.Value) (steer.Value, error) {
	if name.Text == "" {
		return steer.TextValue(SolutionFile), atomic.Stream(filepath.Join(c.dir, SolutionFile), c.save)
	}
	if !checkpointName().MatchString(name.Text) {
		return steer.Value{}, fmt.Errorf("checkpoint %q: want a name of up to 40 letters, digits, _ and -", name.Text)
	}
	file := CheckpointFile(name.Text)
	path := filepath.Join(c.dir, file)
	if err := atomic.Stream(path, c.save); err != nil {
		return steer.Value{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return steer.Value{}, err
	}
	c.kept = slices.DeleteFunc(c.kept, func(k kept) bool { return k.name == name.Text })
	c.kept = append(c.kept, kept{name.Text, info.Size()})
	return steer.TextValue(file), c.trim()
}

// trim removes the oldest checkpoints beyond the limits of number and size, except the last.
func (c *checkpoints) trim() error {
	for len(c.kept) > 1 && (len(c.kept) > c.most || c.size() > int64(c.bytes)<<20) {
		if err := os.Remove(filepath.Join(c.dir, CheckpointFile(c.kept[0].name))); err != nil {
			return err
		}
		c.kept = c.kept[1:]
	}
	return nil
}

func (c *checkpoints) size() (sum int64) {
	for _, k := range c.kept {
		sum += k.size
	}
	return sum
}

// files registers the files that a run can write at a safe point.
func (s *Steering) files(dir string, save, flow func(io.Writer) error) {
	if s.registry == nil {
		return
	}
	c := &checkpoints{dir: dir, save: save, most: keptCheckpoints, bytes: keptMegabytes}
	calls := []steer.Operation{steer.Call}
	s.add(steer.Object{Name: steer.CheckpointFunction, Type: steer.Text, Effect: steer.Monitor, Operations: calls,
		Doc: "saves the state under a name; returns the file"}, steer.Binding{Call: c.write})
	s.add(steer.Object{Name: "write_flow", Effect: steer.Monitor, Operations: calls,
		Doc: "writes the flow as it is now, in PLOT3D's form; returns the file"},
		steer.Binding{Call: func(context.Context, steer.Value) (steer.Value, error) {
			return steer.TextValue(FlowFile), atomic.Stream(filepath.Join(dir, FlowFile), flow)
		}})
	one, many := 1.0, 1000.0
	s.AddObject(steer.Object{Name: "checkpoints.keep", Type: steer.Int, Min: &one, Max: &many, Effect: steer.Monitor,
		Doc: "named checkpoints that are kept"}, steer.IntAt(&c.most))
	size := 1e6
	s.AddObject(steer.Object{Name: "checkpoints.megabytes", Type: steer.Int, Unit: "MB", Min: &one, Max: &size,
		Effect: steer.Monitor, Doc: "their size together at most"}, steer.IntAt(&c.bytes))
}
