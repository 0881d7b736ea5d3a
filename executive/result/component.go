package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Outputs are the computed values of a component or shaft, in SI units, by their names in its
// declaration. An output without a value is NaN, such as a stall margin on a map without a
// stall line.
type Outputs map[string]float64

// Value returns an output, NaN without a value. It panics if the component's type has no output of that name, a
// programmer's mistake.
func (o Outputs) Value(name string) float64 {
	v, ok := o[name]
	if !ok {
		panic(fmt.Sprintf("result: no output %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(o)), ", ")))
	}
	return v
}

// Has reports whether an output of that name has a value.
func (o Outputs) Has(name string) bool {
	v, ok := o[name]
	return ok && numeric.Finite(v)
}

// finite returns the outputs that have a value.
func (o Outputs) finite() map[string]any {
	out := map[string]any{}
	for name, v := range o {
		if numeric.Finite(v) {
			out[name] = v
		}
	}
	return out
}

// MarshalJSON writes the outputs that have a value.
func (o Outputs) MarshalJSON() ([]byte, error) { return json.Marshal(o.finite()) }

// Component is the results of a component.
type Component struct {
	Type string // as in the engine file
	Outputs
	Map *MapPlace // nil: it has no map

	// Place is its operating point, in the coordinates of the law by which a flow solver supplies its parameters; see
	// components.LawUse.
	Place [2]float64
	// Setting is by how much vanes or blades are turned from the design point; see components.Settable.
	Setting float64
}

// MapPlace is a component's place on its map, in the coordinates of the map or of the law that supplies its parameters.
type MapPlace struct {
	Name  string  // of the map
	Nc    float64 // NaN: it is a law's
	XName string  // third coordinate: Rline, beta or PR; of a law the first coordinate
	X     float64
	YName string // of a law the second coordinate; empty: it has none
	Y     float64
	// setting of vanes or blades from the design point, deg, for a map of a solver's runs at several settings
	Alpha        float64
	Extrapolated bool
}

// object is the place in the form that rules and JSON use.
func (p *MapPlace) object() map[string]any {
	out := map[string]any{"name": p.Name, "extrapolated": p.Extrapolated}
	for name, v := range map[string]float64{"Nc": p.Nc, p.XName: p.X, p.YName: p.Y} {
		if name != "" && numeric.Finite(v) {
			out[name] = v
		}
	}
	if p.Alpha != 0 {
		out["alpha"] = p.Alpha
	}
	return out
}

// object is the component in the form that rules and JSON use: its outputs beside type and map.
func (c Component) object() map[string]any {
	out := c.finite()
	out["type"] = c.Type
	if c.Map != nil {
		out["map"] = c.Map.object()
	}
	return out
}

// MarshalJSON writes the outputs by name beside "type" and "map".
func (c Component) MarshalJSON() ([]byte, error) { return json.Marshal(c.object()) }

// UnmarshalJSON reads the output of MarshalJSON. Outputs without a value are missing.
func (c *Component) UnmarshalJSON(data []byte) error {
	*c = Component{Outputs: Outputs{}}
	return readObject(data, map[string]any{"type": &c.Type, "map": &c.Map},
		func(name string, v float64) { c.Outputs[name] = v })
}

// MarshalJSON writes {"name", "Nc", the third coordinate by its name, "alpha" if it is not 0, "extrapolated"}.
func (p *MapPlace) MarshalJSON() ([]byte, error) { return json.Marshal(p.object()) }

// UnmarshalJSON reads the output of MarshalJSON.
func (p *MapPlace) UnmarshalJSON(data []byte) error {
	*p = MapPlace{Nc: math.NaN(), X: math.NaN()}
	return readObject(data, map[string]any{"name": &p.Name, "extrapolated": &p.Extrapolated, "Nc": &p.Nc,
		"alpha": &p.Alpha}, func(name string, v float64) {
		if p.XName == "" {
			p.XName, p.X = name, v
		} else {
			p.YName, p.Y = name, v
		}
	})
}

// readObject reads a JSON object. The value of a key in fields is stored through its pointer. Every other key has a
// number, which is passed to number. An error names its key.
func readObject(data []byte, fields map[string]any, number func(name string, v float64)) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		text := object[name]
		var v float64
		to, ok := fields[name]
		if !ok {
			to = &v
		}
		if err := json.Unmarshal(text, to); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !ok {
			number(name, v)
		}
	}
	return nil
}
