//go:build !unix

package intake

// withoutWaiting is nothing: here no file that has a name waits for its writer.
const withoutWaiting = 0
