package fault_test

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/fault"
)

func TestIs(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/dev/full", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("a wrong unit"), false},
		{os.ErrNotExist, false},
		{&os.PathError{Op: "open", Path: "engine.yaml", Err: syscall.EACCES}, false},
		{full, true},
		{fmt.Errorf("cache: %w", errors.Join(os.ErrNotExist, full)), true},
		{fmt.Errorf("study: %w", fault.Machine(errors.New("no watchdog"))), true},
		{fault.Machine(nil), false},
	} {
		if got := fault.Is(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
	}
}
