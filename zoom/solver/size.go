package solver

import "math"

// Size returns the cells of a built-in solver's mesh and its iterations at most, by its settings. For another solver it
// returns the settings "cells" and "max_iterations"; 0: unknown.
func Size(name string, settings map[string]float64) (cells, iterations float64) {
	value := func(key string, without float64) float64 {
		if x := settings[key]; x > 0 {
			return x
		}
		return without
	}
	refine := value("refine", 1)
	switch name {
	case "bladerow":
		return 80 * 24 * 24 * math.Pow(refine, 3), value("max_iterations", 3000)
	case "throughflow", "faulty":
		return value("cells_z", 80) * value("cells_r", 24) * refine * refine, value("max_iterations", 4000)
	}
	return value("cells", 0), value("max_iterations", 0)
}
