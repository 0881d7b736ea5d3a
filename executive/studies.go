package executive

// What zooming needs besides the engine: solvers, a host that runs them, a watchdog that
// reads their files, a cache that keeps their answers.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
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
	Log      *studylog.Log     // of all events; default: one that shows them to nobody
	Stray    func(event.Event) // is shown what the watchdog says of itself; may be nil
	Clock    clock.Clock       // default: the real one
	Logger   *slog.Logger      // of what is done; default: nothing is logged

	folder  string // of the study; empty: not begun
	host    *run.Host
	hosting *hosting.Host // of the watchdog
	dog     *watchdog.Process
	cache   *cache.Cache
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
	s := &Studies{Settings: settings, Solvers: solvers}
	s.defaults()
	return s, nil
}

// defaults fills in what was left out.
func (s *Studies) defaults() {
	s.Clock = clock.Or(s.Clock)
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Log == nil {
		s.Log = studylog.New(s.Clock, func(event.Event) {})
	}
}

// Begin begins the study of an engine, or goes on with the one of that name, and keeps all events
// from now on in the log of its folder below the work folder. Without a name it is
// ENGINE-DATE-NUMBER. Version and command are for people. A study that is not begun begins with
// its first solver.
func (s *Studies) Begin(name string, cfg *config.Engine, version, command string) (err error) {
	s.defaults()
	var folder string
	if name == "" {
		base := strings.TrimSuffix(filepath.Base(cfg.File), filepath.Ext(cfg.File))
		folder, err = studylog.Make(s.Settings.Work, base, s.Clock.Now().UTC())
	} else {
		folder, err = studylog.Named(s.Settings.Work, name)
	}
	if err == nil {
		err = s.Log.Open(folder)
	}
	if err != nil {
		return err
	}
	s.folder = folder
	s.Logger.Info("study begins", "folder", s.folder)
	s.Record(event.Event{Kind: event.StudyBegun, Name: cfg.Name, File: cfg.File, Version: version, Text: command})
	return nil
}

// Record records an event.
func (s *Studies) Record(e event.Event) { s.Log.Record(e) }

// End records how the study ended and closes it, and what it started.
func (s *Studies) End(class event.Class, text string) error {
	err := s.stop()
	if s.folder == "" {
		return err
	}
	s.folder = ""
	s.Record(event.Event{Kind: event.StudyEnded, Class: class, Text: text})
	return errors.Join(err, s.Log.Close())
}

// harvestTime bounds what is done for answers of earlier studies before this one goes on.
const harvestTime = 10 * time.Second

// harvest fetches the answers of runs that finished without their host into the cache.
func (s *Studies) harvest(ctx context.Context, into *cache.Cache) {
	ctx, cancel := context.WithTimeout(ctx, harvestTime)
	defer cancel()
	runs, err := run.Harvest(ctx, s.Settings.Work, Launchers(), into)
	for _, r := range runs {
		s.Record(event.Event{Kind: event.Harvested, Run: r.Name, Class: r.Class, Folder: r.Folder, Wall: r.Wall.Seconds()})
	}
	if err != nil {
		s.Record(event.Event{Kind: event.Warning, Text: fmt.Sprintf("answers of earlier studies: %v", err)})
	}
}

// open starts what all solvers of a study share, once.
func (s *Studies) open(ctx context.Context) error {
	if s.dog != nil {
		return nil
	}
	kept, err := cache.Open(s.Settings.Cache)
	if err != nil {
		return err
	}
	s.harvest(ctx, kept)
	name := filepath.Base(s.folder)
	host, err := run.NewHost(s.folder, Launchers(), s.Settings.Launcher)
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
	s.cache, s.host, s.hosting, s.dog, s.quit = kept, host, own, dog, make(chan struct{})
	host.Follow(dog, s.Stray)
	return nil
}

// Close is End where nobody says how it ended.
func (s *Studies) Close() error { return s.End("", "") }

// stop ends the host and the watchdog.
func (s *Studies) stop() error {
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
	if s.folder == "" {
		if err := s.Begin("", judge.Engine(), "", ""); err != nil {
			return nil, err
		}
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	pool := &run.Pool{
		Host: s.host, Program: program, Study: filepath.Base(s.host.Folder()),
		Workers: s.Settings.Workers, Policy: run.DefaultPolicy(), Observe: s.Record, Monitor: judge, Clock: s.Clock, Logger: s.Logger,
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
		key, err := cache.NewKey(m.Map)
		if err != nil {
			return err
		}
		dir := filepath.Join(s.Settings.Cache, "maps")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		errs = append(errs, format.Write(filepath.Join(dir, name+"-"+key.String()[:12]+".yaml"), m.Map))
	}
	return errors.Join(errs...)
}
