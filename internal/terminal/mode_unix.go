//go:build linux || darwin

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// mode is how a terminal treats its lines.
type mode = unix.Termios

func modeOf(f *os.File) (*mode, error) { return unix.IoctlGetTermios(int(f.Fd()), getMode) }

func setMode(f *os.File, m *mode) error { return unix.IoctlSetTermios(int(f.Fd()), setModeNow, m) }

// keysMode returns a mode in which keys arrive as they are pressed, without echo. A read without keys ends after a
// tenth of a second, so that its reader can end.
func keysMode(m mode) *mode {
	m.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	m.Iflag &^= unix.IXON | unix.ICRNL | unix.INLCR
	m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 0, 1
	return &m
}

// Foreground reports whether the terminal is this process's to read from: a shell has not put it into the background.
func Foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
