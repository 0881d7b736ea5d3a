package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/perfmap/format"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// studies gives zoomed components their studies: one host, one watchdog and one
// cache for all of them. It is an executive.Zoomer.
type studies struct {
	settings config.Settings
	progress *progress

	host  *run.Host
	dog   *watchdog.Process
	cache *cache.Cache
	ticks sync.WaitGroup // of judges that are told the time
	quit  chan struct{}
}

// self is the command that starts this executable again under a hidden verb.
func self(args ...string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{exe, "serve"}, args...), nil
}

// open starts what all studies share, once.
func (s *studies) open(ctx context.Context) error {
	if s.dog != nil {
		return nil
	}
	if l := s.settings.Launcher; l != "local" {
		return badInput(fmt.Errorf("launcher %q is unknown; want local, which starts runs on this machine", l))
	}
	cache, err := cache.Open(s.settings.Cache)
	if err != nil {
		return badInput(err)
	}
	name := time.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%d", os.Getpid())
	host, err := run.NewHost(filepath.Join(s.settings.Work, name))
	if err != nil {
		return badInput(err)
	}
	dog, err := watch(ctx, host, name)
	if err != nil {
		return errors.Join(err, host.Close())
	}
	s.cache, s.host, s.dog, s.quit = cache, host, dog, make(chan struct{})
	host.Follow(dog, s.progress.stray)
	return nil
}

// watch starts the watchdog of a host.
func watch(ctx context.Context, host *run.Host, study string) (*watchdog.Process, error) {
	tls, err := host.Certificates().Host()
	if err != nil {
		return nil, err
	}
	command, err := self("watchdog")
	if err != nil {
		return nil, err
	}
	return watchdog.Start(ctx, watchdog.Config{Command: command, Env: host.Certificates().Environment(), TLS: tls, Study: study})
}

// tell tells a judge the time, so that it notices runs of which nothing is heard.
func tell(judge *executive.Judge, host *run.Host, quit <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for run, why := range judge.Tick(now) {
				host.Halt(run, why)
			}
		case <-quit:
			return
		}
	}
}

// Close ends the host and the watchdog.
func (s *studies) Close() error {
	var errs []error
	s.progress.done()
	if s.quit != nil {
		close(s.quit)
		s.ticks.Wait()
	}
	if s.host != nil {
		errs = append(errs, s.host.Close())
	}
	if s.dog != nil {
		errs = append(errs, s.dog.Close())
	}
	return errors.Join(errs...)
}

// Study implements executive.Zoomer.
func (s *studies) Study(ctx context.Context, z *config.Zoom, judge *executive.Judge) (*run.Study, error) {
	if err := checkZoom(judge.Engine(), z); err != nil {
		return nil, badInput(err)
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	command, err := self("solver", z.Solver)
	if err != nil {
		return nil, err
	}
	pool := &run.Pool{
		Host: s.host, Launcher: run.Launcher{Command: command}, Study: filepath.Base(s.host.Folder()),
		Workers: s.settings.Workers, Policy: run.DefaultPolicy(), Observe: s.progress.observe, Monitor: judge,
	}
	s.ticks.Go(func() { tell(judge, s.host, s.quit) })
	return &run.Study{Pool: pool, Cache: s.cache, Rules: judge.Key()}, nil
}

// keep writes maps that zooming made into the cache's folder, where `peregrine
// map` finds them.
func (s *studies) keep(maps map[string]result.ScaledMap) error {
	var errs []error
	for name, m := range maps {
		key, err := cache.NewKey(m.Map)
		if err != nil {
			return err
		}
		dir := filepath.Join(s.settings.Cache, "maps")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		errs = append(errs, format.Write(filepath.Join(dir, name+"-"+key.String()[:12]+".yaml"), m.Map))
	}
	return errors.Join(errs...)
}
