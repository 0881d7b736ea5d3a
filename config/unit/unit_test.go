package unit_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func ExampleParse() {
	for _, q := range []struct {
		text string
		dim  unit.Dimension
	}{{"11800 lbf", unit.Force}, {"3 %", unit.None}, {"12 degC", unit.Temperature}, {"12 degC", unit.TemperatureDiff},
		{"8070", unit.Speed}} {
		v, err := unit.Parse(q.text, q.dim)
		fmt.Println(q.text, "=", v, q.dim.Bare(), err)
	}
	_, err := unit.Parse("12 K", unit.Pressure)
	fmt.Println(err)
	// Output:
	// 11800 lbf = 52489.01506007389 N <nil>
	// 3 % = 0.03  <nil>
	// 12 degC = 285.15 K <nil>
	// 12 degC = 12 K <nil>
	// 8070 = 8070 rpm <nil>
	// "12 K": a temperature, want a pressure such as 101325 Pa or 14.696 psi
}

func ExampleSystem_Format() {
	fmt.Println(unit.SI.Format(101325, unit.Pressure, 5))
	fmt.Println(unit.Imperial.Format(101325, unit.Pressure, 5))
	// Output:
	// 101.33 kPa
	// 14.696 psi
}

// quantity is a text with the value that it has in SI.
type quantity struct {
	text string
	dim  unit.Dimension
	want float64
}

// parses holds that texts are read as their values, relatively within a tolerance.
func parses(t *testing.T, tolerance float64, list []quantity) {
	t.Helper()
	for _, c := range list {
		if got := must.Value(unit.Parse(c.text, c.dim))(t); !(math.Abs(got-c.want) <= tolerance*math.Abs(c.want)) {
			t.Errorf("%s = %v, want %v", c.text, got, c.want)
		}
	}
}

// Exact values follow from the definitions, rounded once.
func TestParseIsCorrectlyRounded(t *testing.T) {
	parses(t, 2e-16, []quantity{
		{"13.5", unit.None, 13.5},
		{"83%", unit.None, 0.83},
		{"83 %", unit.None, 0.83},
		{"7 %", unit.None, 0.07},
		{"0 ft", unit.Length, 0},
		{"35000 ft", unit.Length, 10668},
		{"0.5 mm", unit.Length, 0.0005},
		{"1 lbf", unit.Force, 4.4482216152605},
		{"1 lbm/s", unit.MassFlow, 0.45359237},
		{"3600 lb/h", unit.MassFlow, 0.45359237},
		{"1.2 kg/s", unit.MassFlow, 1.2},
		{"15 degC", unit.Temperature, 288.15},
		{"15 °C", unit.Temperature, 288.15},
		{"518.67 degR", unit.Temperature, 288.15},
		{"59 degF", unit.Temperature, 288.15},
		{"27 degF", unit.TemperatureDiff, 15},
		{"15", unit.Temperature, 15},
		{"1 atm", unit.Pressure, 101325},
		{"1013.25 mbar", unit.Pressure, 101325},
		{"101.325 kPa", unit.Pressure, 101325},
		{"8070 rpm", unit.Speed, 8070},
		{"60 rev/min", unit.Speed, 60},
		{"1 Hz", unit.Speed, 60},
		{"100 kg m2", unit.Inertia, 100},
		{"100 kg*m^2", unit.Inertia, 100},
		{"100 kg·m²", unit.Inertia, 100},
		{"43.1 MJ/kg", unit.SpecificEnergy, 43.1e6},
		{"1 Btu/lbm", unit.SpecificEnergy, 2326},
		{"1004 J/(kg K)", unit.SpecificEntropy, 1004},
		{"1004 J/kg/K", unit.SpecificEntropy, 1004},
		{"1004 J/(kg degC)", unit.SpecificEntropy, 1004},
		{"1004 J/kg-K", unit.SpecificEntropy, 1004},
		{"100 kg-m2", unit.Inertia, 100},
		{"1 N-m", unit.Torque, 1},
		{"1.225 kg m-3", unit.Density, 1.225},
		{"1.225 kg m^-3", unit.Density, 1.225},
		{"15 mg/(N s)", unit.TSFC, 15e-6},
		{"360 kg/(kW h)", unit.PSFC, 1e-4},
		{"180 deg", unit.Angle, math.Pi},
		{"-5 K", unit.TemperatureDiff, -5},
		{"+1.5e1 K", unit.Temperature, 15},
		{".5", unit.None, .5},
		{"5.", unit.None, 5},
		{"20 mW", unit.Power, 0.02},
		{"20 MW", unit.Power, 2e7},
	})
}

// Conversion factors as printed in NIST SP 811, appendix B.8 (2008), to its seven digits.
func TestFactorsOfNIST(t *testing.T) {
	parses(t, 5e-7, []quantity{
		{"1 psi", unit.Pressure, 6.894757e3},
		{"1 psf", unit.Pressure, 4.788026e1},
		{"1 inHg", unit.Pressure, 3.386389e3},
		{"1 mmHg", unit.Pressure, 1.333224e2},
		{"1 hp", unit.Power, 7.456999e2},
		{"1 PS", unit.Power, 7.354988e2},
		{"1 Btu/s", unit.Power, 1.055056e3},
		{"1 slug", unit.Mass, 1.459390e1},
		{"1 lbm ft2", unit.Inertia, 4.214011e-2},
		{"1 lbf ft", unit.Torque, 1.355818},
		{"1 Btu/(lbm degF)", unit.SpecificEntropy, 4.1868e3},
		{"1 lbm/ft3", unit.Density, 1.601846e1},
		{"1 lbm/(ft s)", unit.Viscosity, 1.488164},
		{"1 lbm/(hp h)", unit.PSFC, 1.689659e-7},
		{"1 kt", unit.Velocity, 5.144444e-1},
		{"1 mph", unit.Velocity, 4.4704e-1},
		{"1 ft2", unit.Area, 9.290304e-2},
		{"1 rad/s", unit.Speed, 60 / (2 * math.Pi)},
		{"1 lbm/h/lbf", unit.TSFC, 0.45359237 / 3600 / 4.4482216152605},
	})
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		text string
		dim  unit.Dimension
		kind unit.Kind
		want string
	}{
		{"12 K", unit.Pressure, unit.Mismatch, "a temperature, want a pressure such as 101325 Pa or 14.696 psi"},
		{"12 K", unit.None, unit.Mismatch, "a temperature, want a number without unit such as 0.03 or 3 %"},
		{"3 %", unit.Force, unit.Mismatch, "a percentage, want a force such as 50 kN or 11240 lbf"},
		{"3 lb", unit.Force, unit.Mismatch, "a mass, want a force such as 50 kN or 11240 lbf"},
		{
			"3 kg m", unit.Force, unit.Mismatch,
			"in no unit that has a name here, want a force such as 50 kN or 11240 lbf",
		},
		{
			"3 PSI", unit.Pressure, unit.Unknown,
			`unknown unit "PSI", did you mean psi? (units of pressure: Pa, kPa, MPa, bar, atm, psi, psf, inHg)`,
		},
		{"3 furlong", unit.Length, unit.Unknown, `unknown unit "furlong" (units of length: m, cm, mm, km, in, ft, nmi)`},
		{
			"3 C", unit.Temperature, unit.Unknown,
			`unknown unit "C", did you mean degC? (units of temperature: K, degC, degR, degF)`,
		},
		{"3 m/", unit.Velocity, unit.Unknown, "the unit ends too early (units of velocity: m/s, km/h, ft/s, kt, mph)"},
		{
			"3 (m", unit.Length, unit.Unknown,
			`cannot read "( without )" in a unit (units of length: m, cm, mm, km, in, ft, nmi)`,
		},
		{"3 N-", unit.Force, unit.Unknown, "the unit ends too early (units of force: N, kN, lbf, kgf)"},
		{"3 m^x", unit.Length, unit.Unknown, `cannot read "^x" in a unit (units of length: m, cm, mm, km, in, ft, nmi)`},
		{"3 m12", unit.Length, unit.Unknown, `cannot read "2" in a unit (units of length: m, cm, mm, km, in, ft, nmi)`},
		{
			"1004 J/kg K", unit.SpecificEntropy, unit.Mismatch,
			"in no unit that has a name here, want a specific entropy or heat such as 1004 J/(kg K) or 0.24 Btu/(lbm " +
				"degR)",
		},
		{"3 m)", unit.Length, unit.Unknown, `cannot read "m)" in a unit (units of length: m, cm, mm, km, in, ft, nmi)`},
		{"nan", unit.None, unit.NotFinite, "not finite, want a number without unit such as 0.03 or 3 %"},
		{".NaN", unit.None, unit.NotFinite, "not finite, want a number without unit such as 0.03 or 3 %"},
		{"-.inf K", unit.Temperature, unit.NotFinite, "not finite, want a temperature such as 288.15 K or 15 degC"},
		{"1e999", unit.None, unit.NotFinite, "beyond the range of numbers"},
		{"1e308 km", unit.Length, unit.NotFinite, "beyond the range of numbers"},
		{"-300 degC", unit.Temperature, unit.OutOfRange, "below absolute zero"},
		{"11,800 lbf", unit.Force, unit.NotNumber, "a comma in a number: write 11800 lbf"},
		{
			"0x10", unit.None, unit.NotNumber,
			"write the number in decimal, without separators: want a number without unit such as 0.03 or 3 %",
		},
		{"high", unit.Force, unit.NotNumber, "no number, want a force such as 50 kN or 11240 lbf"},
		{"", unit.Force, unit.NotNumber, "no number, want a force such as 50 kN or 11240 lbf"},
	} {
		_, err := unit.Parse(c.text, c.dim)
		var e *unit.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: %v, want an error", c.text, err)
			continue
		}
		if e.Kind != c.kind || e.Reason != c.want || e.Text != c.text || e.Want != c.dim {
			t.Errorf("%q: kind %d %q\nwant kind %d %q", c.text, e.Kind, e.Reason, c.kind, c.want)
		}
	}
}

// Whatever a message recommends must itself be understood.
func TestExamplesAndUsualUnitsAreUnderstood(t *testing.T) {
	for _, dim := range unit.Dimensions() {
		for _, q := range strings.Split(dim.Examples(), " or ") {
			must.Value(unit.Parse(q, dim))(t)
		}
		for _, name := range append(dim.Usual(), unit.SI.Of(dim).Name(), unit.Imperial.Of(dim).Name()) {
			must.Value(unit.New(name, dim))(t)
		}
		bare, err := unit.New(dim.Bare(), dim)
		if err != nil || bare.ToSI(1) != 1 {
			t.Errorf("the unit of bare numbers %q is worth %v (%v)", dim.Bare(), bare.ToSI(1), err)
		}
	}
}

func TestConversionGoesThereAndBack(t *testing.T) {
	dims := unit.Dimensions()
	testenv.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom(dims).Draw(t, "dim")
		usual := dim.Usual()
		u := must.Value(unit.New(rapid.SampledFrom(usual).Draw(t, "unit"), dim))(t)
		x := rapid.Float64Range(-1e9, 1e9).Draw(t, "x")
		if back := u.FromSI(u.ToSI(x)); math.Abs(back-x) > 1e-14*(math.Abs(x)+1000) {
			t.Fatalf("%v %s came back as %v", x, u.Name(), back)
		}
		y := rapid.Float64Range(0, 1e9).Draw(t, "y")
		got, err := unit.Parse(fmt.Sprintf("%g %s", y, u.Name()), dim)
		if err != nil || got != u.ToSI(y) {
			t.Fatalf("parsed %v (%v), converted %v", got, err, u.ToSI(y))
		}
	})
}

func TestAnyTextEitherParsesToAFiniteNumberOrFails(t *testing.T) {
	dims := unit.Dimensions()
	testenv.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{0,3}\.?[0-9]{0,3}(e[0-9]{1,3})? ?([a-zA-Z%()/*^ 0-9°²]{0,12})`).Draw(
			t, "text")
		v, err := unit.Parse(text, rapid.SampledFrom(dims).Draw(t, "dim"))
		if err == nil && !numeric.Finite(v) {
			t.Fatalf("%q gave %v", text, v)
		}
		if e := new(unit.Error); err != nil && !errors.As(err, &e) {
			t.Fatalf("%q: untyped error %v", text, err)
		}
	})
}

// A number that begins with 0 may have a unit that begins with b; one of another base is refused.
func TestZeroBar(t *testing.T) {
	for _, text := range []string{"0.5 bar", "0 bar", "0bar", "0.25bar"} {
		must.Value(unit.Parse(text, unit.Pressure))(t)
	}
	for _, text := range []string{"0x1F Pa", "0b101", "-0o17 K"} {
		must.Refuse(unit.Parse(text, unit.None))(t, "in decimal")
	}
}

func TestParseSystem(t *testing.T) {
	for name, want := range map[string]unit.System{"si": unit.SI, "imperial": unit.Imperial} {
		if got, err := unit.ParseSystem(name); got != want || err != nil {
			t.Errorf("%s is read as %d (%v)", name, got, err)
		}
	}
	if _, err := unit.ParseSystem("imperia"); err == nil ||
		err.Error() != `no system of units "imperia", did you mean imperial?` {
		t.Errorf("got %v", err)
	}
}

// BenchmarkParse measures one quantity with a compound unit, as an engine file has about a hundred.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must.Value(unit.Parse("0.53 lbm/h/lbf", unit.TSFC))(b)
	}
}
