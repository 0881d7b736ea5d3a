package unit

import (
	"iter"
	"maps"
	"math"
	"slices"
)

// Defining constants, exact.
const (
	pound   = 0.45359237      // kg: international pound, 1959 agreement (NIST SP 811, app. B.8)
	foot    = 0.3048          // m: international foot (NIST SP 811)
	inch    = foot / 12       // m
	gravity = 9.80665         // m/s2: standard acceleration (CGPM 1901)
	lbForce = pound * gravity // N: pound-force
	slug    = lbForce / foot  // kg: accelerated at 1 ft/s2 by 1 lbf
	// J: International Table Btu, from 1 Btu_IT/lbm = 2326 J/kg (5th Int. Conf. on Properties of Steam, 1956)
	btu      = 2326 * pound
	hp       = 550 * foot * lbForce
	mercury  = 13595.1 * gravity // Pa/m: conventional mercury column at 0 degC (ISO 80000-4; NIST SP 811)
	nautical = 1852              // m: international nautical mile
	kelvin0  = 273.15            // K at 0 degC
)

// atom is a unit that is written as one word: num/den in SI. Numerator and denominator are kept apart so that 83 % is
// 83/100, rounded once, and not 83 times a rounded 0.01.
type atom struct {
	num, den float64
	exp      exponents
	zero     float64 // offset scales: value in this unit of its zero in SI, so SI = (x + zero) num/den
	prefixes string  // SI prefixes that it takes
}

var (
	mass        = exponents{mass: 1}
	length      = exponents{length: 1}
	duration    = exponents{time: 1}
	temperature = exponents{temperature: 1}
	pressure    = exponents{mass: 1, length: -1, time: -2}
	massFlow    = exponents{mass: 1, time: -1}
	velocity    = exponents{length: 1, time: -1}
	force       = exponents{mass: 1, length: 1, time: -2}
	energy      = exponents{mass: 1, length: 2, time: -2}
	power       = exponents{mass: 1, length: 2, time: -3}
	angle       = exponents{angle: 1}
	speed       = exponents{angle: 1, time: -1}
	data        = exponents{data: 1}
)

// words are the units that are known by themselves. Case matters (mW, MW). `lb` is
// a mass. A force is lbf: the two differ by a factor 9.8 in SI.
var words = map[string]atom{
	"1":     {num: 1, den: 1},
	"%":     {num: 1, den: 100},
	"kg":    {num: 1, den: 1, exp: mass},
	"g":     {num: 1, den: 1000, exp: mass, prefixes: "m"},
	"t":     {num: 1000, den: 1, exp: mass},
	"lbm":   {num: pound, den: 1, exp: mass},
	"lb":    {num: pound, den: 1, exp: mass},
	"slug":  {num: slug, den: 1, exp: mass},
	"m":     {num: 1, den: 1, exp: length, prefixes: "kcmu"},
	"in":    {num: inch, den: 1, exp: length},
	"ft":    {num: foot, den: 1, exp: length},
	"mi":    {num: 5280 * foot, den: 1, exp: length},
	"nmi":   {num: nautical, den: 1, exp: length},
	"s":     {num: 1, den: 1, exp: duration, prefixes: "mu"},
	"sec":   {num: 1, den: 1, exp: duration},
	"min":   {num: 60, den: 1, exp: duration},
	"h":     {num: 3600, den: 1, exp: duration},
	"hr":    {num: 3600, den: 1, exp: duration},
	"K":     {num: 1, den: 1, exp: temperature},
	"degK":  {num: 1, den: 1, exp: temperature},
	"degC":  {num: 1, den: 1, exp: temperature, zero: kelvin0},
	"°C":    {num: 1, den: 1, exp: temperature, zero: kelvin0},
	"degR":  {num: 5, den: 9, exp: temperature},
	"R":     {num: 5, den: 9, exp: temperature},
	"°R":    {num: 5, den: 9, exp: temperature},
	"degF":  {num: 5, den: 9, exp: temperature, zero: 459.67},
	"°F":    {num: 5, den: 9, exp: temperature, zero: 459.67},
	"Pa":    {num: 1, den: 1, exp: pressure, prefixes: "hkMG"},
	"bar":   {num: 1e5, den: 1, exp: pressure, prefixes: "m"},
	"atm":   {num: 101325, den: 1, exp: pressure},
	"psi":   {num: lbForce / (inch * inch), den: 1, exp: pressure},
	"psia":  {num: lbForce / (inch * inch), den: 1, exp: pressure},
	"psf":   {num: lbForce / (foot * foot), den: 1, exp: pressure},
	"inHg":  {num: mercury * inch, den: 1, exp: pressure},
	"mmHg":  {num: mercury, den: 1000, exp: pressure},
	"pps":   {num: pound, den: 1, exp: massFlow},
	"pph":   {num: pound, den: 3600, exp: massFlow},
	"kt":    {num: nautical, den: 3600, exp: velocity},
	"knot":  {num: nautical, den: 3600, exp: velocity},
	"mph":   {num: 5280 * foot, den: 3600, exp: velocity},
	"fps":   {num: foot, den: 1, exp: velocity},
	"N":     {num: 1, den: 1, exp: force, prefixes: "mkM"},
	"lbf":   {num: lbForce, den: 1, exp: force},
	"kgf":   {num: gravity, den: 1, exp: force},
	"J":     {num: 1, den: 1, exp: energy, prefixes: "kMG"},
	"Btu":   {num: btu, den: 1, exp: energy},
	"BTU":   {num: btu, den: 1, exp: energy},
	"W":     {num: 1, den: 1, exp: power, prefixes: "mkMG"},
	"hp":    {num: hp, den: 1, exp: power},
	"shp":   {num: hp, den: 1, exp: power},
	"PS":    {num: 75 * gravity, den: 1, exp: power}, // metric horsepower, 75 kgf m/s
	"rad":   {num: 1, den: 1, exp: angle},
	"deg":   {num: math.Pi, den: 180, exp: angle},
	"°":     {num: math.Pi, den: 180, exp: angle},
	"rev":   {num: 2 * math.Pi, den: 1, exp: angle},
	"rpm":   {num: 2 * math.Pi, den: 60, exp: speed},
	"RPM":   {num: 2 * math.Pi, den: 60, exp: speed},
	"Hz":    {num: 2 * math.Pi, den: 1, exp: speed}, // of a shaft: revolutions a second
	"poise": {num: 1, den: 10, exp: exponents{mass: 1, length: -1, time: -1}},
	"B":     {num: 1, den: 1, exp: data, prefixes: "kMG"},
	"KiB":   {num: 1 << 10, den: 1, exp: data},
	"MiB":   {num: 1 << 20, den: 1, exp: data},
	"GiB":   {num: 1 << 30, den: 1, exp: data},
}

// lookup returns the unit of that name, with or without an SI prefix.
func lookup(name string) (atom, bool) {
	if a, ok := words[name]; ok {
		return a, true
	}
	if len(name) < 2 {
		return atom{}, false
	}
	a, ok := words[name[1:]]
	if !ok {
		return atom{}, false
	}
	for i := range len(a.prefixes) {
		if a.prefixes[i] == name[0] {
			num, den := prefix(name[0])
			a.num, a.den = a.num*num, a.den*den
			return a, true
		}
	}
	return atom{}, false
}

// prefix returns an SI prefix as a fraction.
func prefix(p byte) (num, den float64) {
	switch p {
	case 'u':
		return 1, 1e6
	case 'm':
		return 1, 1e3
	case 'c':
		return 1, 1e2
	case 'h':
		return 1e2, 1
	case 'k':
		return 1e3, 1
	case 'M':
		return 1e6, 1
	case 'G':
		return 1e9, 1
	}
	panic("unit: no prefix " + string(p))
}

// names yields every unit's name, with its prefixed forms. The order is fixed, so that suggestions do not depend on
// that of the map: backwards, with rpm before its other spelling RPM.
func names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(words))) {
			if !yield(name) {
				return
			}
			for _, p := range words[name].prefixes {
				if !yield(string(p) + name) {
					return
				}
			}
		}
	}
}
