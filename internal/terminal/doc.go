// Package terminal provides the operating system's part of a full screen: keys as they are pressed. Signals of the
// keyboard (Ctrl-C, Ctrl-Z) keep their meaning and reach the whole process group, as without a full screen. The
// terminal is not queried, because its replies may be late or missing on a slow line.
package terminal

import "errors"

// ErrNone reports that no keys can be read.
var ErrNone = errors.New("no terminal")
