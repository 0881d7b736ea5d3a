package tail

import "hash/fnv"

// Position says how far a file was read. It can be stored (JSON) and handed to
// Open in another process: reading goes on with the next line.
//
// The anchor tells whether the file is still the one that was read: a hash of
// the last bytes before Offset. A file that was cut and has grown beyond
// Offset again, or a new file that got the inode of a deleted one, fails it.
type Position struct {
	Inode  uint64 `json:"inode"`            // 0: unknown
	Offset int64  `json:"offset"`           // start of the first line that was not handed out
	Length int    `json:"length,omitempty"` // bytes before Offset that Anchor covers
	Anchor uint64 `json:"anchor,omitempty"` // FNV-1a of those bytes
	Skip   bool   `json:"skip,omitempty"`   // Offset is inside a line that is too long: skip to its end
}

// anchorLength is how many bytes before the offset are remembered: more than
// one line of a history file, so that equal headers do not pass for each other.
const anchorLength = 256

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b) // never fails
	return h.Sum64()
}
