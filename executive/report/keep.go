package report

// The results that a study keeps beside its log, for its page. They are written when a command ends. The page of the
// study can then be made later without the engine file and without solving.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

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
		s := KeptSweep{Name: r.Sweep.Name, Columns: sweepReport{r}.columns()}
		if r.Failed() > 0 {
			s.Message = sweepReport{r}.verdict()
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

// KeepMap stores the map of a zoomed component in the folder of a study that runs, under a name of studylog.MapPrefix.
func KeepMap(folder, file, component string, m result.ScaledMap) error {
	data, err := json.Marshal(KeptChart{Component: component, Zoomed: true, Values: m.Map,
		Options: optionsOf(component, m)})
	if err != nil {
		return fmt.Errorf("map of %s: %w", component, err)
	}
	return atomic.WriteFile(filepath.Join(folder, file), data)
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
