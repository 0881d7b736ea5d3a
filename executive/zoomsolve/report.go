package zoomsolve

// Report of a zoom to an error for a case.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
)

func (z *roundsPlan) report(r *result.Result, out *result.ZoomResult, first bool) {
	out.Rounds = z.Round
	out.RunsPrior, out.CachedPrior, out.FailedPrior = z.RunsPriors()
	out.Priors = z.Corrected()
	at, c := z.of(z.estimatedAs(r)), z.of(r.Name)
	causes := at.causes
	out.Causes, out.Whole = &causes, at.whole
	if c.short {
		with := ""
		if out.Whole > 0 {
			with = fmt.Sprintf("%.2g %% with the other zoomed components; ", 100*out.Whole)
		}
		out.Short, out.Message = true, with+"the wanted error is not reached: "+z.why(c)
	}
	if c.next.gain > 0 {
		if inputs, err := z.Inputs(c.next.at); err == nil {
			out.Next = &result.NextRun{Inputs: inputs, Gain: c.next.gain}
		}
	}
	z.reportEnds(r, out, first)
}

// why returns the reason why no further run was made, with the limit of the runs if that is the reason.
func (z *roundsPlan) why(c *caseState) string {
	if over := z.overBudget(); over != "" {
		return over
	}
	if z.cfg.Most > 0 && z.Made() >= z.cfg.Most {
		return fmt.Sprintf("most: %d allows no further run", z.cfg.Most)
	}
	if n := len(z.total.Missing); n > 0 {
		return fmt.Sprintf("%d runs gave no answer", n)
	}
	if c.stuck > 0 {
		return fmt.Sprintf("the solver's runs settle to %.2g %% of it and no further", 100*c.stuck)
	}
	least := slices.MinFunc(z.goals, func(a, b config.Goal) int { return cmp.Compare(a.Error, b.Error) })
	if balance := c.causes.Balance; balance > least.Error {
		return fmt.Sprintf("mass and energy of the solver's runs balance to %.2g %% of it and no better", 100*balance)
	}
	return "its run at the operating point exists, and another run would repeat it"
}

// reportEnds adds the findings at the ends to a case's result. If first is set, the result also gets the notes for all
// cases.
func (z *roundsPlan) reportEnds(r *result.Result, out *result.ZoomResult, first bool) {
	var notes []string
	switch {
	case z.Ends == nil && first && !z.cfg.Ends.Off && machine.Gridded(z.Machine.Type):
		why := "no rule, limit or output names it; ends: true seeks the ends of the speed lines all the same"
		if z.cfg.Most > 0 && z.Made() >= z.cfg.Most {
			why = fmt.Sprintf("most: %d allows no further run", z.cfg.Most)
		}
		notes = append(notes, "no surge margin: "+why)
	case z.Ends != nil:
		out.RunsEnds, out.CachedEnds = z.Ends.Runs, z.Ends.Cached
		if z.response.HasStall() {
			smn := r.Components[z.cfg.Component].Value("SMN")
			out.SMNError = (100 + smn) * z.response.MarginError(z.point(r))
		}
	}
	if z.Ends != nil && first {
		for _, e := range z.Ends.Ends() {
			if e.Why != "" {
				notes = append(notes, fmt.Sprintf("%s end at %s: %s", e.Side(), lineOf(e), e.Why))
			}
		}
	}
	out.Message = message(append([]string{out.Message}, notes...)...)
}

// lineOf names the speed line of an end.
func lineOf(e zoom.End) string {
	line := fmt.Sprintf("%.1f %% of the design speed", 100*e.Nu)
	if e.Alpha != 0 {
		line += fmt.Sprintf(" and alpha %.4g deg", e.Alpha)
	}
	return line
}
