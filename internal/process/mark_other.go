//go:build unix && !linux && !darwin

package process

// startMark is not known on this system.
func startMark(int) (mark string, zombie bool) { return "", false }
