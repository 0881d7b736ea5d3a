package trace

// The records of a study while it is under way: of its log, of its runs' events, and of their recordings. All files are
// read as they grow.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
)

const (
	holdTime = time.Second            // a record is held for earlier ones of other files
	lookTime = 100 * time.Millisecond // between two looks at a file
)

// following reads the files of a study. Its goroutines end with the study, or with ctx.
type following struct {
	ctx     context.Context
	clock   clock.Clock
	folder  string
	study   *trace.Study
	warn    func(string)
	records chan trace.Record
	open    map[string]chan struct{} // by run; closed at its end
	readers sync.WaitGroup
}

// followStudy prints the records of a study until it ends.
func followStudy(cmd *cobra.Command, path string, print func(*trace.Record) error, flush func() error) error {
	folder, err := resolved(cmd, path)
	if err != nil {
		return err
	}
	if !isStudy(folder) {
		return fmt.Errorf("--follow: %s is no study", path)
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	f := &following{ctx: ctx, clock: cli.Clock(cmd), folder: folder, study: trace.NewStudy(),
		warn:    func(text string) { cli.Warn(cmd, "%s", text) },
		records: make(chan trace.Record, 1024), open: map[string]chan struct{}{}}
	f.study.Live = true
	var failed error // until records is closed the goroutine's
	go func() {
		failed = studylog.FollowLiving(ctx, folder, f.clock, nil, f.warn, f.take)
		for _, ended := range f.open {
			close(ended)
		}
		f.readers.Wait()
		close(f.records)
	}()
	err = f.print(print, flush)
	cancel()
	for range f.records { // after an error of print
	}
	if err != nil {
		return err
	}
	return failed
}

// take passes on the records of an event. A run's recordings are read from its start to its end.
func (f *following) take(e event.Event) {
	for _, r := range f.study.Take(&e) {
		f.records <- r
	}
	ended := f.open[e.Run]
	switch {
	case e.Source != event.Host || e.Run == "":
	case e.Kind == event.Started && ended == nil:
		ended = make(chan struct{})
		f.open[e.Run] = ended
		for _, name := range recordings {
			f.readers.Go(func() { f.recording(filepath.Join(f.folder, e.Run, name), ended) })
		}
	case e.Kind == event.Ended && ended != nil:
		delete(f.open, e.Run)
		close(ended)
	}
}

// recording passes on the records of a run's file until the run has ended.
func (f *following) recording(path string, ended <-chan struct{}) {
	by, named, err := recording(path)
	if err == nil {
		from := &growing{following: f, path: path, ended: ended}
		defer from.close()
		if err = from.await(); err == nil {
			err = f.read(from, by, named)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && f.ctx.Err() == nil {
		f.warn(fmt.Sprintf("%s: %v", path, err))
	}
}

// read passes on the records of a file, and warns of its problems.
func (f *following) read(from *growing, by *format.Description, named func(trace.Record) trace.Record) error {
	wrong := 0
	err := format.Read(from, by, nil, func(r trace.Record) error {
		f.records <- named(r)
		return nil
	}, func(p trace.Problem) {
		if wrong++; wrong <= mostTold {
			f.warn(fmt.Sprintf("%s:%d: %s", from.path, p.Line, p.Message))
		}
	})
	if wrong > mostTold {
		f.warn(fmt.Sprintf("%s: and %d more lines", from.path, wrong-mostTold))
	}
	return err
}

// growing reads a file that is written meanwhile.
type growing struct {
	*following
	path  string
	ended <-chan struct{}
	file  *os.File
}

// await opens the file once it exists. A reader's memory is for files that there are.
func (g *growing) await() (err error) {
	for {
		over := g.isOver() // before the last look, not after it
		if g.file, err = intake.Open(g.path); err == nil || over || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := clock.Sleep(g.ctx, g.clock, lookTime); err != nil {
			return err
		}
	}
}

// Read implements [io.Reader].
func (g *growing) Read(to []byte) (n int, err error) {
	for {
		over := g.isOver() // before the last look, not after it
		if n, err = g.file.Read(to); n > 0 || over || err != nil && err != io.EOF {
			return n, err
		}
		if err := clock.Sleep(g.ctx, g.clock, lookTime); err != nil {
			return 0, err
		}
	}
}

func (g *growing) isOver() bool {
	select {
	case <-g.ended:
		return true
	default:
		return false
	}
}

func (g *growing) close() {
	if g.file != nil {
		_ = g.file.Close() // it was read
	}
}

// print prints the records in the order of their times. Each is held for a time; one that comes later still gets the
// time of the last one.
func (f *following) print(print func(*trace.Record) error, flush func() error) error {
	type arrived struct {
		trace.Record
		at time.Time
	}
	var held []arrived // by time
	last := 0.0
	release := func(n int) error {
		for i := range held[:n] {
			r := &held[i].Record
			r.Time = max(r.Time, last)
			last = r.Time
			if err := print(r); err != nil {
				return err
			}
		}
		held = slices.Delete(held, 0, n)
		return flush()
	}
	tick := f.clock.NewTicker(lookTime)
	defer tick.Stop()
	for {
		select {
		case r, more := <-f.records:
			if !more {
				return release(len(held))
			}
			i := len(held)
			for i > 0 && held[i-1].Time > r.Time {
				i--
			}
			held = slices.Insert(held, i, arrived{r, f.clock.Now()})
		case now := <-tick.C:
			n := len(held)
			for n > 0 && now.Sub(held[n-1].at) < holdTime {
				n--
			}
			if err := release(n); err != nil {
				return err
			}
		}
	}
}
