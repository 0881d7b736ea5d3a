package executive

// The runs of a study run on this machine, or on machines of launchers in the hosts file. Each launcher named by a zoom
// has a host and watches its files.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/command"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/nodes"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
)

// Launchers returns the launchers that find runs of earlier studies, under any name.
func Launchers() launch.Registry {
	return launch.Registry{local.Name: local.Open, launch.Any: func(study string) launch.Launcher {
		return nodes.New(study, nodes.Config{Hosts: &hosts.Launcher{}})
	}}
}

// launchersOf returns the launchers available to a study: this machine, and the launchers of the hosts file.
func launchersOf(settings settings.Settings, report func(event.Event), at clock.Clock) (launch.Registry, error) {
	all := Launchers()
	if settings.Hosts == "" {
		return all, nil
	}
	list, err := hosts.Load(settings.Hosts)
	if err != nil {
		return nil, err
	}
	self, err := selfCommand()
	if err != nil {
		return nil, err
	}
	for i := range list {
		l := &list[i]
		all[l.Name] = func(study string) launch.Launcher {
			f := newFleet(study, l, self, at)
			f.Report(report)
			return f
		}
	}
	return all, nil
}

// newFleet returns the fleet of a launcher for the study in a folder. Self is the command line that has this program
// serve.
func newFleet(study string, l *hosts.Launcher, self []string, at clock.Clock) *nodes.Fleet {
	command := func(arg string) []string { return append(slices.Clip(self), arg) }
	c := nodes.Config{Hosts: l, Open: openProvider, Relay: command(relayArg), Watchdog: command(watchdogArg), Clock: at}
	if l.Provider == hosts.Slurm {
		c.Accounts = slurmAccounts
	}
	return nodes.New(study, c)
}

// slurmAccounts returns the site's accounting of blocks; nil without accounting.
func slurmAccounts(ctx context.Context, p provider.Provider, blocks []string) (list []event.Usage, err error) {
	accounts, err := p.(*slurm.Provider).Accounts(ctx, blocks)
	if errors.Is(err, slurm.ErrNoAccounts) {
		return nil, nil
	}
	for _, a := range accounts {
		list = append(list, event.Usage{Block: a.ID, Node: strings.Join(a.Nodes, ","), Held: a.CoreTime.Hours(),
			Waited: a.Waited.Seconds()})
	}
	return list, err
}

// openProvider opens the provider of a launcher's blocks.
func openProvider(l *hosts.Launcher, at clock.Clock) (provider.Provider, error) {
	switch l.Provider {
	case hosts.Slurm:
		return slurm.New(l, at), nil
	case hosts.Command:
		return command.New(l, at)
	case hosts.SSH:
		command, err := selfCommand(bridgeArg)
		return ssh.New(l, command, at), err
	}
	return nil, fmt.Errorf("provider %s", l.Provider) // the hosts file's reader knows no other
}

// site is a launcher in use.
type site struct {
	host     *attempt.Host
	hosting  *hosting.Host // of the watchdog; nil: the launcher has its own
	watchdog *watchdog.Process
	waits    time.Duration // for which runs continue without a host
}

// localWait is how long runs on this machine continue without a host.
const localWait = 5 * time.Second

// openSite opens a launcher for the study.
func (s *Studies) openSite(ctx context.Context, launcher string) (*site, error) {
	if at := s.sites[launcher]; at != nil {
		return at, nil
	}
	all, err := launchersOf(s.Settings, s.Record, s.Clock)
	if err != nil {
		return nil, err
	}
	host, err := attempt.NewHost(s.folder, all, launcher)
	if err != nil {
		return nil, err
	}
	if s.Settings.LogLimit > 0 {
		host.LogLimit = s.Settings.LogLimit
	}
	at := &site{host: host, waits: localWait}
	if f, ok := host.Launcher.(*nodes.Fleet); ok {
		at.waits = f.Grace()
	}
	if w := host.Watches(); w != nil {
		host.Follow(w, s.Stray)
	} else if err := s.openWatchdog(ctx, at); err != nil {
		return nil, errors.Join(err, host.Close())
	}
	s.sites[launcher] = at
	return at, nil
}

// openWatchdog starts the watchdog of this machine.
func (s *Studies) openWatchdog(ctx context.Context, at *site) error {
	command, err := selfCommand(watchdogArg)
	if err != nil {
		return err
	}
	at.hosting = hosting.NewHost(filepath.Join(at.host.Folder(), local.CertificateDir))
	at.watchdog, err = watchdog.Start(ctx,
		watchdog.Config{Host: at.hosting, Command: command, Study: filepath.Base(s.folder), Clock: s.Clock})
	if err != nil {
		if ctx.Err() == nil {
			err = fault.Machine(err)
		}
		return errors.Join(err, at.hosting.Close())
	}
	at.host.Follow(at.watchdog, s.Stray)
	return nil
}

// close ends the host and the watchdog.
func (at *site) close() error {
	err := at.host.Close()
	if at.watchdog != nil {
		at.watchdog.Close()
		err = errors.Join(err, at.hosting.Close())
	}
	return err
}
