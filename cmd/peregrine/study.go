package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
)

// studies gives zoomed components their studies: one host, one watchdog and one
// cache for all of them. It is an executive.Zoomer.
type studies struct {
	settings config.Settings
	progress *progress

	host  *zoom.Host
	dog   *watchdog.Process
	cache *perfmap.Cache
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
func (s *studies) open(ctx context.Context) (err error) {
	if s.host != nil {
		return nil
	}
	if s.cache, err = perfmap.OpenCache(s.settings.Cache); err != nil {
		return badInput(err)
	}
	name := time.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%d", os.Getpid())
	if s.host, err = zoom.NewHost(filepath.Join(s.settings.Work, name)); err != nil {
		return badInput(err)
	}
	tls, err := s.host.Certificates().Host()
	if err != nil {
		return err
	}
	command, err := self("watchdog")
	if err != nil {
		return err
	}
	s.dog, err = watchdog.Start(ctx, watchdog.Config{Command: command, Env: s.host.Certificates().Environment(), TLS: tls, Study: name})
	if err != nil {
		return err
	}
	s.host.Follow(s.dog, s.progress.stray)
	return nil
}

// Close ends the host and the watchdog.
func (s *studies) Close() error {
	var errs []error
	if s.host != nil {
		errs = append(errs, s.host.Close())
	}
	if s.dog != nil {
		errs = append(errs, s.dog.Close())
	}
	return errors.Join(errs...)
}

// Study implements executive.Zoomer.
func (s *studies) Study(ctx context.Context, z *config.Zoom) (*zoom.Study, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	command, err := self("solver", z.Solver)
	if err != nil {
		return nil, err
	}
	pool := &zoom.Pool{
		Host: s.host, Launcher: zoom.Launcher{Command: command}, Study: filepath.Base(s.host.Folder()),
		Workers: s.settings.Workers, Policy: zoom.DefaultPolicy(), Observe: s.progress.observe,
	}
	return &zoom.Study{Pool: pool, Cache: s.cache}, nil
}

// progress writes a line per run as it ends.
type progress struct{ out *os.File }

func (p *progress) observe(e event.Event) {
	if e.Kind == event.Ended && e.Source == event.Host {
		how := ""
		if e.Values["cached"] != 0 {
			how = " (from the cache)"
		}
		fmt.Fprintf(p.out, "%s: %s%s\n", e.Run, e.Text, how)
	}
}

func (p *progress) stray(e event.Event) {
	fmt.Fprintf(p.out, "watchdog: %s\n", e.Text)
}
