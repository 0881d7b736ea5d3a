//go:build !unix

package intake

// WithoutWaiting is no flag: on this system opening a file by name never waits for a writer.
const WithoutWaiting = 0
