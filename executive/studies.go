package executive

// What zooming needs besides the engine: solvers, a host that runs them, a watchdog that
// reads their files, a cache that keeps their answers.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/local"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Launchers are those that the setting `launcher` may name.
func Launchers() launch.Registry { return launch.Registry{local.Name: local.Open} }

// Solvers are the flow solvers that a zoom may name: the built-in ones and those of the
// file in the settings. The error is a [*config.Errors] if something is wrong with that file.
func Solvers(settings config.Settings) (*solver.Registry, error) {
	var own []config.SolverProgram
	if settings.Solvers != "" {
		var err error
		if own, err = config.LoadSolvers(settings.Solvers, solver.Names()); err != nil {
			return nil, err
		}
	}
	serve := func(name string) ([]string, error) { return self(solverArg, name) }
	return solver.NewRegistry(serve, own, Launchers(), settings.Launcher), nil
}

// Catalogue describes all that an engine file may name: components, and solvers.
func Catalogue(solvers *solver.Registry) *config.Catalogue {
	cat := components.Catalogue()
	cat.Solvers = solvers.Names()
	return cat
}

// CheckZooms holds an engine's zooms against what their solvers say of themselves. A solver
// of the user's own is started for that.
func CheckZooms(ctx context.Context, cfg *config.Engine, solvers *solver.Registry) error {
	var errs []error
	for i := range cfg.Zooms {
		errs = append(errs, checkZoom(ctx, cfg, &cfg.Zooms[i], solvers))
	}
	return errors.Join(errs...)
}

func checkZoom(ctx context.Context, cfg *config.Engine, z *config.Zoom, solvers *solver.Registry) error {
	d, err := solvers.Describe(ctx, z.Solver)
	if err != nil {
		return fmt.Errorf("%s:%v: zoom of %s: %w", cfg.File, z.Pos, z.Component, err)
	}
	return CheckZoom(cfg, z, &d)
}

// Studies gives zoomed components their studies: one host, one watchdog and one cache for
// all of them, which it starts when the first study is needed. It is a Zoomer. The program's main
// function begins with Serve. Close it in the end.
type Studies struct {
	Settings config.Settings
	Solvers  *solver.Registry  // of these settings
	Observe  func(event.Event) // is shown every event of the runs, one at a time; may be nil
	Stray    func(event.Event) // is shown what the watchdog says of itself; may be nil
	Clock    clock.Clock       // default: the real one

	host    *run.Host
	hosting *hosting.Host // of the watchdog
	dog     *watchdog.Process
	cache   *perfmap.Cache
	ticks   sync.WaitGroup // of judges that are shown the time
	quit    chan struct{}
}

var _ Zoomer = (*Studies)(nil)

// NewStudies returns studies with these settings and their solvers.
func NewStudies(settings config.Settings) (*Studies, error) {
	solvers, err := Solvers(settings)
	if err != nil {
		return nil, err
	}
	return &Studies{Settings: settings, Solvers: solvers}, nil
}

// open starts what all studies share, once.
func (s *Studies) open(ctx context.Context) error {
	if s.dog != nil {
		return nil
	}
	s.Clock = clock.Or(s.Clock)
	cache, err := perfmap.OpenCache(s.Settings.Cache)
	if err != nil {
		return err
	}
	name := s.Clock.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%d", os.Getpid())
	host, err := run.NewHost(filepath.Join(s.Settings.Work, name), Launchers(), s.Settings.Launcher)
	if err != nil {
		return err
	}
	command, err := self(watchdogArg)
	if err != nil {
		return errors.Join(err, host.Close())
	}
	own := hosting.NewHost(filepath.Join(host.Folder(), local.CertificateDir))
	dog, err := watchdog.Start(ctx, watchdog.Config{Host: own, Command: command, Study: name, Clock: s.Clock})
	if err != nil {
		return errors.Join(err, host.Close(), own.Close())
	}
	s.cache, s.host, s.hosting, s.dog, s.quit = cache, host, own, dog, make(chan struct{})
	host.Follow(dog, s.Stray)
	return nil
}

// Close ends the host and the watchdog.
func (s *Studies) Close() error {
	if s.dog == nil {
		return nil
	}
	close(s.quit)
	s.ticks.Wait()
	err := s.host.Close()
	s.dog.Close()
	s.dog = nil
	return errors.Join(err, s.hosting.Close())
}

// Study implements Zoomer.
func (s *Studies) Study(ctx context.Context, z *config.Zoom, judge *Judge) (*run.Study, error) {
	if err := checkZoom(ctx, judge.Engine(), z, s.Solvers); err != nil {
		return nil, err
	}
	program, err := s.Solvers.Program(z.Solver)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	pool := &run.Pool{
		Host: s.host, Program: program, Study: filepath.Base(s.host.Folder()),
		Workers: s.Settings.Workers, Policy: run.DefaultPolicy(), Observe: s.Observe, Monitor: judge,
	}
	s.ticks.Go(func() { s.tick(judge) })
	return &run.Study{Pool: pool, Cache: s.cache, Rules: judge.Key()}, nil
}

// tick shows a judge the time, so that it notices runs of which nothing is heard.
func (s *Studies) tick(judge *Judge) {
	tick := s.Clock.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for run, why := range judge.Tick(now) {
				s.host.Halt(run, why)
			}
		case <-s.quit:
			return
		}
	}
}

// Keep writes maps that zooming made into the cache's folder, where `peregrine map` finds them.
func (s *Studies) Keep(maps map[string]result.ScaledMap) error {
	var errs []error
	for name, m := range maps {
		key, err := perfmap.NewKey(m.Map)
		if err != nil {
			return err
		}
		dir := filepath.Join(s.Settings.Cache, "maps")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		errs = append(errs, m.Map.Write(filepath.Join(dir, name+"-"+key.String()[:12]+".yaml")))
	}
	return errors.Join(errs...)
}
