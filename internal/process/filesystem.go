package process

// The file system of a folder: locks and renames of one machine may not be valid on another.

// FileSystem is a kind of file system.
type FileSystem struct {
	Name  string // such as NFS; empty: unknown, or an ordinary local file system
	Apart bool   // other machines may write to it, or a user's program serves it: locks may not work
}
