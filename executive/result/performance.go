package result

import (
	"encoding/json"

	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Performance is the results of the whole engine, in SI units. A quantity that an engine does
// not have, such as the power of a turbojet, is 0. TSFC and PSFC are NaN where thrust or power is
// negative.
//
//	Fn = sum Fg - sum Fram,  TSFC = Wf/Fn,  PSFC = Wf/power
//	OPR = Pt(burner inlet)/Pt(inlet exit)
//	BPR = (W - W_core)/W_core at the inlet exit and the last compressor before the burner
type Performance struct {
	Fn, Fg, Fram, TSFC, Wf, OPR, BPR, Power, PSFC float64
}

// At returns the address of a quantity, nil for an unknown name.
func (p *Performance) At(name string) *float64 {
	switch name {
	case quantity.Fn.Name:
		return &p.Fn
	case quantity.Fg.Name:
		return &p.Fg
	case quantity.Fram.Name:
		return &p.Fram
	case quantity.TSFC.Name:
		return &p.TSFC
	case quantity.Wf.Name:
		return &p.Wf
	case quantity.OPR.Name:
		return &p.OPR
	case quantity.BPR.Name:
		return &p.BPR
	case quantity.Power.Name:
		return &p.Power
	case quantity.PSFC.Name:
		return &p.PSFC
	}
	return nil
}

// Value returns a quantity by its name. It reports false if the engine does not have the quantity. Every engine has
// thrust; it has the others if they are not 0.
func (p Performance) Value(name string) (v float64, ok bool) {
	at := p.At(name)
	if at == nil {
		return 0, false
	}
	return *at, numeric.Finite(*at) && *at != 0 || name == quantity.Fn.Name
}

// values returns the quantities that the engine has, by name.
func (p Performance) values() map[string]any {
	out := map[string]any{}
	for _, q := range quantity.Performance {
		if v, ok := p.Value(q.Name); ok {
			out[q.Name] = v
		}
	}
	return out
}

// MarshalJSON writes the quantities that the engine has by their names.
func (p Performance) MarshalJSON() ([]byte, error) { return json.Marshal(p.values()) }

// UnmarshalJSON reads the output of MarshalJSON.
func (p *Performance) UnmarshalJSON(data []byte) error {
	var object map[string]float64
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	*p = Performance{}
	for _, q := range quantity.Performance {
		*p.At(q.Name) = object[q.Name]
	}
	return nil
}
