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

// Outputs are the computed values of a component or shaft by their names in its
// declaration, in SI units; NaN where one has no value, such as a stall margin on a
// map without a stall line.
type Outputs map[string]float64

// Value returns an output, NaN where it has no value. It panics if there is none of that
// name: the names are those of the component's type, so that is a programmer's mistake.
func (o Outputs) Value(name string) float64 {
	v, ok := o[name]
	if !ok {
		panic(fmt.Sprintf("result: no output %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(o)), ", ")))
	}
	return v
}

// Has reports whether an output is there and has a value.
func (o Outputs) Has(name string) bool {
	v, ok := o[name]
	return ok && numeric.Finite(v)
}

// finite are the outputs that have a value.
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

// Component is what a component computed.
type Component struct {
	Type string // as in the engine file
	Outputs
	Map *Place // where it works on its map; nil: it has none
}

// Place is where a component works on its map, in the map's own coordinates.
type Place struct {
	Name         string // of the map
	Nc           float64
	XName        string // third coordinate: Rline, beta or PR
	X            float64
	Extrapolated bool
}

// object is the place as rules and JSON have it.
func (p *Place) object() map[string]any {
	out := map[string]any{"name": p.Name, "extrapolated": p.Extrapolated}
	for name, v := range map[string]float64{"Nc": p.Nc, p.XName: p.X} {
		if numeric.Finite(v) {
			out[name] = v
		}
	}
	return out
}

// object is the component as rules and JSON have it: its outputs beside type and map.
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

// UnmarshalJSON reads what MarshalJSON wrote. Outputs without a value are not there.
func (c *Component) UnmarshalJSON(data []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*c = Component{Outputs: Outputs{}}
	for name, text := range object {
		var err error
		switch name {
		case "type":
			err = json.Unmarshal(text, &c.Type)
		case "map":
			c.Map = &Place{}
			err = json.Unmarshal(text, c.Map)
		default:
			var v float64
			if err = json.Unmarshal(text, &v); err == nil {
				c.Outputs[name] = v
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// MarshalJSON writes {"name", "Nc", the third coordinate by its name, "extrapolated"}.
func (p *Place) MarshalJSON() ([]byte, error) { return json.Marshal(p.object()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Place) UnmarshalJSON(data []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*p = Place{Nc: math.NaN(), X: math.NaN()}
	for name, text := range object {
		var err error
		switch name {
		case "name":
			err = json.Unmarshal(text, &p.Name)
		case "extrapolated":
			err = json.Unmarshal(text, &p.Extrapolated)
		case "Nc":
			err = json.Unmarshal(text, &p.Nc)
		default:
			p.XName = name
			err = json.Unmarshal(text, &p.X)
		}
		if err != nil {
			return fmt.Errorf("map: %s: %w", name, err)
		}
	}
	return nil
}
