//go:build !linux

package process

import "errors"

// NewCage fails: this system has no control groups.
func NewCage(string, Allowance) (Cage, error) { return nil, errors.ErrUnsupported }

// Pin fails: it is not known on this system.
func Pin(pid, cores, turn int) error { return errors.ErrUnsupported }

// SweepCages has no effect: this system has no control groups.
func SweepCages() {}

// Table fails: the process table cannot be read on this system.
func Table() ([]Entry, error) { return nil, errors.ErrUnsupported }
