package report

// The results that a study has kept, for its page.

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// KeptFile is the file in a study's folder.
const KeptFile = studylog.ResultsName

// keptFormat is the version of the file that this program writes.
const keptFormat = 2

// keptLimit is far above the size for any study.
var keptLimit = intake.Limit{What: "the results that a study keeps", Bytes: 1 << 28}

// Kept is the results of a study.
type Kept struct {
	Format  int
	Written time.Time
	Flow    Flow
	Results *result.Results // of `run` and `zoom`; nil: no results
	History []KeptHistory   // of its transients
	Charts  []KeptChart
	Sweeps  []KeptSweep
}

// Flow is an engine's name and structure.
type Flow struct {
	Engine string
	event.Flow
}

// KeptHistory is a transient's history. A value that is missing is NaN.
type KeptHistory struct {
	Case    string
	T       []float64 // s
	Columns []KeptColumn
}

// KeptColumn is an output over time, SI units, speeds in rpm.
type KeptColumn struct {
	Path   string
	Dim    unit.Dimension
	Values []*float64 // nil: no value
}

// KeptChart is a map with operating points.
type KeptChart struct {
	Component string
	Of        string // the sweep, or the transient, whose way it shows; empty: the cases
	Zoomed    bool
	Values    *perfmap.Map `json:",omitempty"` // as read, until Draw has prepared it
	Map       []byte       `json:",omitempty"` // of format 1, in place of Values: in Peregrine's own map format
	Options   plot.Options

	prepared bool
}

// Draw returns the map and the plot options with its marks.
func (c *KeptChart) Draw() (m *perfmap.Map, _ plot.Options, err error) {
	switch {
	case c.prepared:
		return c.Values, c.Options, nil
	case c.Values == nil:
		m, err = format.Parse(c.Map, c.Component)
	default:
		m, err = perfmap.New(*c.Values)
	}
	if err == nil {
		c.Values, c.prepared = m, true
	}
	return m, c.Options, err
}

// Way names the sweep or the transient whose way the chart shows, and which of a sweep's operating lines. It is empty
// for a chart of the cases.
func (c *KeptChart) Way(k *Kept) string {
	line := strings.TrimPrefix(strings.TrimPrefix(c.Options.Title, k.Flow.Engine+": "+c.Component), ", ")
	if c.Of == "" || c.Of == line || line == "" {
		return c.Of
	}
	return c.Of + ", " + line
}

// NameOf returns the name of a chart, which no other of the results has.
func (k *Kept) NameOf(c *KeptChart) string {
	switch way := c.Way(k); {
	case way != "":
		return c.Component + " " + way
	case !c.Zoomed && slices.ContainsFunc(k.Charts,
		func(o KeptChart) bool { return o.Zoomed && o.Component == c.Component }):
		return c.Component + " without zoom"
	}
	return c.Component
}

// KeptSweep is a sweep.
type KeptSweep struct {
	Name    string
	Message string // why points did not converge; empty: all did
	Columns []SweepColumn
	Rows    []SweepRow
}

// SweepColumn is an axis or a collected quantity of a sweep.
type SweepColumn struct {
	Path string
	Dim  unit.Dimension
	Axis bool
}

// SweepRow is a point of a sweep; a value that is missing is nil.
type SweepRow struct {
	Values    []*float64
	Converged bool
	Message   string
}

// ReadKept reads the kept results of a study. The error is fs.ErrNotExist if the study has none.
func ReadKept(folder string) (*Kept, error) {
	path := filepath.Join(folder, KeptFile)
	var k Kept
	if err := readKept(path, &k); err != nil {
		return nil, err
	}
	if k.Format > keptFormat {
		return nil, fmt.Errorf(
			"%s has format %d and this program reads up to %d: use the newer Peregrine that wrote it", path, k.Format,
			keptFormat)
	}
	if k.Results != nil {
		k.Results.Cases = slices.DeleteFunc(k.Results.Cases, func(c *result.Result) bool { return c == nil })
		for _, c := range k.Results.Cases {
			maps.DeleteFunc(c.Zoom, func(_ string, z *result.ZoomResult) bool { return z == nil })
		}
	}
	return &k, nil
}

// ReadMap reads a map that KeepMap has stored.
func ReadMap(folder, file string) (*KeptChart, error) {
	if file != filepath.Base(file) || !strings.HasPrefix(file, studylog.MapPrefix) {
		return nil, fmt.Errorf("%q is no map that a study keeps", file)
	}
	var c KeptChart
	if err := readKept(filepath.Join(folder, file), &c); err != nil {
		return nil, err
	}
	return &c, nil
}

// readKept reads a file that a study keeps.
func readKept(path string, to any) error {
	data, err := intake.Read(path, keptLimit)
	if err == nil {
		if err = json.Unmarshal(data, to); err != nil {
			err = fmt.Errorf("%s is damaged: %w", path, err)
		}
	}
	return err
}
