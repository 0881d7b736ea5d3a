package nodes

// The settings of a fleet, and the values that follow from its entry in the hosts file.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Config holds the settings of a fleet besides its study.
type Config struct {
	Hosts    *hosts.Launcher
	Open     func(*hosts.Launcher, clock.Clock) (provider.Provider, error)
	Relay    []string // command of this machine that starts a relay, before the path of its file
	Watchdog []string // command of this machine that starts a watchdog
	Terms    agent.Terms
	Clock    clock.Clock // default: the real clock

	// Accounts queries once, at the end, the blocks' use of resources from their owner; nil: no accounts.
	Accounts func(ctx context.Context, p provider.Provider, blocks []string) ([]event.Usage, error)
}

// leastCores returns the smallest number of cores of a node in the hosts file; 0: not given.
func (c *Config) leastCores() int {
	h := c.Hosts
	least := h.Cores
	for i, host := range h.Hosts {
		if n := cmp.Or(host.Cores, h.Cores); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// most returns the largest number of blocks at a time.
func (c *Config) most() int {
	if n := c.Hosts.Blocks; n > 0 {
		return n
	}
	return max(1, len(c.Hosts.Hosts))
}

// relayCommand returns the command that a node starts.
func (c *Config) relayCommand() []string {
	command := slices.Clone(c.Relay)
	if c.Hosts.Program != "" {
		command[0] = c.Hosts.Program
	}
	return command
}

// entry returns the entry of a node in the hosts file.
func (c *Config) entry(node string) (h hosts.Host) {
	for _, h := range c.Hosts.Hosts {
		if h.Name == node {
			return h
		}
	}
	return h
}

// studyName returns a provider's name for the study in a folder: its name, and a hash of the folder.
func studyName(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_.", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, filepath.Base(folder))
	return fmt.Sprintf("%.40s-%x", name, sum[:5])
}
