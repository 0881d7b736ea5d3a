//go:build !linux

package intake

import (
	"fmt"
	"io/fs"
)

// Stamp returns the size and the time of a file as a text: while it is the same, so is the file's content, unless its
// time was set back.
func Stamp(info fs.FileInfo) string { return fmt.Sprint(info.Size(), info.ModTime().UnixNano()) }
