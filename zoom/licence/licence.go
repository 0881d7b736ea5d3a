// Package licence counts the resources of which a machine has a fixed number, such as licences of a flow solver or
// cores, over all processes of the machine.
//
// A permit is a lock on one of a number of files in a folder: the system returns it when its holder dies, in any way.
// Waiting has two levels. Within a process the callers take turns in order of arrival; only the first caller of each
// process waits for the machine. A process that has held the turn for a while lets other waiting processes go first. So
// a study of a thousand runs gets no more than a study of five, and without waiting a permit costs some microseconds.
package licence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/filelock"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Pool is a number of permits. Pools with the same name and folder share their permits, in all processes.
type Pool struct {
	Name   string // letters, digits, - and _
	Of     int    // permits; 0: Free determines the number
	Folder string // of the locks; made if missing
	// command that queries the licence server: the last whole number in its output is the number of free licences; nil:
	// no query
	Free  []string
	Clock clock.Clock // default: the real clock

	once  sync.Once
	line  chan struct{} // holds one element: the turn in this process
	since time.Time     // since when the turns at the machine have been this process's

	tree *folder.Tree // of the locks, while a turn is taken: users who may write the folder may take them
}

const (
	look    = 20 * time.Millisecond  // between two looks at the locks
	behind  = 30 * time.Millisecond  // for which a process leaves the turn to others, which look within that time
	turn    = 250 * time.Millisecond // after which it does so: with less, short runs would wait longer than they run
	ask     = time.Second            // between two calls of the command
	askTime = 10 * time.Second       // time limit of the command
)

// Take waits for a permit and returns the function that gives it back. Waiting is called once, with the reason, if no
// permit is free at first. It fails if ctx ends, the folder cannot be used, or the command cannot be run.
func (p *Pool) Take(ctx context.Context, waiting func(why string)) (giveBack func(), err error) {
	p.once.Do(func() { p.line = make(chan struct{}, 1) })
	said := false
	say := func(why string) {
		if !said {
			said = true
			waiting(why)
		}
	}
	select {
	case p.line <- struct{}{}:
	default:
		say("others of this study wait for one")
		select {
		case p.line <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer func() { <-p.line }()
	if p.tree, err = folder.MakeIn(p.Folder); err != nil {
		return nil, p.lockError(err)
	}
	defer func() { _ = p.tree.Close() }() // it has no data
	if err := p.letOthers(ctx); err != nil {
		return nil, err
	}
	w := &waiter{pool: p, say: say}
	defer w.leave()
	first, err := p.lock(ctx, []string{p.path("turn")}, func() { w.wait("others wait for one") })
	if err != nil {
		return nil, err
	}
	defer func() { _ = first.Close() }()
	if w.line != nil {
		p.since = clock.Or(p.Clock).Now() // the turn was with other processes
	}
	held, err := p.slot(ctx, w)
	if err == nil {
		err = p.server(ctx, say)
	}
	if err != nil {
		if held != nil {
			_ = held.Close()
		}
		return nil, err
	}
	return func() {
		if held != nil {
			_ = held.Close()
		}
	}, nil
}

func (p *Pool) path(what string) string { return filepath.Join(p.Folder, p.Name+"."+what) }

// letOthers leaves the turn to other processes if any wait and this process has had it for long.
func (p *Pool) letOthers(ctx context.Context) error {
	at := clock.Or(p.Clock)
	if clock.Since(at, p.since) < turn {
		return nil
	}
	defer func() { p.since = at.Now() }()
	f, err := p.tree.Edit(p.path("line"), 0)
	if err != nil {
		return p.lockError(err)
	}
	alone, err := filelock.Try(f)
	_ = f.Close()
	if alone || err != nil {
		return err
	}
	return clock.Sleep(ctx, at, behind)
}

// waiter waits for the machine. It reports that it waits, and joins the line, whose lock all waiters share.
type waiter struct {
	pool *Pool
	say  func(string)
	line *os.File
}

func (w *waiter) wait(why string) {
	w.say(why)
	if w.line != nil {
		return
	}
	f, err := w.pool.tree.Edit(w.pool.path("line"), 0)
	if err != nil {
		return // waiting works without the line
	}
	// another process is checking for waiters; join at the next look
	if looked, err := filelock.Held(f); looked || err != nil {
		_ = f.Close()
		return
	}
	w.line = f
}

func (w *waiter) leave() {
	if w.line != nil {
		_ = w.line.Close()
	}
}

// slot waits for one of the locks of the machine; nil: the pool has no fixed number.
func (p *Pool) slot(ctx context.Context, w *waiter) (*os.File, error) {
	if p.Of == 0 {
		return nil, nil
	}
	var paths []string
	for n := range p.Of {
		paths = append(paths, p.path(strconv.Itoa(n+1)))
	}
	return p.lock(ctx, paths, func() { w.wait(fmt.Sprintf("all %d are in use on this machine", p.Of)) })
}

// lockError reports locks that cannot be made or opened.
func (p *Pool) lockError(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("locks of %s: %w; all who share them must be able to write %s (chmod g+ws, say)", p.Name,
			err, p.Folder)
	}
	return fmt.Errorf("locks of %s: %w", p.Name, err)
}

// lock waits for one of some files.
func (p *Pool) lock(ctx context.Context, paths []string, none func()) (*os.File, error) {
	for {
		for _, path := range paths {
			f, err := p.tree.Edit(path, 0)
			if err != nil {
				return nil, p.lockError(err)
			}
			free, err := filelock.Try(f)
			if free {
				return f, nil
			}
			_ = f.Close()
			if err != nil {
				return nil, fmt.Errorf("locks of %s: %s: %w", p.Name, path, err)
			}
		}
		none()
		if err := clock.Sleep(ctx, clock.Or(p.Clock), look); err != nil {
			return nil, err
		}
	}
}

// server waits until the licence server has a licence. A failing command counts as no licence: servers are restarted.
func (p *Pool) server(ctx context.Context, say func(string)) error {
	for len(p.Free) > 0 {
		free, why, err := p.askServer(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("the command that asks for licences of %s: %w", p.Name, err)
		case free:
			return nil
		}
		say(why)
		if err := clock.Sleep(ctx, clock.Or(p.Clock), ask); err != nil {
			return err
		}
	}
	return nil
}

// askServer calls the command once. It fails if the command cannot be run.
func (p *Pool) askServer(ctx context.Context) (free bool, why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return false, "", err
	}
	said := make(chan string, 1)
	go func() { // ends with the command, which closes the pipe
		text, _ := io.ReadAll(io.LimitReader(r, 64<<10))
		_, _ = io.Copy(io.Discard, r)
		said <- string(text)
	}()
	command := process.Exec{Words: p.Free, Environment: os.Environ(), Output: w, Patience: time.Second, Whole: true}
	state, err := command.Run(ctx)
	_ = w.Close()
	late := context.AfterFunc(ctx, func() { _ = r.Close() }) // where a process that it has started keeps the pipe open
	text := <-said
	if late() {
		_ = r.Close()
	}
	if err != nil {
		return false, "", err
	}
	if !state.Success() {
		return false, fmt.Sprintf("%s: %v", strings.Join(p.Free, " "), state), nil
	}
	fields := strings.FieldsFunc(text, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
	if len(fields) > 0 {
		n, err := strconv.Atoi(fields[len(fields)-1])
		free = err == nil && n > 0
	}
	return free, "the licence server has none free", nil
}
