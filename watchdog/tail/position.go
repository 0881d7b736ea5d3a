package tail

import "hash/fnv"

// Position is how far a file was read. It can be stored as JSON and passed to Open in another process, which reads the
// next line.
//
// The anchor is a hash of the last bytes before Offset, the head a hash of the first bytes of the file. They
// distinguish the file that was read from a file that was truncated and written beyond Offset, and from a new file with
// the inode of a deleted file. They also find its copy. Positions of earlier versions have no head.
type Position struct {
	Inode  uint64 `json:"inode"`            // 0: unknown
	Offset int64  `json:"offset"`           // start of the next line
	Length int    `json:"length,omitempty"` // bytes before Offset that Anchor covers
	Anchor uint64 `json:"anchor,omitempty"` // FNV-1a of these bytes
	Skip   bool   `json:"skip,omitempty"`   // Offset is within a line longer than MaxLine: skip to its end

	// bytes that Head covers, including an incomplete line's
	HeadLength int    `json:"head_length,omitempty"`
	Head       uint64 `json:"head,omitempty"` // FNV-1a of the first bytes of the file
	// when the file was changed last, Unix time in ns: younger rotated files follow
	Modified int64 `json:"modified,omitempty"`
	Return   bool  `json:"return,omitempty"` // a CR ended the last line: an LF that follows belongs to it
	Wide     bool  `json:"wide,omitempty"`   // the note about UTF-16 was given
	// of rotated files that may still be written to, the oldest first
	Late []Position `json:"late,omitempty"`
	Left []Left     `json:"left,omitempty"` // the rotated files that were read last, the oldest first
}

// Left is a rotated file that was already read: whatever its name and time are, it does not follow again.
type Left struct {
	Inode      uint64 `json:"inode"`
	HeadLength int    `json:"head_length,omitempty"` // as in Position
	Head       uint64 `json:"head,omitempty"`
}

// anchorLength is the number of bytes in the anchor and in the head: longer than a line of a history file, so that
// files with equal headers differ.
const anchorLength = 256

func hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b) // never fails
	return h.Sum64()
}
