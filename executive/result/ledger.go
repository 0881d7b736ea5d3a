package result

import (
	"fmt"
	"math"
	"strings"
)

// Ledger is where the fuel's energy went in a transient, J:
//
//	fuel = kinetic + heat + shaft + losses + rotors + volumes + metal
//
// with enthalpies counted from those of the same streams at 25 degC, fuel being burnt to
// carbon dioxide and vapour. The first five are powers over the engine's boundary, integrated along with its
// states; the last three are what it holds at the end more than at the start, from the
// states themselves. What is missing says how well the model conserves energy and how
// well it was integrated.
type Ledger struct {
	Fuel    float64 `json:"fuel"`    // fuel burnt times its heating value
	Kinetic float64 `json:"kinetic"` // of the jets, less that of the air that came in
	Heat    float64 `json:"heat"`    // enthalpy that left with jets, besides their kinetic energy, with bleeds and by walls, less what came with the air
	Shaft   float64 `json:"shaft"`   // taken from the shafts by loads, machines and offtakes
	Losses  float64 `json:"losses"`  // in bearings and gearboxes
	Rotors  float64 `json:"rotors"`  // kinetic energy of the shafts
	Volumes float64 `json:"volumes"` // internal energy of the gas in volumes
	Metal   float64 `json:"metal"`   // heat in metal
	Missing float64 `json:"missing"` // fuel less all others, over fuel
}

// String says it in one line, in MJ, leaving out what there is none of.
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
	return fmt.Sprintf("fuel's energy %.5g MJ = %s (missing %.1g of it)", l.Fuel/1e6, strings.Join(parts, " + "), math.Abs(l.Missing))
}
