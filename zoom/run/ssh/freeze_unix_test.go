//go:build unix

package ssh_test

import (
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// freeze holds a process until it is killed.
func freeze(t *testing.T, id process.ID) {
	t.Helper()
	if err := syscall.Kill(id.PID, syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
}
