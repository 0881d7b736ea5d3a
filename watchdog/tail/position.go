package tail

import "hash/fnv"

// Position is how far a file was read. It can be stored as JSON and passed to Open in another
// process, which reads the next line.
//
// The anchor is a hash of the last bytes before Offset. It distinguishes the file that was
// read from one that was truncated and written beyond Offset, and from a new file with the
// inode of a deleted one.
type Position struct {
	Inode  uint64 `json:"inode"`            // 0: unknown
	Offset int64  `json:"offset"`           // start of the next line
	Length int    `json:"length,omitempty"` // bytes before Offset that Anchor covers
	Anchor uint64 `json:"anchor,omitempty"` // FNV-1a of those bytes
	Skip   bool   `json:"skip,omitempty"`   // Offset is within a line longer than MaxLine: skip to its end
}

// anchorLength is the number of bytes in the anchor: more than one line of a history file, so
// that files with equal headers differ.
const anchorLength = 256

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b) // never fails
	return h.Sum64()
}
