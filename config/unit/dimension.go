package unit

// Dimension is the kind of a quantity, with the SI unit of numbers without a unit.
type Dimension string

const (
	None            Dimension = ""                                 // 1; % is 0.01
	Length          Dimension = "length"                           // m
	Area            Dimension = "area"                             // m2
	Volume          Dimension = "volume"                           // m3
	Mass            Dimension = "mass"                             // kg
	Time            Dimension = "time"                             // s
	Temperature     Dimension = "temperature"                      // K, absolute
	TemperatureDiff Dimension = "temperature difference"           // K
	Pressure        Dimension = "pressure"                         // Pa
	MassFlow        Dimension = "mass flow"                        // kg/s
	Velocity        Dimension = "velocity"                         // m/s
	Force           Dimension = "force"                            // N
	Power           Dimension = "power"                            // W
	SpecificEnergy  Dimension = "specific energy"                  // J/kg
	SpecificEntropy Dimension = "specific entropy"                 // J/(kg K)
	Speed           Dimension = "rotational speed"                 // rpm
	Torque          Dimension = "torque"                           // N m
	Inertia         Dimension = "inertia"                          // kg m2
	Angle           Dimension = "angle"                            // rad
	Density         Dimension = "density"                          // kg/m3
	TSFC            Dimension = "thrust-specific fuel consumption" // kg/(N s)
	PSFC            Dimension = "power-specific fuel consumption"  // kg/J
	Viscosity       Dimension = "viscosity"                        // Pa s
	Conductance     Dimension = "thermal conductance"              // W/K
	Storage         Dimension = "amount of memory"                 // B
)

// exponents are the powers of the base quantities in a dimension. Angle counts as a base quantity, although SI calls it
// dimensionless, so that 30 deg is not accepted as a pressure ratio nor 50 rad/s as another frequency.
type exponents struct{ mass, length, time, temperature, angle, data int }

// description holds the data of a dimension: the unit of bare numbers, the units of tables, and for messages the
// article, examples and the usual units.
type description struct {
	dim      Dimension
	exp      exponents
	bare     string    // unit of bare numbers
	table    [2]string // units of tables, by System
	phrase   string    // "a pressure"
	examples string
	usual    []string
}

// descriptions is in the order in which a quantity looks for its name: a kelvin is a temperature before it is a
// difference of temperatures.
var descriptions = []description{
	{None, exponents{}, "", [2]string{"", ""}, "a number without unit", "0.03 or 3 %", []string{"%"}},
	{Length, exponents{length: 1}, "m", [2]string{"m", "in"}, "a length", "1.2 m or 48 in",
		[]string{"m", "cm", "mm", "km", "in", "ft", "nmi"}},
	{Area, exponents{length: 2}, "m2", [2]string{"m2", "in2"}, "an area", "0.5 m2 or 775 in2",
		[]string{"m2", "cm2", "mm2", "in2", "ft2"}},
	{Volume, exponents{length: 3}, "m3", [2]string{"m3", "ft3"}, "a volume", "0.05 m3 or 1.8 ft3",
		[]string{"m3", "cm3", "in3", "ft3"}},
	{Mass, exponents{mass: 1}, "kg", [2]string{"kg", "lbm"}, "a mass", "10 kg or 22 lbm",
		[]string{"kg", "g", "lbm", "slug"}},
	{Time, exponents{time: 1}, "s", [2]string{"s", "s"}, "a time", "10 s or 5 min", []string{"s", "ms", "min", "h"}},
	{Temperature, exponents{temperature: 1}, "K", [2]string{"K", "degR"}, "a temperature", "288.15 K or 15 degC",
		[]string{"K", "degC", "degR", "degF"}},
	{TemperatureDiff, exponents{temperature: 1}, "K", [2]string{"K", "degR"}, "a temperature difference",
		"15 K or 27 degR", []string{"K", "degC", "degR", "degF"}},
	{Pressure, exponents{mass: 1, length: -1, time: -2}, "Pa", [2]string{"kPa", "psi"}, "a pressure",
		"101325 Pa or 14.696 psi", []string{"Pa", "kPa", "MPa", "bar", "atm", "psi", "psf", "inHg"}},
	{MassFlow, exponents{mass: 1, time: -1}, "kg/s", [2]string{"kg/s", "lbm/s"}, "a mass flow",
		"100 kg/s or 220 lbm/s", []string{"kg/s", "g/s", "kg/h", "lbm/s", "lbm/h"}},
	{Velocity, exponents{length: 1, time: -1}, "m/s", [2]string{"m/s", "ft/s"}, "a velocity", "340 m/s or 1115 ft/s",
		[]string{"m/s", "km/h", "ft/s", "kt", "mph"}},
	{Force, exponents{mass: 1, length: 1, time: -2}, "N", [2]string{"kN", "lbf"}, "a force", "50 kN or 11240 lbf",
		[]string{"N", "kN", "lbf", "kgf"}},
	{Power, exponents{mass: 1, length: 2, time: -3}, "W", [2]string{"kW", "hp"}, "a power", "100 kW or 134 hp",
		[]string{"W", "kW", "MW", "hp", "Btu/s"}},
	{SpecificEnergy, exponents{length: 2, time: -2}, "J/kg", [2]string{"kJ/kg", "Btu/lbm"}, "a specific energy",
		"43.1 MJ/kg or 18530 Btu/lbm", []string{"J/kg", "kJ/kg", "MJ/kg", "Btu/lbm"}},
	{
		SpecificEntropy, exponents{length: 2, time: -2, temperature: -1}, "J/(kg K)",
		[2]string{"J/(kg K)", "Btu/(lbm degR)"}, "a specific entropy or heat", "1004 J/(kg K) or 0.24 Btu/(lbm degR)",
		[]string{"J/(kg K)", "kJ/(kg K)", "Btu/(lbm degR)"},
	},
	{Speed, exponents{time: -1, angle: 1}, "rpm", [2]string{"rpm", "rpm"}, "a rotational speed",
		"8070 rpm or 845 rad/s", []string{"rpm", "rad/s", "Hz"}},
	{Torque, exponents{mass: 1, length: 2, time: -2}, "N m", [2]string{"N m", "lbf ft"}, "a torque",
		"500 N m or 369 lbf ft", []string{"N m", "kN m", "lbf ft"}},
	{Inertia, exponents{mass: 1, length: 2}, "kg m2", [2]string{"kg m2", "lbm ft2"}, "a moment of inertia",
		"100 kg m2 or 2373 lbm ft2", []string{"kg m2", "lbm ft2", "slug ft2"}},
	{Angle, exponents{angle: 1}, "rad", [2]string{"deg", "deg"}, "an angle", "0.5 rad or 30 deg",
		[]string{"rad", "deg"}},
	{Density, exponents{mass: 1, length: -3}, "kg/m3", [2]string{"kg/m3", "lbm/ft3"}, "a density",
		"1.225 kg/m3 or 0.0765 lbm/ft3", []string{"kg/m3", "lbm/ft3", "slug/ft3"}},
	{TSFC, exponents{length: -1, time: 1}, "kg/(N s)", [2]string{"g/(kN s)", "lbm/h/lbf"},
		"a thrust-specific fuel consumption", "15 g/(kN s) or 0.53 lbm/h/lbf",
		[]string{"kg/(N s)", "g/(kN s)", "kg/(N h)", "lbm/h/lbf"}},
	{PSFC, exponents{length: -2, time: 2}, "kg/J", [2]string{"g/(kW h)", "lbm/h/hp"},
		"a power-specific fuel consumption", "250 g/(kW h) or 0.41 lbm/h/hp",
		[]string{"kg/J", "g/(kW h)", "kg/(kW h)", "lbm/h/hp"}},
	{Viscosity, exponents{mass: 1, length: -1, time: -1}, "Pa s", [2]string{"Pa s", "lbm/(ft s)"}, "a viscosity",
		"1.8e-5 Pa s", []string{"Pa s", "kg/(m s)", "lbm/(ft s)"}},
	{Conductance, exponents{mass: 1, length: 2, time: -3, temperature: -1}, "W/K", [2]string{"W/K", "Btu/(h degR)"},
		"a thermal conductance", "2000 W/K or 3.8 kW/K", []string{"W/K", "kW/K", "Btu/(h degR)"}},
	{Storage, exponents{data: 1}, "B", [2]string{"GB", "GB"}, "an amount of memory", "2 GB or 512 MiB",
		[]string{"B", "kB", "MB", "GB", "KiB", "MiB", "GiB"}},
}

// describe returns the description of a dimension. It panics for a dimension that this package does not define, which
// is a programming error.
func describe(dim Dimension) *description {
	if d := find(dim); d != nil {
		return d
	}
	panic("unit: no dimension " + string(dim))
}

// Known reports whether the dimension exists.
func (dim Dimension) Known() bool { return find(dim) != nil }

// find returns the description of a dimension, nil for an unknown dimension.
func find(dim Dimension) *description {
	for i := range descriptions {
		if descriptions[i].dim == dim {
			return &descriptions[i]
		}
	}
	return nil
}

// named returns the dimension with these exponents, if it has a name here.
func named(exp exponents) (*description, bool) {
	for i := range descriptions {
		if descriptions[i].exp == exp {
			return &descriptions[i], true
		}
	}
	return nil, false
}

// Bare returns the unit of a number without unit: SI, but rpm for speeds.
func (d Dimension) Bare() string { return describe(d).bare }

// Phrase returns the dimension with its article, as in "a pressure".
func (d Dimension) Phrase() string { return describe(d).phrase }

// Examples returns examples of the quantity, as in "101325 Pa or 14.696 psi".
func (d Dimension) Examples() string { return describe(d).examples }

// Usual returns the usual units of the quantity. Any other product of known units with the right dimension is accepted
// as well.
func (d Dimension) Usual() []string { return describe(d).usual }

// Dimensions returns every dimension, in the order of the documentation.
func Dimensions() []Dimension {
	all := make([]Dimension, len(descriptions))
	for i := range descriptions {
		all[i] = descriptions[i].dim
	}
	return all
}
