package tail

// Waking: the system's notification of changes, instead of waiting for the next poll. It only wakes the reader; a poll
// finds the changes. fsnotify was considered: it sends each event with a path of its own through a channel, but a
// single wake for all events of a file is enough.

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

const (
	// share is the time between two rounds of wakes, for each file that was woken. A poll with its processing takes 10
	// to 20 us: so wakes cost less than a twentieth of a core.
	share = 500 * time.Microsecond
	// longestRound is its upper limit: the lines of a thousand files that grow all the time are read twice a second.
	longestRound = 500 * time.Millisecond
)

// notifier is the system's notification of changes in folders.
type notifier interface {
	// add watches a folder.
	add(folder string) (number int, err error)
	remove(number int)
	// read waits for changes. Its error is that of a closed notifier.
	read(take func(change)) error
	close() error
}

// change is a change in a folder.
type change struct {
	number int    // of the folder
	name   string // of the file
	all    bool   // changes were lost: all files may have changed
	gone   bool   // the folder is not watched any more
}

// Waker wakes the readers of files. A process has a single Waker. Its methods may be called by several goroutines; a
// nil Waker never wakes a reader.
type Waker struct {
	notifier notifier // nil: not available
	say      func(string)
	stop     context.CancelFunc
	done     chan struct{}

	mu      sync.Mutex
	folders map[string]*watched
	numbers map[int]*watched
	said    map[string]bool
	round   int
	closed  bool
}

// watched is a folder.
type watched struct {
	path   string
	number int
	files  map[string][]*Wake
}

// Wake is a file whose changes wake its reader.
type Wake struct {
	waker  *Waker
	call   func()
	folder *watched
	name   string
	works  atomic.Bool
	round  int
}

// NewWaker returns a Waker; a nil clock is the real one. If the system does not notify, or only of some files, NewWaker
// reports it with say, once for each reason.
func NewWaker(at clock.Clock, say func(string)) *Waker {
	n, err := newNotifier()
	return wakerOf(n, err, clock.Or(at), say)
}

func wakerOf(n notifier, err error, at clock.Clock, say func(string)) *Waker {
	w := &Waker{say: say, folders: map[string]*watched{}, numbers: map[int]*watched{}, said: map[string]bool{},
		done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	if err != nil {
		w.fails("the system does not notify of changes", err)
		close(w.done)
		return w
	}
	w.notifier = n
	go w.run(ctx, at) // Close waits for it
	return w
}

// Close ends the waking.
func (w *Waker) Close() error {
	if w == nil || w.notifier == nil {
		return nil
	}
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop()
	err := w.notifier.close()
	<-w.done
	return err
}

// fails reports the reason why files are only polled.
func (w *Waker) fails(what string, err error) {
	if w.said[what] {
		return
	}
	w.said[what] = true
	if err != nil {
		what = fmt.Sprintf("%s: %v", what, err)
	}
	w.say(what + "; files are read at their interval")
}

// Watch calls wake, from another goroutine, when a file changes or is created; its folder must exist.
func (w *Waker) Watch(path string, wake func()) *Wake {
	x := &Wake{waker: w, call: wake}
	if w == nil || w.notifier == nil {
		return x
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil { // missing so far
		real = path
	}
	folder, name := filepath.Split(real)
	folder = filepath.Clean(folder)
	remote := network(folder) // may take long
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return x
	}
	if remote {
		w.fails("a network file system, or one that is not known, does not notify of changes by others", nil)
		return x
	}
	f := w.folders[folder]
	if f == nil {
		number, err := w.notifier.add(folder)
		if err != nil {
			w.fails("the system notifies of no more changes", err)
			return x
		}
		if f = w.numbers[number]; f == nil { // else another path of the same folder
			f = &watched{folder, number, map[string][]*Wake{}}
			w.numbers[number] = f
		}
		w.folders[folder] = f
	}
	x.folder, x.name = f, name
	f.files[name] = append(f.files[name], x)
	x.works.Store(true)
	return x
}

// Ring is Watch for a reader of many files: a change sets the file's mark and rings the bell, which holds one ring.
func (w *Waker) Ring(path string, mark *atomic.Bool, bell chan<- struct{}) *Wake {
	return w.Watch(path, func() {
		mark.Store(true)
		select {
		case bell <- struct{}{}:
		default: // it rings already
		}
	})
}

// Works reports whether changes wake.
func (x *Wake) Works() bool { return x.works.Load() }

// Stop ends the waking by this file.
func (x *Wake) Stop() {
	w := x.waker
	if w == nil || x.folder == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.works.Store(false)
	if w.closed {
		return
	}
	f := x.folder
	list := f.files[x.name]
	for i, y := range list {
		if y == x {
			f.files[x.name] = append(list[:i:i], list[i+1:]...)
		}
	}
	if len(f.files[x.name]) == 0 {
		delete(f.files, x.name)
	}
	if len(f.files) == 0 && w.numbers[f.number] == f {
		w.notifier.remove(f.number)
		w.forget(f)
	}
}

// forget lets go of a folder.
func (w *Waker) forget(f *watched) {
	delete(w.numbers, f.number)
	for path, g := range w.folders {
		if g == f {
			delete(w.folders, path)
		}
	}
	for _, list := range f.files {
		for _, x := range list {
			x.works.Store(false)
		}
	}
}

// run passes changes on, in rounds.
func (w *Waker) run(ctx context.Context, at clock.Clock) {
	defer close(w.done)
	for {
		woken := 0
		w.mu.Lock()
		w.round++
		w.mu.Unlock()
		if err := w.notifier.read(func(c change) { woken += w.pass(c) }); err != nil {
			return
		}
		if woken > 0 && clock.Sleep(ctx, at, min(time.Duration(woken)*share, longestRound)) != nil {
			return
		}
	}
}

// pass wakes the readers of a change and returns their number.
func (w *Waker) pass(c change) (woken int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.all {
		for _, f := range w.numbers {
			for _, list := range f.files {
				woken += w.wake(list)
			}
		}
		return woken
	}
	f := w.numbers[c.number]
	if f == nil {
		return 0
	}
	if c.gone {
		for _, list := range f.files {
			woken += w.wake(list)
		}
		w.forget(f)
		return woken
	}
	return w.wake(f.files[c.name])
}

// wake wakes readers, each once a round.
func (w *Waker) wake(list []*Wake) (woken int) {
	for _, x := range list {
		if x.round != w.round {
			x.round = w.round
			x.call()
			woken++
		}
	}
	return woken
}
