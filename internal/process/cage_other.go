//go:build !linux

package process

import "errors"

// NewCage fails: there are no control groups on this system.
func NewCage(string, Allowance) (Cage, error) { return nil, errors.ErrUnsupported }

// Pin fails: it is not known on this system.
func Pin(pid, cores, turn int) error { return errors.ErrUnsupported }

// SweepCages does nothing: there are no control groups on this system.
func SweepCages() {}

// Table fails: the process table cannot be read on this system.
func Table() ([]Entry, error) { return nil, errors.ErrUnsupported }
