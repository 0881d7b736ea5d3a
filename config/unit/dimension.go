package unit

// Dimension is the kind of a quantity, with the SI unit in which bare numbers are read.
type Dimension string

const (
	None            Dimension = ""                                 // 1; % is 0.01
	Length          Dimension = "length"                           // m
	Area            Dimension = "area"                             // m2
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
)
