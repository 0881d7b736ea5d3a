package predict

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/runs"
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

// history is what earlier runs of some solvers took, without those of one study. The time that the executive and the
// workers added is from the logs of the studies.
func (p *past) history(engine string, solvers map[string]bool, without string) (h predict.History) {
	for i, m := range p.attempts {
		if m.Study == without {
			continue
		}
		c, known := p.courses[m.Study]
		if !known && len(p.courses) < mostStudies {
			c = courseOf(filepath.Join(p.work, m.Study))
			if p.courses[m.Study] = c; c != nil && c.Ended && c.Engine == engine {
				h.Executive = append(h.Executive, c.Executive())
			}
			if c != nil {
				h.Waits = append(h.Waits, c.Waits...)
			}
		}
		if !solvers[m.Solver] {
			continue
		}
		wall, workers := c.WorkerTime(p.names[i])
		m.Wall, m.Workers = cmp.Or(wall, m.Wall), workers
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
