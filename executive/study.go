package executive

// The study of a zoomed component.

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/zoomsolve"
	"github.com/peregrine-sim/peregrine/zoom/approve"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

var _ zoomsolve.Zoomer = (*Studies)(nil)

// Study implements Zoomer.
func (s *Studies) Study(ctx context.Context, z *config.Zoom, judge *rules.Judge) (*study.Study, error) {
	s.Solvers = SolversOf(judge.Engine(), s.Settings, s.Solvers)
	of, err := zoomsolve.SolverOf(ctx, judge.Engine(), z, s.Solvers)
	if err != nil {
		return nil, err
	}
	if s.folder == "" {
		if err := s.Begin("", judge.Engine(), "", ""); err != nil {
			return nil, err
		}
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	at, err := s.openSite(ctx, s.Settings.LauncherOf(z))
	if err != nil {
		return nil, err
	}
	pool := &pool.Pool{
		Runner: attempt.Runner{
			Host: at.host, Program: of.Program, Study: filepath.Base(s.folder), Limits: limitsOf(z), Monitor: judge,
			Anew: judge.EndsRuns(), Fresh: z.Fresh, Clock: s.Clock, Logger: s.Logger,
			Terms: plugin.Terms{Wait: at.waits}, Trace: cmp.Or(judge.Engine().Trace, s.Settings.Trace),
		},
		Licences: z.Licences, Workers: s.Settings.Workers, Policy: run.PolicyOf(z.Failures),
		Record: s.Log.Record, Budget: s.Budget,
	}
	pool.Live = s.steering.live
	s.steering.component(z)
	if err := s.steering.rules(judge); err != nil {
		return nil, err
	}
	if of.Licence != nil {
		pool.Licence, pool.Fresh = s.licence(of.Licence), true
	}
	if at.watchdog != nil { // its runs are on this machine
		pool.Cores = s.cores()
	}
	s.ticks.Go(func() { s.tick(judge, at.host) })
	return &study.Study{Pool: pool, Cache: s.cache, Description: of.Description, Verify: z.Verify, Rules: judge,
		Known: s.known(z), Match: z.Match, Remember: s.Settings.Remember}, nil
}

// licence returns the pool of a licence. Solvers that name the same licence share it.
func (s *Studies) licence(l *config.Licence) *licence.Pool {
	folder := cmp.Or(l.Folder, filepath.Join(s.Settings.Cache, "licences"))
	at := filepath.Join(folder, l.Name)
	if s.licences == nil {
		s.licences = map[string]*licence.Pool{}
	}
	if s.licences[at] == nil {
		s.licences[at] = &licence.Pool{Name: l.Name, Of: l.Of, Folder: folder, Free: l.Free, Clock: s.Clock}
	}
	return s.licences[at]
}

// cores returns the pool of this machine's cores, shared by all studies that use the same cache. A study with more
// workers than cores may use them all.
func (s *Studies) cores() *licence.Pool {
	if s.machine == nil {
		name, _ := os.Hostname()
		s.machine = &licence.Pool{
			Name: cmp.Or(name, "this machine"), Of: max(runtime.NumCPU(), s.Settings.Workers),
			Folder: filepath.Join(s.Settings.Cache, "cores"), Clock: s.Clock,
		}
	}
	return s.machine
}

// known lists the answers of earlier studies for a zoom; nil: none are to count.
func (s *Studies) known(z *config.Zoom) func(component, group string, there []string) []string {
	if !z.Earlier {
		return nil
	}
	return s.Log.Known
}

// limitsOf are the limits of each run of a zoom.
func limitsOf(z *config.Zoom) attempt.Limits {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	return attempt.Limits{
		Wall: seconds(z.Time), Start: zoomsolve.StartLimit(z), Hung: seconds(z.Limits.NoProgress),
		Allowance: launch.Allowance{Memory: z.Memory, Cores: z.Cores, Processes: z.Limits.Processes},
		Disk:      z.Limits.Disk, StudyDisk: z.Limits.StudyDisk, Log: z.Limits.Log,
		Events: z.Limits.Events, Reply: int(z.Limits.Reply),
	}
}

// tick gives a judge the time every second, for rules on runs that send no reports.
func (s *Studies) tick(judge *rules.Judge, host *attempt.Host) {
	tick := s.Clock.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			host.Beat()
			judge.Tick(now)
			judge.Deliver(host)
		case <-s.quit:
			return
		}
	}
}

// Solvers that an engine file brings along, and whether they may run.

// SolversOf returns the solvers for an engine: the solvers of the settings, and the solvers of its file, which start
// only if trusted.
func SolversOf(cfg *config.Engine, settings settings.Settings, solvers *solver.Registry) *solver.Registry {
	return solvers.With(cfg.Solvers, Trusted(settings))
}

// Trusted returns the store of the commands that solvers of engine files may run.
func Trusted(settings settings.Settings) *approve.Store {
	return &approve.Store{Folder: settings.Trusted}
}

// CheckTrust reports solvers of an engine file that its zooms need and no user has allowed to run:
// [*solver.UntrustedError].
func CheckTrust(cfg *config.Engine, solvers *solver.Registry) error {
	var errs []error
	for _, name := range zoomSolvers(cfg) {
		errs = append(errs, solvers.Trusted(name))
	}
	return errors.Join(errs...)
}

// zoomSolvers are the names of the solvers that an engine's zooms need.
func zoomSolvers(cfg *config.Engine) (names []string) {
	for _, z := range cfg.Zooms {
		names = append(names, z.Solver)
		for _, prior := range z.Priors {
			if prior.Text != config.PriorCoarse {
				names = append(names, prior.Text)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
