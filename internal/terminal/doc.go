// Package terminal is what a full screen needs of the operating system besides drawing: keys as they are pressed.
// Signals of the keyboard (Ctrl-C, Ctrl-Z) stay what they are, so that they reach the whole group of processes as
// without a screen; and nothing is asked of the terminal, whose answers may come late or never over a slow line.
package terminal

import "errors"

// ErrNone says that there are no keys to be had here.
var ErrNone = errors.New("no terminal")
