// Package ulimit ends a program whose address space is limited too far (ulimit -v) for the Go runtime to start its
// work. It does so while packages are initialised, as their initialisation may already fail: it imports almost nothing,
// so that Go initialises it before nearly all others.
package ulimit
