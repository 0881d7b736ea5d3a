// Package filelock locks files between processes. The system releases a lock when
// its holder dies, however it dies.
package filelock
