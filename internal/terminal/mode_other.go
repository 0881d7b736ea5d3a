//go:build !linux && !darwin

package terminal

import "os"

type mode struct{}

func modeOf(*os.File) (*mode, error) { return nil, ErrNone }

func setMode(*os.File, *mode) error { return ErrNone }

func keysMode(m mode) *mode { return &m }

// Foreground reports whether the terminal is this process's to read from.
func Foreground(*os.File) bool { return false }
