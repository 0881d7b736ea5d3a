package result

import "strings"

// Environment is the result in the words of the engine file's paths: outputs of a
// component and, by port, the fields of its stations.
func (r *Result) Environment() map[string]any {
	env := map[string]any{}
	for name, values := range r.Components {
		c := map[string]any{}
		for k, v := range values {
			c[k] = v
		}
		env[name] = c
	}
	for at, s := range r.Stations {
		name, port, ok := strings.Cut(at, ".")
		c, _ := env[name].(map[string]any)
		if ok && c != nil {
			c[port] = s.Fields()
		}
	}
	for at, from := range r.Inlets {
		name, port, _ := strings.Cut(at, ".")
		if c, _ := env[name].(map[string]any); c != nil {
			c[port] = r.Stations[from].Fields()
		}
	}
	for name, s := range r.Shafts {
		shaft := map[string]any{}
		for k, v := range s {
			shaft[k] = v
		}
		env[name] = shaft
	}
	perf := map[string]any{}
	for k, v := range r.Performance {
		perf[k] = v
	}
	env["performance"] = perf
	return env
}

func (s Station) Fields() map[string]any {
	f := map[string]any{"W": s.W, "Pt": s.Pt, "Tt": s.Tt, "ht": s.Ht, "FAR": s.FAR, "WAR": s.WAR}
	if s.A > 0 {
		f["Ps"], f["Ts"], f["MN"], f["A"], f["V"] = s.Ps, s.Ts, s.MN, s.A, s.V
	}
	return f
}
