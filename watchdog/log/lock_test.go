package log_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/filelock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
)

// Whoever only looks at a study's lock does not keep others from it; whoever has it for longer does.
func TestLookIsNoWork(t *testing.T) {
	for _, c := range []struct {
		name string
		take func(*os.File) (bool, error)
		held time.Duration
		busy bool
	}{
		{"a look", func(f *os.File) (bool, error) { held, err := filelock.Held(f); return !held, err }, 50 * time.Millisecond, false},
		{"a short hold", filelock.Try, 50 * time.Millisecond, false},
		{"a long hold", filelock.Try, time.Second, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				folder := t.TempDir()
				f := must.Value(os.Create(filepath.Join(folder, ".lock")))(t)
				if free, err := c.take(f); err != nil || !free {
					t.Fatal(free, err)
				}
				time.AfterFunc(c.held, func() { _ = f.Close() })
				l := log.New(nil, func(event.Event) {})
				var busy *log.BusyError
				if err := l.Open(folder); c.busy != errors.As(err, &busy) || !c.busy && err != nil {
					t.Errorf("%v", err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				time.Sleep(c.held)
			})
		})
	}
}

// Nobody can begin a study while somebody acts on its being idle.
func TestIdle(t *testing.T) {
	folder := t.TempDir()
	called, err := log.Idle(folder, func() error {
		var busy *log.BusyError
		if err := log.New(nil, nil).Open(folder); !errors.As(err, &busy) {
			t.Errorf("it was begun: %v", err)
		}
		return nil
	})
	if err != nil || !called {
		t.Errorf("%t, %v", called, err)
	}
	l := open(t, nil, folder, nil)
	if called, err := log.Idle(folder, func() error { t.Error("it is not idle"); return nil }); err != nil || called {
		t.Errorf("%t, %v", called, err)
	}
	if removed, err := log.Remove(folder); err != nil || removed {
		t.Errorf("a busy study was removed: %t, %v", removed, err)
	}
	must.OK(t, l.Close())
	if removed, err := log.Remove(folder); err != nil || !removed {
		t.Errorf("%t, %v", removed, err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder is there")
	}
	if removed, err := log.Remove(folder); err != nil || removed {
		t.Errorf("a second time: %t, %v", removed, err)
	}
}
