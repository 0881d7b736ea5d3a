package history

import "testing"

// dropped are columns that a table's description leaves out.
var dropped = []string{"*CFL*", "LinSol*", "Time(*)", "Time (min)", "clock"}

func TestLike(t *testing.T) {
	for name, want := range map[string]bool{
		"Avg CFL": true, "cfl": true, "linsolres": true, "Time(sec)": true, "Time (min)": true, "Clock": true,
		"clocks": false, "Time min": false, "W_in": false, "": false,
	} {
		if got := like(name, dropped); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// A column of each file of each run is compared with all patterns: they are compiled once.
func TestPatternsOfNamesAreCompiledOnce(t *testing.T) {
	like("W_in", dropped)
	if n := testing.AllocsPerRun(10, func() { like("W_in", dropped) }); n > float64(len(dropped)) {
		t.Errorf("%g allocations for %d patterns", n, len(dropped))
	}
}

// BenchmarkLike compares a column's name with five patterns.
func BenchmarkLike(b *testing.B) {
	for b.Loop() {
		like("W_in", dropped)
	}
}
