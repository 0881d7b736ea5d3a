//go:build !linux

package folder

import "github.com/peregrine-sim/peregrine/internal/atomic"

// EachSynced are the options for files that Sync flushes: each is flushed when it is written.
var EachSynced = []atomic.Option{atomic.Sync}

// Sync flushes no file: see EachSynced.
func (t *Tree) Sync() error { return nil }
