package ssh

// The connection to a block, as long as the block lives.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/bridge"
)

const (
	mostTries = 3 // to begin a block
	firstWait = time.Second
	mostWait  = 10 * time.Second
)

// link is a block and its connection.
type link struct {
	of      *Provider
	id      string
	name    string // on the host
	host    *hosts.Host
	request provider.Request
	said    string // by the command, at last
	what    string // the bridge's next call: Open, until the command was seen to run, then Join
	ctx     context.Context
	stop    context.CancelFunc

	mu      sync.Mutex
	state   provider.State
	reached bool     // the host has answered
	carries *session // connected now
	done    chan struct{}
}

func newLink(p *Provider, id string, h *hosts.Host, r provider.Request, what string) *link {
	l := &link{of: p, id: id, host: h, request: r, what: what, done: make(chan struct{}), reached: what == bridge.Join}
	_, l.name, _ = cutID(id)
	l.state = provider.State{ID: id, Phase: provider.Waiting, Reason: "connecting", Nodes: []string{h.Name}}
	l.ctx, l.stop = context.WithCancel(p.ctx)
	return l
}

// State returns the known state of the block.
func (l *link) State() provider.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *link) setState(phase provider.Phase, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.Phase != provider.Ended {
		l.state.Phase, l.state.Reason = phase, reason
	}
}

// end records that the block has ended.
func (l *link) end(why string) {
	l.setState(provider.Ended, why)
	if l.request.Changed != nil {
		l.request.Changed()
	}
}

// keep connects, and connects anew, until the block has ended or is wanted no longer.
func (l *link) keep() {
	defer close(l.done)
	defer l.stop()
	log, err := l.logFile()
	if err != nil {
		l.end(err.Error())
		return
	}
	defer func() { _ = log.Close() }() // it is only for people
	wait, alone, tries := time.Duration(0), l.of.clock.Now(), 0
	for {
		_ = clock.Sleep(l.ctx, l.of.clock, wait) // l.ctx is looked at below
		if l.ctx.Err() != nil {
			return
		}
		ended, err := l.connect(log)
		switch {
		case l.ctx.Err() != nil && !ended:
			return
		case ended:
			l.end(strings.TrimSuffix("its command has ended: "+l.said, ": "))
			return
		case err == nil: // it was connected for a time
			wait, alone, tries = firstWait/4, l.of.clock.Now(), 0
			l.setState(provider.Running, "its connection broke; connecting anew")
			continue
		}
		tries++
		wait = min(mostWait, cmp.Or(2*wait, firstWait))
		if l.tooLate(tries, alone) {
			l.of.noteHost(l.host.Name, err)
			l.end(err.Error())
			return
		}
		l.setState(l.State().Phase, err.Error()+"; trying again")
	}
}

// tooLate reports whether another try is useless: the first ones have failed, another host may be more successful, or
// the command no longer waits.
func (l *link) tooLate(tries int, alone time.Time) bool {
	if l.what == bridge.Open {
		return tries >= mostTries || l.of.anotherFree()
	}
	return tries >= mostTries && clock.Since(l.of.clock, alone) > l.of.grace
}

// connect makes a connection, and returns when it has ended. It fails if no connection could be made.
func (l *link) connect(errs io.Writer) (ended bool, err error) {
	s, word, err := l.call(errs)
	if err != nil {
		return false, err
	}
	defer s.close()
	for {
		switch word {
		case bridge.Runs:
			l.of.noteHost(l.host.Name, nil)
			l.mu.Lock()
			l.reached, l.what = true, bridge.Join
			l.mu.Unlock()
			l.setState(provider.Running, "")
		case bridge.Connected:
			return l.carry(s), nil
		case bridge.Gone:
			return l.endedBy(s), nil
		default:
			return false, &HostError{l.host.Name, fmt.Errorf("it answered %q, which is unknown here", word)}
		}
		if word, _, err = s.answerWithin(0); err != nil { // it need not listen at once, or at all
			return l.endedBy(s), err
		}
	}
}

// endedBy reports whether the far end reported, by its exit status, that the command has ended.
func (l *link) endedBy(s *session) bool {
	s.close()
	l.said = lastOf(s.errs.text())
	return s.status() == bridge.EndedStatus
}

// carry hands the connection on, and waits for its end.
func (l *link) carry(s *session) (ended bool) {
	l.mu.Lock()
	l.carries = s
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.carries = nil
		l.mu.Unlock()
	}()
	if l.request.Connected == nil {
		return l.endedBy(s)
	}
	l.request.Connected(l.id, l.host.Name, s)
	<-s.ended
	return l.endedBy(s)
}

// call calls the bridge, and returns its first answer. It sends the program if missing.
func (l *link) call(errs io.Writer) (s *session, word string, err error) {
	p := l.of
	for tried := false; ; tried = true {
		s, err := p.brings.start(l.ctx, &p.caller, l.host.Name, errs, l.environment(), l.what, l.args())
		if err != nil {
			return nil, "", err
		}
		word, rest, err := s.answer()
		switch {
		case err != nil:
			return nil, "", err
		case word == foreign:
			s.close()
			return nil, "", foreignError(l.host.Name, rest)
		case word != missing:
			return s, word, nil
		}
		s.close()
		if tried {
			return nil, "", &HostError{
				l.host.Name,
				errors.New("the program that was brought there is not there: its folder, ~/.cache/peregrine/bin, may " +
					"be cleared, or allow no programs"),
			}
		}
		l.setState(l.State().Phase, "peregrine is being brought there")
		if err := p.brings.bringTo(l.ctx, &p.caller, l.host.Name); err != nil {
			return nil, "", &HostError{l.host.Name, fmt.Errorf("peregrine cannot be brought there: %w", inner(err))}
		}
	}
}

// args are the bridge's, after the nonce.
func (l *link) args() []string {
	args := []string{l.name}
	if l.what != bridge.Open {
		return args
	}
	for i, word := range l.request.Command {
		if i == 0 && word == l.of.brings.command[0] {
			word = bridge.Self
		}
		args = append(args, word)
	}
	return args
}

// environment returns the variables of a block, for the shell to set.
func (l *link) environment() []string {
	lines := []string{
		provider.EnvBlock + "=" + batchqueue.Quote(l.id), provider.EnvNode + "=" + batchqueue.Quote(l.host.Name),
	}
	if there := cmp.Or(l.host.Folder, l.request.There); there != "" {
		lines = append(lines, provider.EnvFolder+"="+batchqueue.Quote(there))
	}
	if l.request.Time > 0 {
		lines = append(lines,
			fmt.Sprintf("%s=$(($(date +%%s) + %d))", provider.EnvEnds, int(l.request.Time/time.Second)))
	}
	return lines
}

// logFile makes the file for the output of the command, a different file for each process that has had the block.
func (l *link) logFile() (*os.File, error) {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:@%+`, r) {
			return '_'
		}
		return r
	}, l.id)
	path := filepath.Join(l.request.Folder, "block-"+name)
	for n := 2; exists(path + ".txt"); n++ {
		path = fmt.Sprintf("%s-%d", filepath.Join(l.request.Folder, "block-"+name), n)
	}
	return folder.Create(path + ".txt")
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// cancel ends the connecting, and reports whether no process is left to end.
func (l *link) cancel(ctx context.Context) bool {
	l.mu.Lock()
	carries := l.carries
	l.mu.Unlock()
	if carries != nil { // a dismissed command ends by itself: its bridge reports it
		_ = carries.Close()
		select {
		case <-carries.ended:
		case <-ctx.Done():
		}
	}
	l.stop()
	select {
	case <-l.done:
	case <-ctx.Done():
	}
	l.mu.Lock()
	reached := l.reached
	l.mu.Unlock()
	if !reached {
		l.end("cancelled before it began")
	}
	return l.State().Phase == provider.Ended
}
