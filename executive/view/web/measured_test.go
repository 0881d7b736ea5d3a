package web

import (
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

func TestMeasured(t *testing.T) {
	for _, text := range []string{
		"component,run,Wc (lb/s),PR,eff [%]\nfan,,1000,1.5,88\n,r,\" 1 \",2,\n",
		"\ufeffcomponent; run ;Wc [lb/s];PR;eff (%)\r\nfan;;1000;1.5;88\r\n;r;1;2;\r\n",
	} {
		m := must.Value(ReadMeasured("a.csv", text))(t)
		a, b := m.Rows[0], m.Rows[1]
		if len(m.Rows) != 2 || a.Component != "fan" || a.Run != "" || math.Abs(a.Values["Wc"]-453.59237) > 1e-9 ||
			a.Values["eff"] != 0.88 || b.Run != "r" || len(b.Values) != 2 {
			t.Errorf("%q: %+v", text, m.Rows)
		}
	}
	m := must.Value(ReadMeasured("a.csv", "index,Ps_blade (kPa)\n1,78\n"))(t)
	must.Equal(t, 78000.0, m.Rows[0].Values["Ps_blade"])
}

// An error names file, line and column, the value, and what is wanted.
func TestWrongMeasured(t *testing.T) {
	for text, says := range map[string]string{
		"":                                          "a.csv: it is empty",
		"Wc (kg/s),PR\n1,2\n1,x\n":                  `a.csv:3:3: column PR: "x" is no finite number`,
		"Wc (kg/s),PR\n1,NaN\n":                     `a.csv:2:3: column PR: "NaN"`,
		"Wc (kg/s),PR\n1,1e999\n":                   `a.csv:2:3: column PR`,
		"index,Ps (GPa)\n1,1e305\n":                 `a.csv:2:3: column Ps: "1e305" is no finite number in SI units`,
		"Wc (kg/s);PR\n1;1,5\n":                     "a.csv:2:3: column PR: \"1,5\" has a comma in a number",
		"Wc (kg/s),PR\n1\n":                         "a.csv:2:1: wrong number of fields",
		"Wc (kg/s),PR\n1,\"2\n":                     "a.csv:",
		"Wc (K),PR\n1,2\n":                          "a.csv:1:1: column Wc:",
		"Wc (kgs),PR\n1,2\n":                        "a.csv:1:1: column Wc:",
		"Wc,PR\n1,2\n":                              "a.csv:1:1: column Wc needs a unit, as Wc (kg/s)",
		"Wc (kg/s),PR (\n1,2\n":                     `a.csv:1:11: column "PR (": want NAME or NAME (UNIT)`,
		"PR,Wc (kg/s),PR\n1,2,3\n":                  "a.csv:1:14: column PR is there twice",
		"run (m),iteration,PR\n1,2,3\n":             "a.csv:1:1: column run has names",
		"iteration,run\n1,a\n":                      "a.csv:1: no picture shows the columns iteration and run",
		"index,x" + strings.Repeat("\n1,2", 10_001): "a.csv:10002:1: it has more than 10000 rows",
	} {
		must.Refuse(ReadMeasured("a.csv", text))(t, says)
	}
}
