package executive

// Whether the machines of the hosts file can make runs, before a study needs them.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/clock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// HostCheck is the input of a check of hosts.
type HostCheck struct {
	Settings  settings.Settings
	Launchers []hosts.Launcher
	Solvers   *solver.Registry
	Engine    *config.Engine // its zooms state their needs of a launcher; may be nil
	Within    time.Duration  // longest wait for nodes
	Clock     clock.Clock    // default: the real clock
}

// checkPrefix begins the names of the studies' folders. Lists of studies leave out names that begin with a point.
const checkPrefix = ".hosts-check-"

// CheckHosts checks this machine first, and then all launchers concurrently. It leaves no files behind. Each is called
// with the result of one machine or launcher, in their order.
func CheckHosts(ctx context.Context, c HostCheck, each func(nodes.Survey)) error {
	c.Clock = clock.Or(c.Clock)
	if err := private.MakeAll(c.Settings.Work); err != nil {
		return err
	}
	process.RemoveLeft(c.Settings.Work, checkPrefix)
	here := nodes.Survey{}
	c.folders(&here)
	subjects := c.subjects(ctx, &here)
	c.licences(ctx, &here)
	each(here)
	surveys := make([]chan nodes.Survey, len(c.Launchers))
	var work sync.WaitGroup
	for i := range c.Launchers {
		surveys[i] = make(chan nodes.Survey, 1)
		work.Go(func() { surveys[i] <- c.launcher(ctx, &c.Launchers[i], subjects) })
	}
	for _, s := range surveys {
		each(<-s)
	}
	work.Wait()
	return context.Cause(ctx)
}

// folders looks at the folders of this machine.
func (c *HostCheck) folders(s *nodes.Survey) {
	if why := CacheDoubt(c.Settings); why != "" {
		s.Add(nodes.Doubt, "cache", "keep the cache on a disk of this machine (--cache)", "%s", why)
		return
	}
	s.Add(nodes.Good, "cache", "", "%s: locks hold there", c.Settings.Cache)
}

// CacheDoubt returns the reason why locks in the cache's folder may fail; empty: no known reason.
func CacheDoubt(settings settings.Settings) string {
	folder := settings.Cache
	for {
		if _, err := os.Stat(folder); err == nil || filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder) // it will be made below
	}
	kind := process.FileSystemOf(folder)
	if !kind.Apart {
		return ""
	}
	return fmt.Sprintf("the cache's folder %s is on %s: locks there may not hold between machines, so that a point "+
		"may be computed twice, and licences be counted wrong", settings.Cache, kind.Name)
}

// subjects starts each solver on this machine, and returns the solvers that start.
func (c *HostCheck) subjects(ctx context.Context, s *nodes.Survey) (list []nodes.Subject) {
	for _, name := range c.Solvers.Names() {
		subject, err := c.startHere(ctx, name)
		if err != nil {
			s.Add(nodes.Trouble, "solver "+name, "see `peregrine plugin check` and `peregrine help solvers`",
				"does not start on this machine: %v", err)
			continue
		}
		s.Add(nodes.Good, "solver "+name, "", "%s %s starts in %d ms", subject.Description.Name,
			subject.Description.Version, subject.Here.Milliseconds())
		list = append(list, subject)
	}
	return list
}

// startHere starts a solver on this machine, and stops it.
func (c *HostCheck) startHere(ctx context.Context, name string) (s nodes.Subject, err error) {
	s.Name = name
	if s.Program, err = c.Solvers.Program(ctx, name); err != nil {
		return s, err
	}
	study, err := private.Temporary("check")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(study)) }()
	host, err := attempt.NewHost(study, Launchers(), local.Name)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	folder := filepath.Join(study, name)
	if err := private.Make(folder); err != nil {
		return s, err
	}
	began := c.Clock.Now()
	started, err := host.Start(ctx, s.Program, folder, plugin.Terms{}, attempt.Limits{})
	if err != nil {
		return s, err
	}
	s.Here, s.Description = clock.Since(c.Clock, began), started.Description
	started.Stop(time.Second)
	return s, nil
}

// licenceTime is how long a licence may take to be free.
const licenceTime = 5 * time.Second

// licences takes one of each licence of solvers, and returns it.
func (c *HostCheck) licences(ctx context.Context, s *nodes.Survey) {
	studies := &Studies{Settings: c.Settings, Clock: c.Clock}
	for _, name := range c.Solvers.Names() {
		l, err := c.Solvers.Licence(name)
		if err == nil && l == nil {
			continue
		}
		what, why := "licence of "+name, ""
		if err == nil {
			within, cancel := context.WithTimeout(ctx, licenceTime)
			var back func()
			if back, err = studies.licence(l).Take(within, func(text string) { why = text }); err == nil {
				back()
			}
			cancel()
		}
		switch {
		case err == nil:
			s.Add(nodes.Good, what, "", "%s: one is free", l.Name)
		case errors.Is(err, context.DeadlineExceeded) && why != "":
			s.Add(nodes.Doubt, what, "runs wait until one is free", "%s: none is free now: %s", l.Name, why)
		default:
			s.Add(nodes.Trouble, what, "see licence of the solver's entry", "%v", err)
		}
	}
}

// launcher checks one launcher, in a study of its own.
func (c *HostCheck) launcher(ctx context.Context, l *hosts.Launcher, subjects []nodes.Subject) (s nodes.Survey) {
	study, err := os.MkdirTemp(c.Settings.Work, checkPrefix+process.Self().Tag()+"-*")
	var self []string
	if err == nil {
		self, err = selfCommand()
	}
	if err == nil {
		s = newFleet(study, l, self, c.Clock).Inspect(ctx, c.Within, subjects)
		err = os.RemoveAll(study)
	}
	s.Launcher = l.Name
	if err != nil {
		s.Add(nodes.Trouble, "launcher", "see that the folder of --work can be written", "%v", err)
	}
	c.needs(l, &s)
	return s
}

// needs reports the zooms of the engine that need features missing from the launcher.
func (c *HostCheck) needs(l *hosts.Launcher, s *nodes.Survey) {
	if c.Engine == nil {
		return
	}
	for i := range c.Engine.Zooms {
		z := &c.Engine.Zooms[i]
		if len(z.Hosts) > 0 && !slices.ContainsFunc(z.Hosts, func(w document.Word) bool { return w.Text == l.Name }) {
			continue
		}
		for name, n := range z.Licences {
			if have := l.Licences[name]; have < n {
				s.Add(nodes.Trouble, "zoom "+z.Component,
					"say licences: {"+name+fmt.Sprintf(": %d} of the launcher", n),
					"each run needs %d of the licence %s, and a block has %d", n, name, have)
			}
		}
	}
}

// Describer returns the description of a solver by its name, as [solver.Registry.Describe] does.
type Describer func(ctx context.Context, solver string) (plugin.Description, error)

// CheckBlocks returns an error for each zoom whose launcher gives blocks less time than the shortest of its earlier
// runs has taken. A run that continues from checkpoints may take several blocks. From is the index of the runs.
func CheckBlocks(ctx context.Context, cfg *config.Engine, s settings.Settings, describe Describer,
	from index.Source) error {
	if s.Hosts == "" {
		return nil
	}
	list, err := hosts.Load(s.Hosts)
	if err != nil {
		return err
	}
	var errs []error
	for i := range cfg.Zooms {
		z := &cfg.Zooms[i]
		name := s.LauncherOf(z)
		at := slices.IndexFunc(list, func(l hosts.Launcher) bool { return l.Name == name && l.Time > 0 })
		if at >= 0 {
			errs = append(errs, checkBlock(ctx, z, &list[at], describe, from))
		}
	}
	return errors.Join(errs...)
}

// checkBlock is CheckBlocks for a zoom.
func checkBlock(ctx context.Context, z *config.Zoom, l *hosts.Launcher, describe Describer, from index.Source) error {
	d, err := describe(ctx, z.Solver)
	if err != nil || d.TakesRestart() { // zoomsolve.Check has the error
		return nil
	}
	took, err := shortest(ctx, z.Component, d.Name, from)
	if err != nil || took <= l.Time-provider.Warning(l.Time) {
		return err
	}
	return fmt.Errorf("%s:%v: launchers.%s.time: %v cannot hold a run of %s: with %s the shortest one took %v, and it "+
		"cannot go on from a checkpoint; give blocks more time", l.File, l.Pos, l.Name, l.Time, z.Component, d.Name,
		took.Round(time.Second))
}

// shortest returns the time of the shortest run with an answer of a component by a solver; 0: none is known.
func shortest(ctx context.Context, component, solver string, from index.Source) (time.Duration, error) {
	x, err := index.Open(ctx, from)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	where, err := x.Fields().Condition(fmt.Sprintf("class == %q && component == %q && solver == %q", "converged",
		component, solver))
	if err != nil {
		return 0, err
	}
	wall, err := x.Fields().Choose([]string{"wall"})
	if err != nil {
		return 0, err
	}
	rows, err := x.Find(ctx, index.Query{Where: where, Fields: wall, Sort: []index.Sorting{{Field: wall[0]}}, Limit: 1})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	seconds, _ := rows[0][0].(float64)
	return time.Duration(seconds * float64(time.Second)), nil
}
