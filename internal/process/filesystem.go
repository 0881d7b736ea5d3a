package process

// On what file system a folder is: locks and renames of one machine may not hold on another.

// FileSystem is a kind of file system.
type FileSystem struct {
	Name  string // such as NFS; empty: not known, or an ordinary local one
	Apart bool   // other machines may write it, too, or a program of somebody's serves it: locks may not hold
}
