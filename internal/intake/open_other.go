//go:build !unix

package intake

// withoutWaiting is no flag: on this system opening a file by name never waits for a writer.
const withoutWaiting = 0
