// Package ssh gets blocks of nodes from machines reached by the system's own ssh: each host of the launcher is a block
// of one node. Users, ports, keys, agents, jump hosts and Kerberos come from the user's configuration of ssh. ssh never
// asks for a password (BatchMode), and never accepts the unknown key of a host unseen.
//
//	Submit   picks the next free hosts; the rest is in the background
//	connect  one ssh for each block: the far end starts the command, or finds it, and ssh's standard input and output carry the connection
//	List     the blocks that this provider knows; for a study begun by another process, the answers of its hosts
//	Cancel   one more ssh, which ends the command
//
// # The far end
//
// A host needs a POSIX shell by the name of sh, and a home folder. ssh's command is "exec sh", for any login shell. The
// script is sent to the shell's standard input, so that no command line is longer than that. This executable is sent
// once for its content, to ~/.cache/peregrine/bin/SHA256, and serves there as package bridge; `program` of the hosts
// file names another one.
//
// A command outlives its connection, if the site lets it (systemd's KillUserProcesses does not): it has a session of
// its own, and the next connection finds it.
//
// # A host that fails
//
// A connection is tried three times, with pauses, or once if another host is free. Then the block has ended, with the
// reason that ssh prints, and the host gets no other block for a minute; after further failures for two and four
// minutes, and then never. A broken connection is retried until the command must have ended by itself.
package ssh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
)

// Provider has blocks from hosts.
type Provider struct {
	hosts  []hosts.Host
	caller caller
	brings program
	grace  time.Duration // time for which a command waits for its next connection
	clock  clock.Clock
	others *batchqueue.Queue // blocks of other processes

	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	links  map[string]*link // by block
	rests  map[string]rest  // hosts that have failed
	listed map[string][]string
}

// rest is the rest of a host that has failed.
type rest struct {
	times int
	until time.Time
	why   error
}

const (
	firstRest = time.Minute
	mostRests = 4
)

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Carrier  = (*Provider)(nil)
)

// New returns a provider of blocks, by a launcher's entry. The command of this machine starts a bridge, before its
// arguments; the launcher's program replaces its first word.
func New(l *hosts.Launcher, command []string, at clock.Clock) *Provider {
	p := &Provider{
		hosts: slices.Clone(l.Hosts), caller: caller{options: slices.Clone(l.Options), clock: clock.Or(at)},
		brings: program{command: command, there: l.Program},
		grace:  cmp.Or(l.Grace, agent.DefaultGrace), clock: clock.Or(at), links: map[string]*link{},
		rests: map[string]rest{}, listed: map[string][]string{},
	}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.others = batchqueue.NewQueue(at, 0, p.look)
	return p
}

// Submit implements [provider.Provider].
func (p *Provider) Submit(ctx context.Context, r provider.Request, blocks int) ([]string, error) {
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case r.Nodes != 1:
		return nil, fmt.Errorf("ssh: a block of %d nodes: it is one host", r.Nodes)
	}
	if err := r.Check(blocks); err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	free, living := p.free()
	if len(free) == 0 && !living {
		return nil, p.allFailed()
	}
	var ids []string
	for _, h := range free[:min(blocks, len(free))] {
		l := newLink(p, newName(r.Study, h.Name), h, r, bridge.Open)
		p.links[l.id] = l
		p.work.Go(l.keep)
		ids = append(ids, l.id)
	}
	return ids, nil
}

// free returns the hosts that have no block and do not rest, and whether any block lives. The caller holds the lock.
func (p *Provider) free() (free []*hosts.Host, living bool) {
	taken := map[string]bool{}
	for _, l := range p.links {
		if l.State().Phase != provider.Ended {
			taken[l.host.Name], living = true, true
		}
	}
	for i := range p.hosts {
		h := &p.hosts[i]
		r := p.rests[h.Name]
		if !taken[h.Name] && r.times < mostRests && !p.clock.Now().Before(r.until) {
			free = append(free, h)
		}
	}
	slices.SortStableFunc(free, func(a, b *hosts.Host) int {
		return cmp.Compare(p.rests[a.Name].times, p.rests[b.Name].times)
	})
	return free, living
}

// anotherFree reports whether some host could have a block at once.
func (p *Provider) anotherFree() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	free, _ := p.free()
	return len(free) > 0
}

// allFailed returns the reasons why no host is available. The caller holds the lock.
func (p *Provider) allFailed() error {
	errs := []error{errors.New("ssh: no host can be used")}
	for _, h := range p.hosts {
		if r := p.rests[h.Name]; r.why != nil {
			errs = append(errs, r.why)
		}
	}
	return errors.Join(errs...)
}

// noteHost notes how a host has served.
func (p *Provider) noteHost(name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.rests, name)
		return
	}
	r := p.rests[name]
	r.until = p.clock.Now().Add(firstRest << r.times)
	r.times++
	r.why = err
	p.rests[name] = r
}

// Resume implements [provider.Carrier].
func (p *Provider) Resume(r provider.Request, ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		h := p.hostOf(id)
		if h == nil || p.links[id] != nil {
			continue
		}
		l := newLink(p, id, h, r, bridge.Join)
		p.links[id] = l
		p.work.Go(l.keep)
	}
}

// hostOf returns the host of a block; nil: the hosts file no longer names it.
func (p *Provider) hostOf(id string) *hosts.Host {
	name, _, ok := cutID(id)
	i := slices.IndexFunc(p.hosts, func(h hosts.Host) bool { return h.Name == name })
	if !ok || i < 0 {
		return nil
	}
	return &p.hosts[i]
}

// List implements [provider.Provider]. It queries the hosts unless this provider has blocks of the study.
func (p *Provider) List(ctx context.Context, study string) ([]provider.State, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	states := map[string]provider.State{}
	p.mu.Lock()
	for id, l := range p.links {
		if l.request.Study == study {
			states[id] = l.State()
		}
	}
	p.mu.Unlock()
	if len(states) == 0 {
		others, err := p.others.List(ctx, studyMark(study))
		if err != nil {
			return nil, fmt.Errorf("ssh: %w", err)
		}
		return others, nil
	}
	return convert.All(slices.Sorted(maps.Keys(states)), func(id string) provider.State { return states[id] }), nil
}

// look queries all hosts for their living blocks. A host that does not answer keeps its earlier blocks. If none
// answers, look fails.
func (p *Provider) look(ctx context.Context) (map[string][]provider.State, error) {
	var work sync.WaitGroup
	errs := make([]error, len(p.hosts))
	for i := range p.hosts {
		work.Go(func() {
			if errs[i] = p.lookAt(ctx, &p.hosts[i]); errs[i] != nil && ctx.Err() == nil {
				p.noteHost(p.hosts[i].Name, errs[i])
			}
		})
	}
	work.Wait()
	if !slices.Contains(errs, nil) {
		return nil, errors.Join(errs...)
	}
	studies := map[string][]provider.State{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for host, names := range p.listed {
		for _, name := range names {
			mark := name[:markLength]
			studies[mark] = append(studies[mark],
				provider.State{ID: host + "-" + name, Phase: provider.Running, Nodes: []string{host}})
		}
	}
	return studies, nil
}

// listTime is the time limit for a host's list of blocks: the others wait for it.
const listTime = 15 * time.Second

// lookAt queries one host.
func (p *Provider) lookAt(ctx context.Context, h *hosts.Host) error {
	s, err := p.call(ctx, h.Name, bridge.List)
	if err != nil {
		return err
	}
	defer s.close()
	names := []string{}
	for {
		word, rest, err := s.answerWithin(listTime)
		switch {
		case err != nil:
			return err
		case word == bridge.Block && nameShape().MatchString(rest) && strings.HasPrefix(rest[markLength:],
			hostMark(h.Name)):
			names = append(names, rest)
		case word == bridge.Done, word == missing, word == foreign:
			// a program that was never there cannot have started a process
			p.mu.Lock()
			p.listed[h.Name] = names
			p.mu.Unlock()
			return nil
		}
	}
}

// Cancel implements [provider.Provider].
func (p *Provider) Cancel(ctx context.Context, id string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	h := p.hostOf(id)
	if h == nil {
		return nil // none of this launcher's
	}
	p.mu.Lock()
	l := p.links[id]
	p.mu.Unlock()
	if l != nil && l.cancel(ctx) {
		return nil
	}
	err := p.endCommand(ctx, id)
	if err != nil {
		p.noteHost(h.Name, err)
		err = fmt.Errorf("ssh: %w", err)
	}
	if l != nil {
		l.end("cancelled") // no further action is possible
	}
	return err
}

// endCommand has the far end end the command of a block.
func (p *Provider) endCommand(ctx context.Context, id string) error {
	host, name, _ := cutID(id)
	s, err := p.call(ctx, host, bridge.End, name)
	if err != nil {
		return err
	}
	_, _, err = s.answer()
	p.work.Go(s.close) // the far end waits for the end, and needs no ssh for that
	return err
}

// Close implements [provider.Provider]. Connections end, commands do not.
func (p *Provider) Close() error {
	p.stop()
	p.others.Close()
	p.work.Wait()
	return nil
}
