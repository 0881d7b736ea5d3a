// Package command gets blocks of nodes from any engine that has commands for it. The entry of a hosts file defines how
// a block is submitted, listed and cancelled.
//
//	submit  a program and its arguments with {placeholders}, called once for each block; it prints the engine's ID of the block
//	list    prints all blocks, each on a line that the regular expression `line` matches, with its groups id, state and perhaps name, reason, node
//	cancel  ends the block {id}, or {name}
//
// They are run without a shell, unless the entry itself names one.
//
// # Names
//
// An ID of this package is a name that it makes, {name}: 15 characters, the first a letter, the others letters and
// digits in lower case, which every engine accepts as the name of a job. Six of them are the mark of the study, so that
// another process finds a study's blocks in the output of list: the name is in the group `name` of `line`, or in `id`
// if `line` has no such group. The engine's own ID is only for {id}.
//
// # The start of a block
//
// {script} is a file of POSIX shell in the request's folder, which sets the variables and becomes the command. The
// engine must start it once on each of {nodes} nodes; the request's folder must exist there. PEREGRINE_ENDS counts from
// the start of the script; PEREGRINE_NODE and PEREGRINE_RESTARTS are left to the engine's template.
//
// [batchqueue.Queue] documents how often list is called, and the meaning of a block missing in its output.
package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// Provider has blocks from an engine by commands.
type Provider struct {
	submit, list, cancel template
	id                   *regexp.Regexp
	lines                lines
	caller               batchqueue.Caller
	queue                *batchqueue.Queue

	mu  sync.Mutex
	ids map[string]string // the engine's IDs by name, as far as known
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider of blocks, by a launcher's entry. The error names the invalid expressions.
func New(l *hosts.Launcher, at clock.Clock) (*Provider, error) {
	p := &Provider{submit: template{"submit", l.Submit}, list: template{"list", l.List},
		cancel: template{"cancel", l.Cancel},
		ids:    map[string]string{}, lines: lines{phases: map[string]provider.Phase{}}}
	var err error
	if l.ID != "" {
		p.id, err = regexp.Compile(l.ID)
		if err == nil && p.id.NumSubexp() < 1 {
			err = fmt.Errorf("id: %q has no group for the ID", l.ID)
		}
	}
	if err := errors.Join(err, p.lines.parse(l)); err != nil {
		return nil, fmt.Errorf("%s: launcher %s: %w", l.File, l.Name, err)
	}
	p.queue = batchqueue.NewQueue(at, l.Interval, p.look)
	return p, nil
}

// Submit implements [provider.Provider]. When the command does not answer in time, or fails, the engine may have
// accepted the block nevertheless: List finds it.
func (p *Provider) Submit(ctx context.Context, r provider.Request, blocks int) (ids []string, err error) {
	if err := r.Check(blocks); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	for range blocks {
		name := newName(r.Study)
		if err := p.submitOne(ctx, r, name); err != nil {
			return ids, provider.Refused(fmt.Errorf("command: %w", err))
		}
		ids = append(ids, name)
	}
	return ids, nil
}

func (p *Provider) submitOne(ctx context.Context, r provider.Request, name string) error {
	path := filepath.Join(r.Folder, name+".sh") // it is kept: engines read it when the block begins
	words, err := p.submit.fill(requestValues(r, name, path))
	if err != nil {
		return err
	}
	if err := atomic.WriteFile(path, []byte(script(r, name)), atomic.Mode(0o700)); err != nil {
		return err
	}
	out, err := p.caller.Ask(ctx, r.Folder, words...)
	if err != nil {
		p.queue.Doubt()
		return err // the script stays: the engine may have accepted the block nevertheless
	}
	id, err := p.idIn(out)
	if err != nil {
		p.queue.Doubt()
		return err
	}
	p.mu.Lock()
	p.ids[name] = id
	p.mu.Unlock()
	p.queue.Submitted(mark(r.Study), name)
	return nil
}

// idIn finds the engine's ID of a block in the output of submit.
func (p *Provider) idIn(printed string) (string, error) {
	if p.id == nil {
		if words := strings.Fields(printed); len(words) > 0 {
			return words[len(words)-1], nil
		}
	} else if found := p.id.FindStringSubmatch(printed); found != nil && found[1] != "" {
		return found[1], nil
	}
	return "", fmt.Errorf("submit printed %.200q, in which there is no ID of a block", printed)
}

// List implements [provider.Provider].
func (p *Provider) List(ctx context.Context, study string) ([]provider.State, error) {
	states, err := p.queue.List(ctx, mark(study))
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	return states, nil
}

// look asks for all blocks.
func (p *Provider) look(ctx context.Context) (map[string][]provider.State, error) {
	words, err := p.list.fill(userValues())
	if err != nil {
		return nil, err
	}
	out, err := p.caller.Ask(ctx, "", words...)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	studies := map[string][]provider.State{}
	for _, b := range p.lines.find(out) {
		p.ids[b.State.ID] = b.engineID
		key := studyOf(b.State.ID)
		studies[key] = append(studies[key], b.State)
	}
	return studies, nil
}

// TryList implements [provider.Reader].
func (p *Provider) TryList(ctx context.Context) (t provider.ListTrial, err error) {
	words, err := p.list.fill(userValues())
	if err != nil {
		return t, err
	}
	out, err := p.caller.Ask(ctx, "", words...)
	if err != nil {
		return t, fmt.Errorf("command: %w", err)
	}
	for _, line := range strings.Split(out, "\n") {
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		t.Lines++
		t.Last = line
		if p.lines.line.MatchString(line) {
			t.Matched++
		}
	}
	for _, b := range p.lines.find(out) {
		t.Blocks = append(t.Blocks, b.State)
	}
	return t, nil
}

// Cancel implements [provider.Provider]. If the command fails, the list shows whether the block still exists.
func (p *Provider) Cancel(ctx context.Context, id string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !nameShape().MatchString(id) {
		return nil // no block of this package's
	}
	p.mu.Lock()
	of, known := p.ids[id]
	p.mu.Unlock()
	if !known { // submitted by another process
		if there, err := p.listed(ctx, id); err != nil || !there {
			return err
		}
		p.mu.Lock()
		of = p.ids[id]
		p.mu.Unlock()
	}
	words, err := p.cancel.fill(blockValues(id, of))
	if err != nil {
		return err
	}
	if _, err = p.caller.Ask(ctx, "", words...); err == nil {
		return nil
	}
	if there, lerr := p.listed(ctx, id); lerr == nil && !there {
		return nil
	}
	return fmt.Errorf("command: %w", err)
}

// listed queries whether a block is listed now, and has not ended.
func (p *Provider) listed(ctx context.Context, id string) (bool, error) {
	studies, err := p.look(ctx)
	if err != nil {
		return false, fmt.Errorf("command: %w", err)
	}
	for _, s := range studies[studyOf(id)] {
		if s.ID == id {
			return s.Phase != provider.Ended, nil
		}
	}
	return false, nil
}

// Close implements [provider.Provider].
func (p *Provider) Close() error {
	p.queue.Close()
	return nil
}

// Calls is how many commands this provider has called.
func (p *Provider) Calls() int { return p.caller.Calls() }
