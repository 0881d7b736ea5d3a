package result

import (
	"fmt"
	"math"
	"strings"
)

// Ledger is the energy account of a transient, J: where the fuel's energy went.
//
//	fuel = kinetic + heat + shaft + losses + rotors + volumes + metal
//
// Enthalpies are relative to the same streams at 25 degC, with fuel burnt to carbon dioxide
// and vapour. The first five terms are powers over the engine's boundary, integrated with
// the states. The last three are the increase of stored energy, from the states at start
// and end. The missing energy shows how well the model conserves energy and how accurate
// the integration is.
type Ledger struct {
	Fuel    float64 `json:"fuel"`    // fuel burnt times its heating value
	Kinetic float64 `json:"kinetic"` // of the jets, less that of the inlet air
	// enthalpy of jets (without kinetic energy) and bleeds, and heat through walls, less the enthalpy of the inlet air
	Heat    float64 `json:"heat"`
	Shaft   float64 `json:"shaft"`   // taken from the shafts by loads, machines and offtakes
	Losses  float64 `json:"losses"`  // in bearings and gearboxes
	Rotors  float64 `json:"rotors"`  // kinetic energy of the shafts
	Volumes float64 `json:"volumes"` // internal energy of the gas in volumes
	Metal   float64 `json:"metal"`   // heat in metal
	Missing float64 `json:"missing"` // fuel less all others, over fuel
}

// String writes the account in one line, in MJ, without terms that are 0.
func (l *Ledger) String() string {
	var parts []string
	for _, p := range []struct {
		name string
		e    float64
	}{
		{"kinetic", l.Kinetic}, {"heat", l.Heat}, {"shaft", l.Shaft}, {"losses", l.Losses},
		{"rotors", l.Rotors}, {"volumes", l.Volumes}, {"metal", l.Metal},
	} {
		if p.e != 0 {
			parts = append(parts, fmt.Sprintf("%s %.5g", p.name, p.e/1e6))
		}
	}
	return fmt.Sprintf("fuel's energy %.5g MJ = %s (missing %.1g of it)", l.Fuel/1e6, strings.Join(parts, " + "),
		math.Abs(l.Missing))
}
