package gas

// Chemical formulas of fuels.

import (
	"fmt"
	"strconv"
	"strings"
)

// Formula counts the atoms of a molecule, or of any multiple of it.
type Formula struct{ C, H, O, N float64 }

// named holds the formulas of the fuels known by name. Jet-A is CEA's Jet-A(g)
// and JP-7 NPSS's.
var named = map[string]Formula{
	"Jet-A": {C: 12, H: 23},
	"JP-7":  {C: 2, H: 4.0044},
	"H2":    {H: 2},
	"CH4":   {C: 1, H: 4},
}

// ParseFormula reads a formula such as C12H23 or C2H4.0044.
func ParseFormula(text string) (Formula, error) {
	var f Formula
	rest := text
	for rest != "" {
		count := map[byte]*float64{'C': &f.C, 'H': &f.H, 'O': &f.O, 'N': &f.N}[rest[0]]
		if count == nil {
			return Formula{}, fmt.Errorf("gas: fuel formula %q: %q is none of C, H, O, N", text, rest[:1])
		}
		rest = rest[1:]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n := 1.0
		if digits > 0 {
			var err error
			if n, err = strconv.ParseFloat(rest[:digits], 64); err != nil {
				return Formula{}, fmt.Errorf("gas: fuel formula %q: %q is no number of atoms", text, rest[:digits])
			}
		}
		*count += n
		rest = rest[digits:]
	}
	if f.C == 0 && f.H == 0 {
		return Formula{}, fmt.Errorf("gas: fuel formula %q holds neither carbon nor hydrogen", text)
	}
	return f, nil
}
