package predict

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

func newCalibrate() *cobra.Command {
	return cli.WithJSON("print as JSON, SI units", &cobra.Command{
		Use: "calibrate", Short: "Show what forecasts know by earlier runs, and how they miss studies held out",
		Long: `Fit the times of each solver to the earlier runs: a start, the time of a cell and iteration, how
runs slow each other, failures. Each of the latest studies is then predicted by the others alone, and compared.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, defaults := builtinSettings()
			p, err := readPast(cmd, settings, defaults)
			if err != nil {
				return err
			}
			c, err := p.calibrate(cmd)
			if err != nil {
				return err
			}
			return cli.PrintValue(cmd, c, calibrationText)
		},
	})
}

// calibrate predicts each study whose solvers have runs in others, and fits all.
func (p *past) calibrate(cmd *cobra.Command) (*predict.Calibration, error) {
	studies, solvers := map[string]map[string]bool{}, map[string]bool{} // studies by solver
	for _, m := range p.attempts {
		if solvers[m.Solver] = true; studies[m.Solver] == nil {
			studies[m.Solver] = map[string]bool{}
		}
		studies[m.Solver][m.Study] = studies[m.Solver][m.Study] || m.Class == event.Converged
	}
	elsewhere := map[string]bool{} // studies, and whether others have runs of all of its solvers
	var names []string
	for _, m := range p.attempts {
		if _, known := elsewhere[m.Study]; !known {
			names, elsewhere[m.Study] = append(names, m.Study), true
		}
		others := false
		for name, answers := range studies[m.Solver] {
			others = others || answers && name != m.Study
		}
		elsewhere[m.Study] = elsewhere[m.Study] && others
	}
	var held []*predict.Comparison
	for _, name := range names {
		course := p.course(name)
		if course == nil || !course.Ended || !elsewhere[name] {
			continue
		}
		c, err := p.compare(cmd.Context(), name, course, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		held = append(held, c)
	}
	return predict.Calibrate(p.history("", solvers, ""), held), nil
}

func calibrationText(c *predict.Calibration) string {
	if len(c.Solvers) == 0 {
		return "no earlier runs\n"
	}
	var b strings.Builder
	value := func(x *predict.Estimated, scale float64, unit string) string {
		if x == nil {
			return "-"
		}
		deviation := "?"
		if x.Deviation != nil {
			deviation = fmt.Sprintf("%.2g", scale**x.Deviation)
		}
		return fmt.Sprintf("%.3g ± %s %s", scale*x.Value, deviation, unit)
	}
	rows := table.New("lrrrrr", "solver", "runs", "start", "cell, iteration", "for each other run", "files")
	errs := table.New("lrrrr", "measured over predicted", "runs held out", "10 %", "50 %", "90 %")
	for _, s := range c.Solvers {
		rows.Row(s.Solver, fmt.Sprint(s.Runs), value(s.Start, 1, "s"), value(s.Cell, 1e6, "us"),
			value(s.Slowing, 1e6, "us"), cli.Bytes(s.Bytes))
		if q := s.Ratio; q != nil {
			errs.Row(s.Solver, fmt.Sprint(s.HeldOut), fmt.Sprintf("%.3f", q.P10), fmt.Sprintf("%.3f", q.P50),
				fmt.Sprintf("%.3f", q.P90))
		}
	}
	b.WriteString(rows.String() + errs.String())
	for _, s := range c.Solvers {
		for _, f := range s.Failures {
			fmt.Fprintf(&b, "%s: %.2g %% of the attempts are %s, noticed after %s\n", s.Solver, 100*f.Rate, f.Class,
				cli.Took(f.Time))
		}
	}
	for _, s := range c.Studies {
		b.WriteString(besideText(s))
	}
	fmt.Fprintf(&b, "%d of %d studies ended between their 10 and 90 %%\n", c.Inside, len(c.Studies))
	for _, u := range c.Unknown {
		fmt.Fprintf(&b, "unknown: %s\n", u)
	}
	return b.String()
}
