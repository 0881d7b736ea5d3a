package zoomsolve

// The ends of a zoomed component's speed lines. They are sought after the operating points are settled, where something
// names a stall margin or the engine file wants them. A run that finds no steady flow is an answer there.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
)

// settleEnds seeks the ends of all zooms that want them, at the speeds of steady results and of the ends of
// transients. It returns the engine with them, and its results.
func (s *zooming) settleEnds(ctx context.Context, all []componentZoom, m *steady.Solver, names []string, results,
	transients []*result.Result, workers int) (*steady.Solver, []*result.Result, error) {
	sought := false
	for _, c := range all {
		z, ok := c.(*roundsZoom)
		if !ok || !z.wantsEnds(s.Engine) {
			continue
		}
		if err := s.seekEnds(ctx, z, results, transients); err != nil {
			return nil, nil, err
		}
		sought = true
	}
	if !sought {
		return m, results, nil
	}
	m, err := s.withMaps(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	if results, err = s.SolveFrom(ctx, m, names, workers, true); err != nil {
		return nil, nil, err
	}
	s.recordRound(all, results)
	return m, results, nil
}

// scaledMap implements componentZoom: the map with the ends that were found.
func (z *roundsZoom) scaledMap(m *steady.Solver) (result.ScaledMap, error) {
	made, bands, err := z.response.Chart()
	if err != nil {
		return result.ScaledMap{}, err
	}
	scale := perfmap.Unscaled
	if z.scaled() {
		_, scale, _ = m.Index[z.cfg.Component].Component.(components.MapUser).Map()
	}
	return result.ScaledMap{Map: made, Scale: scale, Bands: drawn(bands), Ends: z.foundEnds(made.Design.Alpha)}, nil
}

// wantsEnds reports whether the ends of the component's lines are to be sought.
func (z *roundsZoom) wantsEnds(e *config.Engine) bool {
	switch {
	case z.cfg.Ends.Off, !zoom.Gridded(e.Component(z.cfg.Component).Type.Name):
		return false
	case z.cfg.Ends.Both:
		return true
	}
	return namesMargin(e, z.cfg.Component)
}

// namesMargin reports whether an engine names a component's stall margin: in a rule, a limit, a target, a control, or
// among the outputs of a transient or a sweep.
func namesMargin(e *config.Engine, component string) bool {
	in := regexp.MustCompile(`(^|[^\w.])(` + regexp.QuoteMeta(component) + `|component)\s*\.\s*SM[NW]\b`).MatchString
	return slices.ContainsFunc(e.Rules, func(r config.Rule) bool {
		return slices.ContainsFunc(r.Conditions(), in) ||
			in(r.Message)
	}) ||
		slices.ContainsFunc(pathsOf(e),
			func(path string) bool { return path == component+".SMN" || path == component+".SMW" })
}

// pathsOf lists the outputs that an engine names, other than in rules.
func pathsOf(e *config.Engine) (list []string) {
	limits := func(all []config.Limit) {
		for _, l := range all {
			list = append(list, l.Path)
		}
	}
	balances := func(all []config.Balance) {
		for _, b := range all {
			list = append(list, b.Until)
		}
	}
	quantities := func(all []config.Quantity) {
		for _, q := range all {
			list = append(list, q.Path)
		}
	}
	limits(e.Limits)
	balances(e.Design)
	for _, c := range e.Cases {
		limits(c.Limits)
		balances(c.Solve)
		if c.Transient != nil {
			quantities(c.Transient.Save)
			for _, p := range c.Transient.Plot {
				quantities(p)
			}
		}
	}
	for i := range e.Sweeps {
		quantities(e.Sweeps[i].Columns())
		balances(e.Sweeps[i].Solve)
	}
	for _, c := range e.Controls {
		for _, in := range c.In {
			list = append(list, in.Path)
		}
	}
	return list
}

// seekEnds makes the runs for the ends of a component's lines.
func (s *zooming) seekEnds(ctx context.Context, z *roundsZoom, results, transients []*result.Result) error {
	lines := z.endLines(results, z.targets(transients))
	left := z.cfg.Most - len(z.rounds.Outcomes)
	if len(lines) == 0 || z.cfg.Most > 0 && left <= 0 {
		return nil
	}
	z.ends = zoom.NewEnds(&z.rounds.Machine, z.rounds.Study, lines, z.cfg.Ends.Tolerance, z.cfg.Ends.Both)
	if z.cfg.Most > 0 {
		z.ends.Most = left
	}
	z.noFlow = z.ends.FoundNoFlow
	for more := true; more; {
		z.ends.Cause = z.cause
		var err error
		s.judge.HoldRuns()
		more, err = z.ends.Make(ctx)
		s.judge.ReleaseRuns(z.ends.FoundNoFlow)
		z.account()
		if err != nil {
			return err
		}
	}
	response, err := z.rounds.WithEnds(z.ends)
	if err != nil {
		return &NoZoomError{z.cfg.Component, err}
	}
	z.response = response
	m := z.record(event.Event{
		Source: event.Executive, Kind: event.Map, Cause: lastEnd(z.ends.Outcomes), Name: z.response.Name(),
		Component: z.cfg.Component,
		Values: map[string]float64{"runs": float64(z.ends.Runs), "cached": float64(z.ends.Cached),
			"failed": float64(z.ends.Failed)},
	})
	z.made = m.Ref()
	return nil
}

// lineSpacing is the distance of speed lines of which ends are sought, as a fraction of the design's speed, and
// settingSpacing, deg, that of those of one speed at different settings of vanes.
const (
	lineSpacing    = 0.01
	settingSpacing = 1.0
)

// endLines are the speed lines at which the cases work, and those of further targets, whatever their order, with the
// operating points from which the ends are sought.
func (z *roundsZoom) endLines(results []*result.Result, further []zoom.Target) []zoom.EndLine {
	var points []zoom.Point
	for _, r := range results {
		if r.Converged {
			points = append(points, z.point(r))
		}
	}
	for _, t := range further {
		points = append(points, z.rounds.Machine.PointOf(t))
	}
	slices.SortFunc(points, func(a, b zoom.Point) int {
		return cmp.Or(cmp.Compare(a.Nu, b.Nu), cmp.Compare(a.Alpha, b.Alpha), cmp.Compare(a.Kappa, b.Kappa))
	})
	var lines []zoom.EndLine
	for _, p := range points {
		near := func(l zoom.EndLine) bool {
			return p.Nu-l.Nu < lineSpacing && math.Abs(p.Alpha-l.Alpha) < settingSpacing
		}
		if !slices.ContainsFunc(lines, near) {
			lines = append(lines, z.response.EndLine(p))
		}
	}
	return lines
}

// reportEnds adds what was found at the ends to a case's result. First is the first case, where what holds for all is
// said.
func (z *roundsZoom) reportEnds(r *result.Result, out *result.ZoomResult, first bool) {
	var notes []string
	switch {
	case z.ends == nil && first && !z.cfg.Ends.Off && zoom.Gridded(z.rounds.Machine.Type):
		why := "no rule, limit or output names it; ends: true seeks the ends of the speed lines all the same"
		if z.cfg.Most > 0 && len(z.rounds.Outcomes) >= z.cfg.Most {
			why = fmt.Sprintf("most: %d allows no further run", z.cfg.Most)
		}
		notes = append(notes, "no surge margin: "+why)
	case z.ends != nil:
		out.RunsEnds, out.CachedEnds = z.ends.Runs, z.ends.Cached
		if z.response.HasStall() {
			smn := r.Components[z.cfg.Component].Value("SMN")
			out.SMNError = (100 + smn) * z.response.MarginError(z.point(r))
		}
	}
	if z.ends != nil && first {
		for _, e := range z.ends.Ends() {
			if e.Why != "" {
				notes = append(notes, fmt.Sprintf("%s end at %s: %s", e.Side(), lineOf(e), e.Why))
			}
		}
	}
	if len(notes) > 0 {
		out.Message = strings.Join(
			append(slices.DeleteFunc([]string{out.Message}, func(s string) bool { return s == "" }), notes...), "; ")
	}
}

// lineOf names the speed line of an end.
func lineOf(e zoom.End) string {
	line := fmt.Sprintf("%.1f %% of the design speed", 100*e.Nu)
	if e.Alpha != 0 {
		line += fmt.Sprintf(" and alpha %.4g deg", e.Alpha)
	}
	return line
}

// foundEnds are the ends that were found at a setting, deg, for pictures.
func (z *roundsZoom) foundEnds(alpha float64) [][]plot.Point {
	if z.ends == nil {
		return nil
	}
	var stall, choke []plot.Point
	for _, e := range z.ends.Ends() {
		at := plot.Point{Wc: e.Wc, PR: e.PR}
		switch {
		case e.Why != "" || math.Abs(e.Alpha-alpha) >= settingSpacing:
		case e.Stall:
			stall = append(stall, at)
		default:
			choke = append(choke, at)
		}
	}
	return slices.DeleteFunc([][]plot.Point{stall, choke}, func(side []plot.Point) bool { return len(side) == 0 })
}

// drawn are bands for pictures.
func drawn(bands []zoom.Band) (list []plot.Band) {
	points := func(side []components.Responded) (out []plot.Point) {
		for _, v := range side {
			out = append(out, plot.Point{Wc: v.Wc, PR: v.PR[0]})
		}
		return out
	}
	for _, b := range bands {
		list = append(list, plot.Band{Low: points(b.Low), High: points(b.High)})
	}
	return list
}
