package result

import (
	"math"
	"strings"
)

// Environment returns the result as rules read it, under the paths of the engine file: the
// outputs of a component and, by port, the quantities of its stations.
func (r *Result) Environment() map[string]any {
	env := map[string]any{}
	parts := map[string]map[string]any{}
	for name, c := range r.Components {
		parts[name] = c.object()
		env[name] = parts[name]
	}
	port := func(at string, s Station) {
		name, port, ok := strings.Cut(at, ".")
		if c := parts[name]; ok && c != nil {
			c[port] = s.fields()
		}
	}
	for at, s := range r.Stations {
		port(at, s)
	}
	for at, from := range r.Inlets {
		port(at, r.Stations[from])
	}
	for name, s := range r.Shafts {
		env[name] = s.finite()
	}
	env["performance"] = r.Performance.values()
	return env
}

// Number returns the value under a path of the engine file, such as performance.Fn, fan.PR or burner.out.Tt; NaN for an
// unknown path.
func (r *Result) Number(path string) float64 {
	var at any = r.Environment()
	for _, name := range strings.Split(strings.TrimPrefix(path, "shafts."), ".") {
		object, ok := at.(map[string]any)
		if !ok {
			return math.NaN()
		}
		at = object[name]
	}
	if v, ok := at.(float64); ok {
		return v
	}
	return math.NaN()
}
