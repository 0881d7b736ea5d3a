package intaketest

import (
	"testing"
	"time"
)

// Only what a processor does counts.
func TestUsed(t *testing.T) {
	start := used()
	for x := 1.0; used()-start < 20*time.Millisecond; x = 1/x + 1 {
		if x < 0 {
			t.Fatal(x)
		}
	}
	began, idle := time.Now(), used()
	time.Sleep(50 * time.Millisecond)
	if took := used() - idle; took > time.Since(began)/2 {
		t.Errorf("%v of a processor while it slept", took)
	}
}
