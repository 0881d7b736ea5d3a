package predict

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/predict"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/makespan"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Limits of what is read of earlier studies.
const (
	mostAttempts = 20_000 // the latest
	mostStudies  = 20     // whose logs are read
)

// past is the attempts of earlier studies, and the logs of these as far as they were needed.
type past struct {
	attempts []predict.Measured // the latest first
	names    []string           // of their runs
	courses  map[string]*makespan.Course
	work     string
}

// readPast reads the latest attempts from the index of runs, with some of their settings. Defaults has the settings
// that a request of a solver has without a choice.
func readPast(cmd *cobra.Command, settings []string, defaults map[string]map[string]float64) (*past, error) {
	x, _, err := runs.Open(cmd)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	q := index.Query{Limit: mostAttempts}
	base := []string{"study", "run", "solver", "version", "class", "wall", "bytes", "follows", "ended"}
	if q.Fields, err = x.Fields().Choose(base); err != nil {
		return nil, err
	}
	q.Sort = []index.Sorting{{Field: q.Fields[len(base)-1], Descending: true}}
	settings = slices.DeleteFunc(slices.Clone(settings), func(name string) bool {
		f, err := x.Fields().Find("input." + name)
		if err == nil {
			q.Fields = append(q.Fields, f)
		}
		return err != nil // no run has it
	})
	rows, err := x.Find(cmd.Context(), q)
	if err != nil {
		return nil, err
	}
	text := func(x any) string { s, _ := x.(string); return s }
	number := func(x any) float64 { f, _ := x.(float64); return f }
	p := &past{courses: map[string]*makespan.Course{}, work: x.Work}
	for _, row := range rows {
		m := predict.Measured{Study: text(row[0]), Job: record.JobOf(text(row[1])), Solver: text(row[2]),
			Version: text(row[3]), Class: event.Class(text(row[4])), Wall: number(row[5]), Bytes: int64(number(row[6])),
			Settings: map[string]float64{}}
		stopped := m.Class == event.Killed && row[len(base)-2] != true // the user interrupted it: no retry followed
		if m.Class == index.Running || m.Class == index.Unknown || m.Class == run.NotRun || stopped {
			continue
		}
		maps.Copy(m.Settings, defaults[m.Solver])
		for i, name := range settings {
			if x, ok := row[len(base)+i].(float64); ok {
				m.Settings[name] = x
			}
		}
		p.attempts, p.names = append(p.attempts, m), append(p.names, text(row[1]))
	}
	return p, nil
}

// course returns the course of a study, if it is among the latest; nil: it is not, or it has no log.
func (p *past) course(study string) *makespan.Course {
	c, known := p.courses[study]
	if !known && len(p.courses) < mostStudies {
		c = courseOf(filepath.Join(p.work, study))
		p.courses[study] = c
	}
	return c
}

// rounds returns the numbers of runs of the rounds of earlier studies of an engine, by component and study. A study
// that its budget has ended is none.
func (p *past) rounds(engine string) map[string][][]int {
	earlier, seen := map[string][][]int{}, map[string]bool{}
	for _, m := range p.attempts {
		c := p.course(m.Study)
		if seen[m.Study] || c == nil || !c.Ended || c.Engine != engine {
			continue
		}
		seen[m.Study] = true
		toError := zoomedToError(filepath.Join(p.work, m.Study))
		of := map[string][]int{}
		for _, b := range c.Batches {
			runs := map[string]int{}
			for _, j := range b.Jobs {
				runs[j.Component]++
			}
			for name, n := range runs {
				if toError[name] {
					of[name] = append(of[name], n)
				}
			}
		}
		for name, list := range of {
			earlier[name] = append(earlier[name], list)
		}
	}
	return earlier
}

// zoomedToError returns the components of a study that were zoomed to an error; none if it has no results, or if its
// budget has ended it.
func zoomedToError(study string) map[string]bool {
	components := map[string]bool{}
	kept, err := report.ReadKept(study)
	if err != nil || kept == nil || kept.Results == nil {
		return nil
	}
	if b := kept.Results.Budget; b != nil && b.Message != "" {
		return nil
	}
	for _, c := range kept.Results.Cases {
		for name, z := range c.Zoom {
			components[name] = components[name] || z.Rounds > 0
		}
	}
	return components
}

// AddRounds adds the further rounds of zooms to an error to a plan, by earlier studies of the engine.
func AddRounds(cmd *cobra.Command, p *plan.Plan) error {
	_, err := pastOf(cmd, p)
	return err
}

// history is what earlier runs of some solvers took, without those of one study. The time that the executive and the
// workers added is from the logs of the studies.
func (p *past) history(engine string, solvers map[string]bool, without string) (h predict.History) {
	seen := map[string]bool{}
	for i, m := range p.attempts {
		if m.Study == without {
			continue
		}
		c := p.course(m.Study)
		if c != nil && !seen[m.Study] {
			h.Waits = append(h.Waits, c.Waits...)
			if c.Ended && c.Engine == engine {
				h.Executive = append(h.Executive, c.Executive())
			}
		}
		seen[m.Study] = true
		if !solvers[m.Solver] {
			continue
		}
		m.Measure(c, p.names[i])
		h.Attempts = append(h.Attempts, m)
	}
	return h
}

// estimate gives the runs of a graph times by earlier runs, without those of one study.
func (p *past) estimate(g *predict.Graph, c *predict.Cluster, without string) {
	solvers := map[string]bool{}
	for _, r := range g.Runs {
		solvers[r.Solver] = true
	}
	g.Estimate(p.history(g.Name, solvers, without), c)
}

// settingsOf lists the names of the settings of a graph's runs, and of those that requests have without a choice.
func settingsOf(g *predict.Graph, defaults map[string]map[string]float64) []string {
	names := map[string]bool{}
	for _, of := range defaults {
		for name := range of {
			names[name] = true
		}
	}
	for _, r := range g.Runs {
		for name := range r.Settings {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// courseOf reads the log of a study as far as it goes; nil: it has none.
func courseOf(folder string) *makespan.Course {
	events, _ := studylog.Read(folder)
	if len(events) == 0 {
		return nil
	}
	return makespan.CourseOf(events)
}

// pastOf reads the earlier attempts for a plan, and adds its further rounds by them.
func pastOf(cmd *cobra.Command, p *plan.Plan) (*past, error) {
	earlier, err := readPast(cmd, settingsOf(p.Graph, p.Defaults), p.Defaults)
	if err == nil && len(p.Later) > 0 {
		p.AddRounds(earlier.rounds(p.Name))
	}
	return earlier, err
}
