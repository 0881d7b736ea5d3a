package gas

import "math"

// Ru is the molar gas constant, J/(kmol K) (CODATA 2014, as in NASA's CEA).
const Ru = 8314.4598

// polynomial holds the nine coefficients of NASA's form for one temperature range, for one kmol in units of Ru or,
// blended, for one kg in J:
//
//	Cp/R  = a0/T^2 + a1/T + a2 + a3 T + a4 T^2 + a5 T^3 + a6 T^4
//	H/RT  = -a0/T^2 + a1 ln(T)/T + a2 + a3 T/2 + a4 T^2/3 + a5 T^3/4 + a6 T^4/5 + b1/T
//	S/R   = -a0/(2 T^2) - a1/T + a2 ln T + a3 T + a4 T^2/2 + a5 T^3/3 + a6 T^4/4 + b2
//
// with b1 and b2 in the last two places.
type polynomial [9]float64

func (p *polynomial) cp(T float64) float64 {
	return (p[0]/T+p[1])/T + p[2] + T*(p[3]+T*(p[4]+T*(p[5]+T*p[6])))
}

func (p *polynomial) h(T, lnT float64) float64 {
	return -p[0]/T + p[1]*lnT + T*(p[2]+T*(p[3]/2+T*(p[4]*(1.0/3)+T*(p[5]/4+T*p[6]*(1.0/5))))) + p[7]
}

// s is at the standard pressure of 1 bar.
func (p *polynomial) s(T, lnT float64) float64 {
	return (-p[0]/(2*T)-p[1])/T + p[2]*lnT + T*(p[3]+T*(p[4]/2+T*(p[5]*(1.0/3)+T*p[6]/4))) + p[8]
}

const (
	breakT = 1000.0 // K, between the two ranges
	minT   = 120.0  // K; the fits begin at 200 K and are smooth a good way below
	maxT   = 6000.0 // K

	lnBreakT = 6.907755278982137
)

// The species of air and of the products of complete lean combustion.
const (
	N2 = iota
	O2
	Ar
	CO2
	H2O
	nSpecies
)

type species struct {
	name      string
	molarMass float64    // kg/kmol
	low, high polynomial // 200 to 1000 K, 1000 to 6000 K
}

// Coefficients: McBride, Zehe and Gordon, NASA Glenn Coefficients for
// Calculating Thermodynamic Properties of Individual Species,
// NASA TP-2002-211556.
var table = [nSpecies]species{
	N2: {
		name: "N2", molarMass: 28.01348,
		low: polynomial{22103.71497, -381.846182, 6.08273836, -0.00853091441, 1.384646189e-05, -9.62579362e-09,
			2.519705809e-12, 710.846086, -10.76003316},
		high: polynomial{587712.406, -2239.249073, 6.06694922, -0.00061396855, 1.491806679e-07, -1.923105485e-11,
			1.061954386e-15, 12832.10415, -15.86639599},
	},
	O2: {
		name: "O2", molarMass: 31.9988,
		low: polynomial{-34255.6342, 484.700097, 1.119010961, 0.00429388924, -6.83630052e-07, -2.0233727e-09,
			1.039040018e-12, -3391.45487, 18.4969947},
		high: polynomial{-1037939.022, 2344.830282, 1.819732036, 0.001267847582, -2.188067988e-07, 2.053719572e-11,
			-8.19346705e-16, -16890.10929, 17.38716506},
	},
	Ar: {
		name: "Ar", molarMass: 39.948,
		low: polynomial{0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0, -745.375, 4.37967491},
		high: polynomial{20.10538475, -0.0599266107, 2.500069401, -3.99214116e-08, 1.20527214e-11, -1.819015576e-15,
			1.078576636e-19, -744.993961, 4.37918011},
	},
	CO2: {
		name: "CO2", molarMass: 44.0095,
		low: polynomial{49436.5054, -626.411601, 5.30172524, 0.002503813816, -2.127308728e-07, -7.68998878e-10,
			2.849677801e-13, -45281.9846, -7.04827944},
		high: polynomial{117696.2419, -1788.791477, 8.29152319, -9.22315678e-05, 4.86367688e-09, -1.891053312e-12,
			6.33003659e-16, -39083.5059, -26.52669281},
	},
	H2O: {
		name: "H2O", molarMass: 18.01528,
		low: polynomial{-39479.6083, 575.573102, 0.931782653, 0.00722271286, -7.34255737e-06, 4.95504349e-09,
			-1.336933246e-12, -33039.7431, 17.24205775},
		high: polynomial{1034972.096, -2412.698562, 4.64611078, 0.002291998307, -6.83683048e-07, 9.42646893e-11,
			-4.82238053e-15, -13842.86509, -7.97814851},
	},
}

// dryAir is the composition of dry air in mole fractions, that of CEA
// (Gordon and McBride, NASA RP-1311, Air).
var dryAir = [nSpecies]float64{N2: 0.78084, O2: 0.209476, Ar: 0.009365, CO2: 0.000319}

// A blend is a linear combination of species in J/kg units: kmol of each per kg,
// and the two polynomials times Ru.
type blend struct {
	n         [nSpecies]float64 // kmol/kg
	low, high polynomial
}

func newBlend(n [nSpecies]float64) blend {
	b := blend{n: n}
	for j := range table {
		for i := range b.low {
			b.low[i] += Ru * n[j] * table[j].low[i]
			b.high[i] += Ru * n[j] * table[j].high[i]
		}
	}
	return b
}

// mixingEntropy is -Ru sum n_j ln x_j, J/(kg K).
func mixingEntropy(n *[nSpecies]float64) float64 {
	sum := 0.0
	for _, nj := range n {
		sum += nj
	}
	s := 0.0
	for _, nj := range n {
		if nj > 0 {
			s -= nj * math.Log(nj/sum)
		}
	}
	return Ru * s
}
