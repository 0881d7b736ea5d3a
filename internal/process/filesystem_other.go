//go:build !linux

package process

// FileSystemOf is not known here.
func FileSystemOf(string) FileSystem { return FileSystem{} }
