package format

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Faults of a map that any format can carry, and faults of each format: every
// message names the line, and the table and row where there is one.
func TestForeignFilesSayWhereTheyAreWrong(t *testing.T) {
	for _, c := range []struct{ file, name, old, new, want string }{
		{
			"npss-compressor.map", "NaN", "97.00", "NaN",
			`bad:26:5: map "bad": Wc, row 2 (Nc 1), value 2: NaN is not a finite number`,
		},
		{
			"npss-compressor.map", "NaN in another plane", "91, 94", "nan, 94",
			`bad:33:5: map "bad": Wc, row 2 (Nc 1) of alpha plane 2, value 2: NaN is not a finite number`,
		},
		{"npss-compressor.map", "too large", "97.00", "1e999", `bad:28:27: "1e999" is too large a number`},
		{"npss-compressor.map", "unsorted speeds", "NcorrMap= 1.000 {\n      RlineMap = *;\n      WcorrMap = { 9.2D1",
			"NcorrMap= 0.800 {\n      RlineMap = *;\n      WcorrMap = { 9.2D1",
			`bad:33:5: table Wc, row 4 (Nc 1): alpha 30, Nc 1; expected alpha 30, Nc 0.8, the order of the first rows of table Wc`},
		{"npss-turbine.map", "unsorted speeds everywhere", "NpMap= 100.000", "NpMap= 80.000",
			`bad:10:3: map "bad": Nc, value 2: 80 after 90: the axis must rise`},
		{"npss-turbine.map", "unsorted axis everywhere", "{ 3.0, 5.0, 8.0 }", "{ 3.0, 8.0, 5.0 }",
			`bad:9:3: map "bad": PR, value 3: 5 after 8: the axis must rise`},
		{"npss-compressor.map", "crossing lines", "9.2D1 && { 1.7, 1.68, 1.65, 1.5 }", "85 && { 1.3, 1.6, 1.65, 1.5 }",
			`bad:26:5: map "bad": Wc and PR, row 2 (Nc 1): the speed line crosses that of Nc 0.9 (between Rline 2 and 3 there, 1 and 1.5 here, near Wc 85, PR 1.3)`},
		{
			"npss-compressor.map", "short row", "86.50,", "",
			`bad:20:5: table TB_Wc, row 1 (NcorrMap 0.9): 3 values over 4 of RlineMap`,
		},
		{"npss-compressor.map", "another axis", "effAdiabMap = { .83, .87, .89, .79 }",
			"effAdiabMap = { .83, .87, .89 } RlineMap = {1,2,3}",
			`bad:48:69: table TB_eff: the row has RlineMap already; a row has its axis RlineMap and one list of values`},
		{"npss-compressor.map", "missing axis", "RlineMap = *;\n      WcorrMap", "WcorrMap",
			`bad:26:5: table TB_Wc, row 2: its axis RlineMap is missing`},
		{
			"npss-compressor.map", "star in the first row",
			"RlineMap = { 1.000, 1.500,\n                   2.000, 3.000 }", "RlineMap = *",
			`bad:21:18: table TB_Wc: RlineMap = * in the first row; there is none before it`,
		},
		{
			"npss-compressor.map", "word for a number", "97.00", "many",
			`bad:28:27: table TB_Wc: WcorrMap: "many" is in the place of a number`,
		},
		{
			"npss-compressor.map", "missing table", "Table TB_PR", "Table TB_XX",
			`bad:18:7: table TB_Wc runs over Rline, as those of a compressor, but there is no table TB_PR`,
		},
		{
			"npss-compressor.map", "table twice", "Table TB_PR", "Table TB_Wc",
			`bad:59:7: table TB_Wc: line 18 has a table of this kind already; a file holds one map`,
		},
		{"npss-compressor.map", "endless comment", "7;  */", "", `bad:12:2: this comment does not end: */ is missing`},
		{
			"npss-compressor.map", "endless text", `"lagrange2" ;`, `"lagrange2 ;`,
			`bad:37:21: this text does not end: " is missing`,
		},
		{"npss-compressor.map", "design off the map", "RlineMapDes = 2.0", "RlineMapDes = 4.0",
			`bad: map "bad": the design point (alpha 0, Nc 1, Rline 4) is not on the map (alpha 0 to 30, Nc 0.9 to 1, Rline 1 to 3)`},
		{"npss-compressor.map", "one closing brace too many", "   Subelement CompressorRey",
			"} } Subelement CompressorRey", `bad:73:3: this } closes nothing`},
		{
			"npss-turbine.map", "cut off", "\t }\n  }\n}\n", "",
			`bad:19:1: table TB_Wp: the file ends within it: a } is missing`,
		},
		{"npss-beta.map", "other speeds", "Nc = {0.9, 1.0} Wc = {90, 100}", "Nc = {0.9, 1.1} Wc = {90, 100}",
			`bad:5:5: table Wc, row 2: 2 values over the speeds [0.9, 1.1]; the first row has them over [0.9, 1]`},

		{
			"gasturb-compressor.map", "NaN", "98.5000000", "NaN",
			`bad:8:3: map "bad": Wc, row 2 (Nc 1), value 4: NaN is not a finite number`,
		},
		{
			"gasturb-compressor.map", "unsorted betas", "0.400000000", "0.100000000",
			`bad:22:3: table PR, row 1 (Nc 0.9): value 3 of beta is 0.4, and 0.1 in the first row of table Wc; a map`,
		},
		{
			"gasturb-compressor.map", "key too large", "3.00700000", "3.00800000",
			`bad:11:1: Mass Flow, row 2 (100.8), value 5 (the key 3.008 asks for 2 rows of 7): "Efficiency" is no number`,
		},
		{
			"gasturb-compressor.map", "key too small", "3.00700000", "2.00700000",
			`bad:8:1: Mass Flow: more numbers than its key asks for`,
		},
		{
			"gasturb-compressor.map", "no key", "  3.00700000  0.0", "  0.0",
			`bad:4:3: Mass Flow: its key 0 is not rows + columns/1000, heads included`,
		},
		{
			"gasturb-compressor.map", "word for a number", "98.5000000", "98,5x",
			`bad:8:52: Mass Flow, row 2 (1), value 4 (the key 3.007 asks for 2 rows of 6): "98,5x" is no number`,
		},
		{
			"gasturb-compressor.map", "missing table", "Efficiency", "Eff",
			`bad: map "bad": the table "efficiency" is missing; a compressor map has Mass Flow, Efficiency and Pressure Ratio`,
		},
		{
			"gasturb-compressor.map", "Reynolds", "f=0.950", "f=often",
			`bad:2:1: Reynolds correction: often is no number`,
		},
		{"gasturb-compressor.map", "surge line falls", "82.0000000  92.0000000", "92.0000000  82.0000000",
			`bad:27:1: Surge Line, value 2: Mass Flow 82, Pressure Ratio 1.7: both must be above 0 and the flow must rise`},
		{"gasturb-compressor.map", "surge line below", "1.54750000  1.70000000", "0.54750000  0.70000000",
			`bad:27:1: Surge Line: the speed line of Nc 0.9 lies wholly beyond it`},
		{"gasturb-compressor.map", "cut off", "  1.000000000  1.54750000  1.70000000\n", "",
			`bad:29:1: Surge Line: head of row 1: the file ends before it`},
		{"gasturb-turbine.map", "limits of other speeds", "2.00300      0.90000", "2.00300      0.80000",
			`bad:3:1: Min Pressure Ratio, value 1: its speed is 0.8, that of row 1 of Mass Flow 0.9`},
		{"gasturb-turbine.map", "limits the wrong way round", "3.50000      3.50000", "3.50000      1.50000",
			`bad:9:6: Max Pressure Ratio at speed 1: 1.5 must be above the Min Pressure Ratio there, 1.5`},

		{
			"points.csv", "NaN", "92,1.7", "nan,1.7",
			`bad:10:1: map "bad": Wc, row 2 (Nc 1), value 1: NaN is not a finite number`,
		},
		{
			"points.csv", "unsorted axis", "0,0.9,3,92", "0,0.9,1.5,92",
			`bad:10:1: table Wc, row 2 (Nc 1): value 3 of Rline is 3, and 1.5 in the first row of table Wc; a map has one axis for all rows`,
		},
		{
			"points.csv", "unsorted speeds everywhere", "\n0,1,", "\n0,0.8,",
			`bad:10:1: map "bad": Nc, value 2: 0.8 after 0.9: the axis must rise`,
		},
		{
			"points.csv", "missing point", "0,1,2,100,1.65,0.89\n", "",
			`bad:10:1: table Wc, row 2 (Nc 1): value 2 of Rline is 3, and 2 in the first row of table Wc; a map has one axis for all rows`,
		},
		{"points.csv", "missing value", "0,1,2,100,1.65,0.89", "0,1,2,100,1.65", `bad:11:1: 5 values for 6 columns`},
		{"points.csv", "word for a number", "100,1.65", "hundred,1.65", `bad:11:1: column 4: "hundred" is no number`},
		{"points.csv", "crossing lines", "0,1,1,92,1.7,0.83\n0,1,2,100,1.65", "0,1,1,85,1.3,0.83\n0,1,2,95,1.5",
			`bad:10:1: map "bad": Wc and PR, row 2 (Nc 1): the speed line crosses that of Nc 0.9`},
		{"points.csv", "design", "Nc=1 Rline=2", "N=1 Rline=2", `bad:4:1: design: "N=1" is none of alpha, Nc, X`},
		{
			"points.csv", "stall", "1 1.1", "1 1.1 1.2",
			`bad: map "bad": the stall line is one value for all speeds or 2 values, one for each; there are 3`,
		},
		{
			"points.csv", "interp", "interp: linear", "interp: straight",
			`bad: map "bad": interp "straight" is none of "monotone", "linear", "lagrange2", "lagrange3"`,
		},
		{
			"spreadsheet.csv", "no points",
			"90;3;0,9228;30,014\n90;5;0,9210;30,337\n100;3;0,9215;29,856\n100;5;0,9328;30,145\n", "",
			`bad:1:1: there are no points under the names of the columns`,
		},

		{"pycycle.json", "text for a number", "[92, 100, 101]]]", `[92, "100", 101]]]`,
			`bad:5:98: value 2 is no number`},
		{
			"pycycle.json", "NaN", "[92, 100, 101]]]", `[92, NaN, 101]]]`,
			`bad:5:94: after this: invalid character 'N' looking for beginning of value`,
		},
		{
			"pycycle.json", "negative flow", "[92, 100, 101]]]", `[92, -100, 101]]]`,
			`bad:5:89: map "bad": Wc, row 2 (Nc 1) of alpha plane 2, value 2: -100 must be above 0`,
		},
		{
			"pycycle.json", "missing row", ", [92, 100, 101]]]", `]]`,
			`bad:5:74: table Wc has 1 rows for 2 speeds in alpha plane 2`,
		},
		{
			"pycycle.json", "unsorted axis", "[0.9, 1.0]", "[1.0, 0.9]",
			`bad:5:57: map "bad": Nc, value 2: 0.9 after 1: the axis must rise`,
		},
		{"pycycle.json", "no such map", `"axis_order"`, `"order"`, `bad:1:1: this JSON is no map`},
		{"pycycle.json", "cut off", `"RlineStall": 1.0}`, ``, `bad:8:80: the file ends too early`},
		{"rows.json", "missing speed", `{"NcDes": 90, "PRdes": [3, 5, 8], "effMap"`, `{"PRdes": [3, 5, 8], "effMap"`,
			`bad:6:5: table eff: row 1 has the speed NaN and alpha 0; both must be numbers`},
	} {
		t.Run(c.file+"/"+c.name, func(t *testing.T) {
			data := must.Value(os.ReadFile(filepath.Join("testdata", c.file)))(t)
			text := string(data)
			times := 1
			if strings.HasSuffix(c.name, "everywhere") {
				times = -1
			}
			for i, old := range strings.Split(c.old, " && ") {
				if !strings.Contains(text, old) {
					t.Fatalf("%q is not in the file", old)
				}
				text = strings.Replace(text, old, strings.Split(c.new, " && ")[i], times)
			}
			text = strings.Replace(strings.Replace(text, "# name: booster\n", "#\n", 1), `"name": "booster"`,
				`"name": "bad"`, 1)
			_, err := Parse([]byte(text), "bad")
			if err == nil {
				t.Fatal("no error")
			}
			if got := err.Error(); !strings.HasPrefix(got, c.want) {
				t.Error(cmp.Diff(c.want, got))
			}
			var place *FileError
			if !errors.As(err, &place) {
				t.Errorf("a %T, want a *FileError", err)
			}
		})
	}
}

// Whatever a file holds, reading it ends, and does not panic; a map that was
// read can be written in every format that takes it and read again.
func FuzzForeign(f *testing.F) {
	files := must.Value(filepath.Glob("testdata/*.*"))(f)
	for _, name := range files {
		data := must.Value(os.ReadFile(name))(f)
		f.Add(string(data))
	}
	for _, s := range []string{
		"Table TB_Wc(real a) { a = {1} b = {2} }", "Table T(real a, real b) { a = 1 { a = 1 { a = 1 {",
		"Subelement A B { Subelement A B {",
		"99\nmass flow\n1e300", "99\nMass Flow\n999.999 1", "Nc,PR,eff,Wp\n1,1,1,1\n",
		`{"axis_order": [1,2,3], "kind": "turbine"}`, `{"map": 1, "tables": 1}`,
		`{"map": "a", "tables": {"TB_Wc": {"args": ["a", "b"], "planes": [{"lines": [{"a": 1, "b": [1]}]}]}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m *perfmap.Map
		var err error
		intaketest.Bounded(t, len(text), func() { m, err = Parse([]byte(text), "fuzz.map") })
		if err != nil {
			return
		}
		for _, format := range Writers() {
			var b bytes.Buffer
			if format.Write(&b, m) != nil {
				continue
			}
			if _, err := parseAs(format, b.Bytes(), "again.map"); err != nil {
				t.Fatalf("%v\n%s\nfrom\n%s", err, b.String(), text)
			}
		}
	})
}

func TestUnknownFormats(t *testing.T) {
	if _, err := Find("xls"); err == nil ||
		err.Error() != `no map format is called "xls"; there are peregrine, json, npss, gasturb, csv` {
		t.Error(err)
	}
	if _, err := FindWriter("xls"); err == nil || strings.Contains(err.Error(), "json") {
		t.Error(err)
	}
	if _, err := FindWriter("json"); err == nil ||
		err.Error() != `maps cannot be written as JSON, only read; formats to write are peregrine, npss, gasturb, csv` {
		t.Error(err)
	}
}
