package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/picture"
)

// groupings are the things that may have a row of a picture.
var groupings = []string{"process", "thread", "host", "run"}

// group analyses records with a row for each thing of groupings. A run is the value "run" of a process' records, else
// the process itself: in the log of a study each run is a process.
func group(records []trace.Record, by string) *trace.Stats {
	switch by {
	case "process":
		return trace.Analyse(records, nil)
	case "thread":
		return trace.Analyse(trace.ByThread(records), nil)
	}
	of := map[string]string{} // the group of each process
	for i := range records {
		r := &records[i]
		key := r.Host
		if by == "run" {
			key, _ = r.Values["run"].(string)
		}
		of[r.Process] = cmp.Or(of[r.Process], key)
	}
	return trace.Analyse(records, nil).Group(func(process string) string {
		if by == "run" {
			return cmp.Or(of[process], process)
		}
		return cmp.Or(of[process], "no host")
	})
}

// Arrangement chooses the processes of a picture, their places, and the network below them.
type Arrangement struct{ network, layout string }

// Add declares its flags.
func (a *Arrangement) Add(f *pflag.FlagSet) {
	f.StringVar(&a.network, "network", "", "`network` of the processes: a file, or "+
		strings.Join(network.Shapes(), ", ")+"; mesh:2x8 and mesh:2x8:gray choose rows and numbering")
	f.StringVar(&a.layout, "layout", "",
		"`file` with the processes to draw, one a line: PROCESS, or PROCESS X Y for its place in an animation")
}

// Apply reads the files of the flags into the options of a picture.
func (a *Arrangement) Apply(s *trace.Stats, o *picture.Options) (err error) {
	if a.layout != "" {
		if o.Rows, o.Places, err = readLayout(a.layout); err != nil {
			return err
		}
	}
	if a.network == "" {
		return nil
	}
	rows := o.Rows
	if rows == nil {
		rows = slices.Collect(maps.Keys(s.Processes))
	}
	_, processors := picture.Processors(rows, o.Rows == nil)
	o.Network, err = readNetwork(a.network, max(1, processors))
	return err
}

// readNetwork returns the network of a number of processors that a shape or a file names.
func readNetwork(name string, processors int) (*picture.Network, error) {
	n, err := picture.ParseShape(name, processors)
	if !errors.Is(err, picture.ErrShape) {
		return n, err
	}
	f, failed := intake.Open(name)
	if errors.Is(failed, fs.ErrNotExist) {
		return nil, fmt.Errorf("--network: no such file, and %w", err)
	}
	if failed != nil {
		return nil, failed
	}
	defer f.Close()
	g, err := network.Read(f, processors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &picture.Network{Graph: g}, nil
}

// mostLayout is the size of the largest file of a layout, bytes.
const mostLayout = 1 << 20

// readLayout reads the processes to draw, in order, and the places of those that have some.
func readLayout(path string) (rows []string, places map[string][2]float64, err error) {
	text, err := intake.Read(path, intake.Limit{What: "a layout", Bytes: mostLayout})
	if err != nil {
		return nil, nil, err
	}
	places = map[string][2]float64{}
	lines := map[string]int{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		name := words[0]
		if before := lines[name]; before > 0 {
			return nil, nil, fmt.Errorf("%s:%d: process %q is in line %d, too", path, number, name, before)
		}
		rows, lines[name] = append(rows, name), number
		switch len(words) {
		case 1:
		case 3:
			x, errX := strconv.ParseFloat(words[1], 64)
			y, errY := strconv.ParseFloat(words[2], 64)
			if errX != nil || errY != nil || !(math.Abs(x) < 1e9) || !(math.Abs(y) < 1e9) {
				return nil, nil, fmt.Errorf("%s:%d: the place %s %s is no two numbers", path, number, words[1],
					words[2])
			}
			places[name] = [2]float64{x, y}
		default:
			return nil, nil, fmt.Errorf("%s:%d: want PROCESS, or PROCESS X Y", path, number)
		}
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("%s: a layout without a process", path)
	}
	return rows, places, nil
}
