package executive

// A zoom needs, besides the engine, solvers, a host that runs them, a watchdog that reads their files, and a cache of
// their answers.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Solvers returns the flow solvers that a zoom can name: the built-in ones and the solvers of the file in the settings.
// The error is a [*document.Errors] if that file has errors.
func Solvers(settings settings.Settings) (*solver.Registry, error) {
	var programs []config.SolverProgram
	if settings.Solvers != "" {
		var err error
		if programs, err = config.LoadSolvers(settings.Solvers, solver.Names()); err != nil {
			return nil, err
		}
	}
	serve := solver.Serve{
		Builtin: func(name, code string) ([]string, error) { return selfCommand(solverArg, name, code) },
		External: func(file, digest string, files []string) ([]string, error) {
			return selfCommand(append([]string{externalArg, file, digest}, files...)...)
		},
	}
	return solver.NewRegistry(serve, programs, Launchers(), local.Name), nil
}

// Catalogue describes all that an engine file can name: components and solvers.
func Catalogue(solvers *solver.Registry) *config.Catalogue {
	cat := components.Catalogue()
	cat.Solvers, cat.Builtin = solvers.Names(), solver.Names()
	return cat
}

// Studies makes the studies of zoomed components. They share a host, a watchdog and a cache, which it starts for the
// first of them. It is a Zoomer. The program's main function must begin with Serve. Close it at the end.
type Studies struct {
	Settings settings.Settings
	Solvers  *solver.Registry  // of these settings
	Log      *studylog.Log     // of all events; default: a log without observer
	Stray    func(event.Event) // gets the watchdog's events that belong to no run; may be nil
	Clock    clock.Clock       // default: the real clock
	Logger   *slog.Logger      // default: discards everything
	Held     bool              // every run begins held, until `peregrine steer release`
	Budget   *pool.Budget      // nil: no limit

	folder   string                   // of the study; empty without a study
	sites    map[string]*site         // by launcher; nil: the study has begun no run
	licences map[string]*licence.Pool // by folder and name
	machine  *licence.Pool            // of its cores
	cache    *cache.Cache
	opening  sync.Mutex     // held while the study begins to be steered
	steering *steering      // nil: no running study
	ticks    sync.WaitGroup // goroutines that give judges the time
	quit     chan struct{}
}

// NewStudies returns studies with these settings and their solvers.
func NewStudies(settings settings.Settings) (*Studies, error) {
	solvers, err := Solvers(settings)
	if err != nil {
		return nil, err
	}
	s := &Studies{Settings: settings, Solvers: solvers}
	s.defaults()
	return s, nil
}

// defaults sets the fields that are missing.
func (s *Studies) defaults() {
	s.Clock = clock.Or(s.Clock)
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Log == nil {
		s.Log = studylog.New(s.Clock, func(event.Event) {})
	}
}

// Begin begins the study of an engine, or continues the study of that name. From then on the
// log in the study's folder, below the work folder, gets all events. An empty name means
// ENGINE-DATE-NUMBER. Version and command are text for the log. Without a call of Begin, a
// study begins with its first solver.
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
	if err == nil {
		err = record.HoldStart(folder, s.Held, command, s.Clock.Now().UTC())
	}
	if err != nil {
		return err
	}
	s.folder = folder
	s.Logger.Info("study begins", "folder", s.folder)
	flow := report.FlowOf(cfg)
	s.Record(event.Event{Kind: event.StudyBegun, Name: cfg.Name, File: cfg.File, Version: version, Text: command,
		Flow: &flow})
	return nil
}

// Folder is the folder of the running study, empty without a study.
func (s *Studies) Folder() string { return s.folder }

// Record records an event.
func (s *Studies) Record(e event.Event) { s.Log.Record(e) }

// End records how the study ended, closes it, and ends the host and the watchdog.
func (s *Studies) End(class event.Class, text string) error {
	err := s.stop()
	if s.folder == "" {
		return err
	}
	s.folder = ""
	s.Record(event.Event{Kind: event.StudyEnded, Class: class, Text: text})
	return errors.Join(err, s.Log.Close())
}

// harvestTime is the time limit for fetching answers of earlier studies.
const harvestTime = 10 * time.Second

// harvest puts the answers of runs that finished after their host had ended into the cache.
func (s *Studies) harvest(ctx context.Context, into *cache.Cache) {
	ctx, cancel := context.WithTimeout(ctx, harvestTime)
	defer cancel()
	runs, err := study.Harvest(ctx, s.Settings.Work, Launchers(), into)
	for _, r := range runs {
		s.Record(event.Event{Kind: event.Harvested, Run: r.Name, Class: r.Class, Folder: r.Folder,
			Wall: r.Wall.Seconds()})
	}
	if err != nil {
		s.Record(event.Event{Kind: event.Warning, Text: fmt.Sprintf("answers of earlier studies: %v", err)})
	}
}

// Spent returns the use of the study's budget, and the error that its results have reached; nil: it has no budget.
func (s *Studies) Spent(r *result.Results) *result.Budget {
	b := s.Budget
	if b == nil {
		return nil
	}
	is := b.State()
	out := &result.Budget{Used: is.Used / 3600, LeftOut: is.LeftOut, Stopped: is.Stopped, Message: is.Why}
	tenth := is.Used / 10
	if b.Cores >= 0 {
		out.CoreHours, tenth = new(b.Cores/3600), b.Cores/10
	}
	if !b.By.IsZero() {
		out.By = &b.By
	}
	out.Reach(r, tenth, b.Cost)
	return out
}

// OpenCache opens the cache of the settings, with the site's behind it.
func OpenCache(settings settings.Settings) (*cache.Cache, error) {
	if settings.Site == "" {
		return cache.Open(settings.Cache)
	}
	return cache.Open(settings.Cache, settings.Site)
}

// trim keeps the limit of the cache.
func (s *Studies) trim(c *cache.Cache) {
	if s.Settings.Limit <= 0 {
		return
	}
	removed, err := c.Trim(s.Settings.Limit, study.CostUnlessKept(s.Settings.Work))
	if len(removed) > 0 {
		s.Logger.Info("the cache was over its limit", "removed", len(removed))
	}
	if err != nil {
		s.Record(event.Event{Kind: event.Warning, Text: fmt.Sprintf("the limit of the cache: %v", err)})
	}
}

// forgetKeys removes the keys by which a study's processes are reached, if all its runs have ended.
func forgetKeys(ctx context.Context, folder string) error {
	keys := filepath.Join(folder, local.CertificateDir)
	if _, err := os.Stat(keys); err != nil {
		return nil
	}
	if some, err := record.AnyRunning(ctx, folder, Launchers()); some || err != nil {
		return err
	}
	return certificate.Remove(keys)
}

// hasKeys reports whether a study's folder has keys, complete or not: the study was not ended properly.
func hasKeys(folder string) bool {
	entries, _ := os.ReadDir(folder)
	return slices.ContainsFunc(entries,
		func(e os.DirEntry) bool { return strings.Contains(e.Name(), local.CertificateDir) })
}

// tidy removes temporary files of killed processes from the folders of a study and its runs.
func tidy(folder string) {
	atomic.Sweep(folder)
	certificate.Sweep(folder)
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if e.IsDir() {
			atomic.Sweep(filepath.Join(folder, e.Name()))
		}
	}
}

// forgetOld removes the keys and the temporary files of killed studies without running processes.
func (s *Studies) forgetOld(ctx context.Context) {
	names, err := studylog.List(s.Settings.Work)
	for _, name := range names {
		folder := filepath.Join(s.Settings.Work, name)
		if !hasKeys(folder) {
			continue
		}
		if folder != s.folder {
			_, ferr := studylog.Idle(folder, func() error {
				tidy(folder)
				return forgetKeys(ctx, folder)
			})
			err = errors.Join(err, ferr)
		}
	}
	if err != nil {
		s.Record(event.Event{Kind: event.Warning, Text: fmt.Sprintf("keys of earlier studies: %v", err)})
	}
}

// open opens the cache of a study, once.
func (s *Studies) open(ctx context.Context) error {
	if s.sites != nil {
		return nil
	}
	answers, err := OpenCache(s.Settings)
	if err != nil {
		return err
	}
	s.harvest(ctx, answers)
	s.trim(answers)
	s.forgetOld(ctx)
	s.cache, s.quit, s.sites = answers, make(chan struct{}), map[string]*site{}
	s.opening.Lock()
	defer s.opening.Unlock()
	return s.openSteering()
}

// Close is End without a class and a text.
func (s *Studies) Close() error { return s.End("", "") }

// stop ends the hosts and the watchdogs.
func (s *Studies) stop() error {
	var errs []error
	if s.steering != nil {
		errs = append(errs, s.steering.close())
		s.steering = nil
	}
	if s.sites != nil {
		close(s.quit)
		s.ticks.Wait()
		s.trim(s.cache)
		for _, name := range slices.Sorted(maps.Keys(s.sites)) {
			errs = append(errs, s.sites[name].close())
		}
		s.sites = nil
		tidy(s.folder)
	}
	if s.folder != "" {
		errs = append(errs, forgetKeys(context.Background(), s.folder))
	}
	return errors.Join(errs...)
}

// keepMap keeps the map of a component for the pages of the study, while it runs.
func (s *Studies) keepMap(component string, m result.ScaledMap, made *event.Ref) {
	if s == nil || s.folder == "" || made == nil {
		return
	}
	e := event.Event{Source: event.Executive, Kind: event.Chart, Cause: made, Component: component,
		File: fmt.Sprintf("%s%s-%d.json", studylog.MapPrefix, component, made.Seq)}
	if err := report.KeepMap(s.folder, e.File, component, m); err != nil {
		e = event.Event{Source: event.Executive, Kind: event.Warning, Cause: made, Component: component,
			Text: fmt.Sprintf("the page cannot show the map: %v", err)}
	}
	s.Log.Record(e)
}

// SaveMaps writes zoomed maps into the cache's folder, where `peregrine map` finds them.
func (s *Studies) SaveMaps(maps map[string]result.ScaledMap) error {
	if len(maps) == 0 {
		return nil
	}
	t, err := folder.MakeIn(s.Settings.Cache)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }() // it has no data
	dir := filepath.Join(s.Settings.Cache, "maps")
	if err := t.Make(dir); err != nil {
		return err
	}
	t.Sweep(dir)
	var errs []error
	for name, m := range maps {
		key, err := cache.NewKey(m.Map)
		if err != nil {
			return err
		}
		text, err := format.Text(m.Map)
		if err == nil {
			err = t.Write(filepath.Join(dir, name+"-"+key.String()[:12]+".yaml"), text, atomic.Sync)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
