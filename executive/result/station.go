package result

import (
	"encoding/json"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Station is the state at a port, in SI units. Static quantities and A are 0 where no area is
// known.
type Station struct {
	Number                      string // after SAE AS755; empty: none
	W, Pt, Tt, Ht, FAR, WAR, Wc float64
	Ps, Ts, MN, A, V            float64
}

// at returns the address of a quantity.
func (s *Station) at(name string) *float64 {
	switch name {
	case quantity.W.Name:
		return &s.W
	case quantity.Pt.Name:
		return &s.Pt
	case quantity.Tt.Name:
		return &s.Tt
	case quantity.Ht.Name:
		return &s.Ht
	case quantity.FAR.Name:
		return &s.FAR
	case quantity.WAR.Name:
		return &s.WAR
	case quantity.Wc.Name:
		return &s.Wc
	case quantity.Ps.Name:
		return &s.Ps
	case quantity.Ts.Name:
		return &s.Ts
	case quantity.MN.Name:
		return &s.MN
	case quantity.A.Name:
		return &s.A
	case quantity.V.Name:
		return &s.V
	}
	panic("result: a station has no quantity " + name)
}

// NewStation copies the quantities of a station of the model. A value that is not finite
// becomes 0.
func NewStation(s *flow.Station, number string) Station {
	out := Station{Number: number}
	for _, f := range flow.Fields {
		if v := f.Of(s); (!f.Static || s.A > 0) && numeric.Finite(v) {
			*out.at(f.Name) = v
		}
	}
	return out
}

// Value returns a quantity of the station. It reports false for a static quantity where no
// area is known.
func (s Station) Value(f flow.Field) (v float64, ok bool) {
	return *s.at(f.Name), !f.Static || s.A > 0
}

// MarshalJSON writes the quantities by their names. It leaves out static quantities of 0, and
// the water-air ratio if it is 0.
func (s Station) MarshalJSON() ([]byte, error) {
	object := map[string]any{}
	if s.Number != "" {
		object["station"] = s.Number
	}
	for _, f := range flow.Fields {
		if v := *s.at(f.Name); v != 0 || !f.Static && f.Name != quantity.WAR.Name {
			object[f.Name] = v
		}
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads the output of MarshalJSON. It ignores other keys.
func (s *Station) UnmarshalJSON(data []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*s = Station{}
	if number, ok := object["station"]; ok {
		if err := json.Unmarshal(number, &s.Number); err != nil {
			return err
		}
	}
	for _, f := range flow.Fields {
		if v, ok := object[f.Name]; ok {
			if err := json.Unmarshal(v, s.at(f.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fields returns the station's values by name, for rules.
func (s Station) fields() map[string]any {
	out := map[string]any{}
	for _, f := range flow.Fields {
		if v, ok := s.Value(f); ok {
			out[f.Name] = v
		}
	}
	return out
}
