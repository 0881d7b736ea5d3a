package gas

// Indices in minors of the species of a lean gas: first species of cool gas, last species with hydrogen.
const (
	iNO = iota
	iNO2
	iCO
	iO
	iN
	iH2
	iH
	iOH
	iHO2
	iH2O2
	nLean
	nLeanCool = iCO
	nLeanDry  = iH2
)

// minors are the species of hot or rich gas besides N2, O2, Ar, CO2 and H2O: the species of pyCycle's CEA set. Of the
// species left out N2O matters most; see TestLeftOut. Condensed species (soot, water, ice) are not formed.
//
// Coefficients: McBride, Zehe and Gordon, NASA Glenn Coefficients for Calculating Thermodynamic Properties of
// Individual Species, NASA TP-2002-211556; 200 to 1000 K and 1000 to 6000 K.
var minors = []struct {
	name      string
	formula   Formula
	low, high polynomial
}{
	{
		name: "NO", formula: Formula{O: 1, N: 1},
		low: polynomial{-11439.16503, 153.6467592, 3.43146873, -0.002668592368, 8.48139912e-06, -7.68511105e-09,
			2.386797655e-12, 9098.21441, 6.72872749},
		high: polynomial{223901.8716, -1289.651623, 5.43393603, -0.00036560349, 9.88096645e-08, -1.416076856e-11,
			9.38018462e-16, 17503.17656, -8.50166709},
	},
	{
		name: "NO2", formula: Formula{O: 2, N: 1},
		low: polynomial{-56420.3878, 963.308572, -2.434510974, 0.01927760886, -1.874559328e-05, 9.14549773e-09,
			-1.777647635e-12, -1547.925037, 40.6785134},
		high: polynomial{721300.157, -3832.6152, 11.13963285, -0.002238062246, 6.54772343e-07, -7.6113359e-11,
			3.32836105e-15, 25024.97403, -43.0512991},
	},
	{
		name: "CO", formula: Formula{C: 1, O: 1},
		low: polynomial{14890.45326, -292.2285939, 5.72452717, -0.00817623503, 1.456903469e-05, -1.087746302e-08,
			3.027941827e-12, -13031.31878, -7.85924135},
		high: polynomial{461919.725, -1944.704863, 5.91671418, -0.000566428283, 1.39881454e-07, -1.787680361e-11,
			9.62093557e-16, -2466.261084, -13.87413108},
	},
	{
		name: "O", formula: Formula{O: 1},
		low: polynomial{-7953.6113, 160.7177787, 1.966226438, 0.00101367031, -1.110415423e-06, 6.5175075e-10,
			-1.584779251e-13, 28403.62437, 8.40424182},
		high: polynomial{261902.0262, -729.872203, 3.31717727, -0.000428133436, 1.036104594e-07, -9.43830433e-12,
			2.725038297e-16, 33924.2806, -0.667958535},
	},
	{
		name: "N", formula: Formula{N: 1},
		low: polynomial{0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0, 56104.6378, 4.19390932},
		high: polynomial{88765.0138, -107.12315, 2.362188287, 0.0002916720081, -1.7295151e-07, 4.01265788e-11,
			-2.677227571e-15, 56973.5133, 4.86523579},
	},
	{
		name: "H2", formula: Formula{H: 2},
		low: polynomial{40783.2281, -800.918545, 8.21470167, -0.0126971436, 1.75360493e-05, -1.20286016e-08,
			3.36809316e-12, 2682.48438, -30.4378866},
		high: polynomial{560812.338, -837.149134, 2.97536304, 0.00125224993, -3.74071842e-07, 5.93662825e-11,
			-3.60699573e-15, 5339.81585, -2.20276405},
	},
	{
		name: "H", formula: Formula{H: 1},
		low: polynomial{0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0, 25473.70801, -0.446682853},
		high: polynomial{60.7877425, -0.1819354417, 2.500211817, -1.226512864e-07, 3.73287633e-11, -5.68774456e-15,
			3.410210197e-19, 25474.86398, -0.448191777},
	},
	{
		name: "OH", formula: Formula{H: 1, O: 1},
		low: polynomial{-1998.85899, 93.0013616, 3.050854229, 0.001529529288, -3.157890998e-06, 3.31544618e-09,
			-1.138762683e-12, 2991.214235, 4.67411079},
		high: polynomial{1017393.379, -2509.957276, 5.11654786, 0.000130529993, -8.28432226e-08, 2.006475941e-11,
			-1.556993656e-15, 20196.40206, -11.01282337},
	},
	{
		name: "HO2", formula: Formula{H: 1, O: 2},
		low: polynomial{-75988.8254, 1329.383918, -4.67738824, 0.02508308202, -3.006551588e-05, 1.895600056e-08,
			-4.82856739e-12, -5873.35096, 51.9360214},
		high: polynomial{-1810669.724, 4963.19203, -1.039498992, 0.00456014853, -1.061859447e-06, 1.144567878e-10,
			-4.76306416e-15, -32008.1719, 40.6685092},
	},
	{
		name: "H2O2", formula: Formula{H: 2, O: 2},
		low: polynomial{-92795.3358, 1564.748385, -5.97646014, 0.0327074452, -3.93219326e-05, 2.509255235e-08,
			-6.46504529e-12, -24940.04728, 58.7717418},
		high: polynomial{1489428.027, -5170.82178, 11.2820497, -8.04239779e-05, -1.818383769e-08, 6.94726559e-12,
			-4.8278319e-16, 14182.51038, -46.5085566},
	},
	{
		name: "NO3", formula: Formula{O: 3, N: 1},
		low: polynomial{34053.9841, 226.6670652, -3.79308163, 0.041707327, -5.70991327e-05, 3.83415811e-08,
			-1.021969284e-11, 7088.1122, 42.7309181},
		high: polynomial{-394387.271, -824.426353, 10.61325843, -0.0002448749816, 5.40606032e-08, -6.19546675e-12,
			2.870000149e-16, 8982.01173, -34.446665},
	},
	{
		name: "NH3", formula: Formula{H: 3, N: 1},
		low: polynomial{-76812.2615, 1270.951578, -3.89322913, 0.02145988418, -2.183766703e-05, 1.317385706e-08,
			-3.33232206e-12, -12648.86413, 43.6601494},
		high: polynomial{2452389.535, -8040.89424, 12.71346201, -0.000398018658, 3.55250275e-08, 2.53092357e-12,
			-3.32270053e-16, 43861.9196, -64.6233025},
	},
	{
		name: "CH4", formula: Formula{C: 1, H: 4},
		low: polynomial{-176685.0998, 2786.18102, -12.0257785, 0.0391761929, -3.61905443e-05, 2.026853043e-08,
			-4.97670549e-12, -23313.1436, 89.0432275},
		high: polynomial{3730042.76, -13835.01485, 20.49107091, -0.001961974759, 4.72731304e-07, -3.72881469e-11,
			1.623737207e-15, 75320.6691, -121.9124889},
	},
	{
		name: "C2H4", formula: Formula{C: 2, H: 4},
		low: polynomial{-116360.5836, 2554.85151, -16.09746428, 0.0662577932, -7.88508186e-05, 5.12522482e-08,
			-1.370340031e-11, -6176.19107, 109.3338343},
		high: polynomial{3408763.67, -13748.47903, 23.65898074, -0.002423804419, 4.43139566e-07, -4.35268339e-11,
			1.775410633e-15, 88204.2938, -137.1278108},
	},
}

// reaction forms one kmol of a minor species from the major ones:
//
//	C = CO2 - O2,  H = H2O/2 - O2/4,  O = O2/2,  N = N2/2
//
//	ln K = -(g_j - sum nu_k g_k)/(Ru T),  p_j = K prod p_k^nu_k
//
// with pressures in units of the standard pressure.
type reaction struct {
	name      string
	nu        [nSpecies]float64
	low, high polynomial // of the enthalpy and entropy of reaction, in units of Ru
}

// newReactions lists the reactions, in the order of minors.
func newReactions(c *Convention) []reaction {
	rs := make([]reaction, len(minors))
	for i := range minors {
		m, r := &minors[i], &rs[i]
		f := m.formula
		r.name, r.low, r.high = m.name, m.low, m.high
		switch i {
		case iOH:
			r.low[7] += c.OH / Ru
			r.high[7] += c.OH / Ru
		case iHO2:
			r.low[7] += c.HO2 / Ru
			r.high[7] += c.HO2 / Ru
		}
		r.nu = [nSpecies]float64{N2: f.N / 2, CO2: f.C, H2O: f.H / 2, O2: f.O/2 - f.C - f.H/4}
		for k, nu := range r.nu {
			for c := range r.low {
				r.low[c] -= nu * table[k].low[c]
				r.high[c] -= nu * table[k].high[c]
			}
		}
		r.high = join(&r.low, r.high)
	}
	return rs
}

// at returns ln K, the heat of reaction over Ru T, and its heat capacity over Ru.
func (r *reaction) at(T, lnT float64) (lnK, heat, cp float64) {
	p := pick(&r.low, &r.high, T)
	heat = p.h(T, lnT) / T
	return p.s(T, lnT) - heat, heat, p.cp(T)
}

func pick(low, high *polynomial, T float64) *polynomial {
	if T > breakT {
		return high
	}
	return low
}

// join returns high shifted so that enthalpy and entropy do not jump between the ranges. The fits leave gaps of up to
// 0.05 J/kg and 2e-4 J/(kg K) (H2); values in a gap would have no temperature.
func join(low *polynomial, high polynomial) polynomial {
	T, lnT := breakT, lnBreakT
	high[7] += low.h(T, lnT) - high.h(T, lnT)
	high[8] += low.s(T, lnT) - high.s(T, lnT)
	return high
}
