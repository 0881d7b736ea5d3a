package report

// The results that a study keeps beside its log, for its page. They are written when a command ends. The page of the
// study can then be made later without the engine file and without solving.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/numeric"
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
	data, err := intake.Read(path, keptLimit)
	if err != nil {
		return nil, err
	}
	var k Kept
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
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

// Keep stores results in the folder of a study, in place of an earlier command's results.
func Keep(folder string, cfg *config.Engine, r *result.Results, now time.Time) error {
	return keep(folder, cfg, now, func(k *Kept) {
		k.Results, k.History = r, nil
		var sweeps []KeptChart
		for _, c := range k.Charts {
			if slices.ContainsFunc(k.Sweeps, func(s KeptSweep) bool { return s.Name == c.Of }) {
				sweeps = append(sweeps, c)
			}
		}
		k.Charts = sweeps
		all := resultsReport{r}
		k.add("", all.charts())
		for _, c := range r.Cases {
			if c.History == nil {
				continue
			}
			k.History = append(k.History, keptHistory(c))
			k.add(c.Name, all.trajectories(c))
		}
	})
}

// KeepSweep stores a sweep in the folder of a study, in place of an earlier sweep of that name.
func KeepSweep(folder string, cfg *config.Engine, r *sweep.Result, now time.Time) error {
	return keep(folder, cfg, now, func(k *Kept) {
		s := KeptSweep{Name: r.Sweep.Name}
		if r.Failed() > 0 {
			s.Message = sweepReport{r}.verdict()
		}
		for i, q := range r.Sweep.Columns() {
			s.Columns = append(s.Columns, SweepColumn{sweepReport{r}.names()[i], q.Dim, i < len(r.Sweep.Over)})
		}
		for i := range r.Rows {
			row := &r.Rows[i]
			s.Rows = append(s.Rows, SweepRow{optional(row.Values), row.Converged, row.Message})
		}
		k.Sweeps = append(slices.DeleteFunc(k.Sweeps, func(o KeptSweep) bool { return o.Name == s.Name }), s)
		k.Charts = slices.DeleteFunc(k.Charts, func(c KeptChart) bool { return c.Of == s.Name })
		k.add(s.Name, sweepReport{r}.charts(unit.SI))
	})
}

// keep changes the kept results of a study. It replaces an unreadable file.
func keep(folder string, cfg *config.Engine, now time.Time, change func(*Kept)) error {
	k, err := ReadKept(folder)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return err
		}
		k = &Kept{}
	}
	k.Format, k.Written, k.Flow = keptFormat, now.UTC(), Flow{cfg.Name, FlowOf(cfg)}
	change(k)
	data, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("results of the study: %w", err)
	}
	return atomic.WriteFile(filepath.Join(folder, KeptFile), data)
}

// FlowOf returns the structure of an engine.
func FlowOf(cfg *config.Engine) event.Flow {
	var f event.Flow
	for i := range cfg.Components {
		f.Components = append(f.Components, event.FlowPart{Name: cfg.Components[i].Name,
			Type: cfg.Components[i].Type.Name})
	}
	for _, l := range cfg.Links {
		f.Links = append(f.Links, event.FlowLink{From: l.From.Component, Out: l.From.Port, To: l.To.Component,
			In: l.To.Port})
	}
	for _, list := range [][]config.ShaftEntry{cfg.Shafts, cfg.Buses} {
		for _, s := range list {
			shaft := event.FlowShaft{Name: s.Name}
			for _, e := range slices.Concat(s.DrivenBy, s.Drives) {
				shaft.Parts = append(shaft.Parts, e.Component)
			}
			f.Shafts = append(f.Shafts, shaft)
		}
	}
	return f
}

// keptHistory is a transient's history in the form that is kept.
func keptHistory(c *result.Result) KeptHistory {
	h := KeptHistory{Case: c.Name, T: c.History.T}
	for i, q := range c.History.Columns {
		h.Columns = append(h.Columns, KeptColumn{q.Path, q.Dim, optional(c.History.Values[i])})
	}
	return h
}

// optional turns values that are not finite into nil: JSON has none.
func optional(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i := range values {
		if numeric.Finite(values[i]) {
			out[i] = &values[i]
		}
	}
	return out
}

// add keeps charts, with the points on them that are finite.
func (k *Kept) add(of string, charts []Chart) {
	for _, c := range charts {
		c.Points = slices.DeleteFunc(slices.Clone(c.Points),
			func(p plot.Mark) bool { return !numeric.Finite(p.Wc) || !numeric.Finite(p.PR) })
		for i := range c.Points {
			if !numeric.Finite(c.Points[i].Eff) {
				c.Points[i].Eff = 0 // not drawn over efficiency
			}
		}
		k.Charts = append(k.Charts, KeptChart{Component: c.Component, Of: of, Zoomed: c.Name == c.Component+"-zoomed",
			Values: c.Map, Options: c.Options})
	}
}
