package zoomsolve

// The ends of a zoomed component's speed lines. They are sought after the operating points have settled, if a stall
// margin is used or the engine file requests them. In this search a run without a steady flow is an answer.

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/steady"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

// scaledMap implements plan: the map with the ends that were found.
func (z *roundsPlan) scaledMap(m *steady.Solver) func(context.Context) (result.ScaledMap, error) {
	scale := perfmap.Unscaled
	if user, ok := m.Index[z.cfg.Component].Component.(components.MapUser); ok && z.scaled() {
		_, scale, _ = user.Map()
	}
	response := z.response
	var ends []zoom.End
	if z.Ends != nil {
		ends = z.Ends.Ends()
	}
	return func(ctx context.Context) (result.ScaledMap, error) {
		made, bands, err := response.Chart(ctx)
		if err != nil {
			return result.ScaledMap{}, err
		}
		return result.ScaledMap{Map: made, Scale: scale, Bands: drawn(bands),
			Ends: foundEnds(ends, made.Design.Alpha)}, nil
	}
}

// wantsEnds reports whether the ends of the component's lines are to be sought.
func (z *roundsPlan) wantsEnds(e *config.Engine) bool {
	switch {
	case z.cfg.Ends.Off, !machine.Gridded(e.Component(z.cfg.Component).Type.Name):
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
		return slices.ContainsFunc(r.Conditions(), in) || in(r.Message)
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

// seekEnds implements plan.
func (z *roundsPlan) seekEnds(ctx context.Context, e *config.Engine, judge *rules.Judge,
	results, transients []*result.Result) (bool, error) {
	if !z.wantsEnds(e) {
		return false, nil
	}
	lines := z.endLines(results, z.targets(transients))
	left := z.cfg.Most - z.Made()
	if len(lines) == 0 || z.cfg.Most > 0 && left <= 0 {
		return true, nil
	}
	z.Ends = zoom.NewEnds(&z.Machine, z.Study, lines, z.cfg.Ends.Tolerance, z.cfg.Ends.Both)
	if z.cfg.Most > 0 {
		z.Ends.Most = left
	}
	for more := true; more; {
		z.Ends.Cause = z.cause
		var err error
		judge.HoldRuns()
		more, err = z.Ends.Make(ctx)
		judge.ReleaseRuns(z.Ends.FoundNoFlow)
		if err != nil {
			return true, z.mapped(err, zoom.Account{})
		}
	}
	response, err := z.Response()
	if err == nil {
		z.response = response
	}
	return true, z.mapped(err, z.Ends.Account())
}

// found implements plan: a run without a steady flow is a finding of the search for ends.
func (z *roundsPlan) found(run string) bool { return z.Ends != nil && z.Ends.FoundNoFlow(run) }

// lineSpacing is the distance of speed lines whose ends are sought, as a fraction of the design speed. settingSpacing,
// deg, is the distance of lines at one speed and different vane settings.
const (
	lineSpacing    = 0.01
	settingSpacing = 1.0
)

// endLines returns the speed lines of the cases and of further targets, in an order that does not depend on theirs.
// Each line has the operating point from which its ends are sought.
func (z *roundsPlan) endLines(results []*result.Result, further []machine.Target) []zoom.EndLine {
	var points []machine.RunPoint
	for _, r := range results {
		if r.Converged {
			points = append(points, z.point(r))
		}
	}
	for _, t := range further {
		points = append(points, z.Machine.PointOf(t))
	}
	slices.SortFunc(points, func(a, b machine.RunPoint) int {
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

// foundEnds are the ends that were found at a setting, deg, for pictures.
func foundEnds(ends []zoom.End, alpha float64) [][]plot.Mark {
	var stall, choke []plot.Mark
	for _, e := range ends {
		at := plot.Mark{Wc: e.Wc, PR: e.PR}
		switch {
		case e.Why != "" || math.Abs(e.Alpha-alpha) >= settingSpacing:
		case e.Stall:
			stall = append(stall, at)
		default:
			choke = append(choke, at)
		}
	}
	return slices.DeleteFunc([][]plot.Mark{stall, choke}, func(side []plot.Mark) bool { return len(side) == 0 })
}

// drawn are bands for pictures.
func drawn(bands []zoom.Band) (list []plot.Band) {
	points := func(side []components.Responded) (out []plot.Mark) {
		for _, v := range side {
			out = append(out, plot.Mark{Wc: v.Wc, PR: v.PR[0]})
		}
		return out
	}
	for _, b := range bands {
		list = append(list, plot.Band{Low: points(b.Low), High: points(b.High)})
	}
	return list
}
