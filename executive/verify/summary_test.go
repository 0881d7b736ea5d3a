package verify

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// made is a section with one row of every kind.
func made() Section {
	t := &table{}
	t.relative("a", "fan.Fl_O Pt", 100, 100.001, 1e-4)
	t.relative("b", "lpc.Fl_O Pt", 100, 99.998, 1e-4)
	t.relative("b", "Fn", 50, 51, 1e-3)
	t.absolute("c", "h", "J/kg", 7, 19, 5)
	t.explain(3, 4, "the table is wrong there")
	return Section{Name: "Made up", Source: "nobody", Claim: "all within little", Rows: t.rows}
}

func TestPrint(t *testing.T) {
	var b strings.Builder
	must.OK(t, Print(&b, []Section{made()}))
	want := `FAILED Made up: all within little
       4 rows; the worst is Fn of b, +2.0e-02 of 1e-03; 1 beyond their limits explained
       FAILED b: Fn is 51, the reference 50: +2.0e-02, limit 1e-03
4 rows in 1 section: 1 failed, 1 explained
`
	must.Equal(t, want, b.String())
	if OK([]Section{made()}) || OK([]Section{{Name: "empty"}}) || !OK([]Section{{Rows: made().Rows[:2]}}) {
		t.Error("wrong verdict")
	}
}

func TestPage(t *testing.T) {
	var b strings.Builder
	must.OK(t, Page(&b, []Section{made()}))
	_, section, _ := strings.Cut(b.String(), "\n## Made up\n\n")
	want := `- Source: nobody.
- Claim: all within little.

| quantity | rows | worst difference | limit | where |
|---|---:|---:|---:|---|
| Pt | 2 | -2.0e-05 | 1e-04 | b, lpc.Fl_O Pt |
| Fn | 1 | +2.0e-02 | 1e-03 | b, Fn |

Failed (1 row).

| case | quantity | reference | value | difference | limit |
|---|---|---:|---:|---:|---:|
| b | Fn | 50 | 51 | +2.0e-02 | 1e-03 |

Explained: the table is wrong there (1 row).

| case | quantity | reference | value | difference | limit |
|---|---|---:|---:|---:|---:|
| c | h | 7 | 19 | +1.2e+01 J/kg | 5e+00 |
`
	must.Equal(t, want, section)
	must.Contain(t, b.String(), Command, "| [Made up](#made-up) | 4 | 1 | 1 | 2000 |", "| all | 4 | 1 | 1 | |")
}

// NaN and infinity fail, and are null in JSON.
func TestNotFinite(t *testing.T) {
	tb := &table{}
	tb.relative("a", "Pt", 1, math.NaN(), 1e-4)
	s := Section{Name: "x", Rows: tb.rows}
	must.Equal(t, 1, len(s.Failed()))
	if w := worst(append([]Row{{Limit: 1}}, tb.rows...)); !math.IsNaN(w.Value) {
		t.Error("NaN is not the worst")
	}
	var b bytes.Buffer
	must.OK(t, WriteJSON(&b, []Section{s}))
	must.Contain(t, b.String(), `"value": null`)
}

// A row is excused only by one of its quantity that holds.
func TestExcuse(t *testing.T) {
	b := &bench{}
	b.relative("at", "Pt", 1, 1, 1e-4)
	b.relative("at", "Tt", 1, 2, 1e-4)
	b.relative("at", drop+"ht", 1, 1, 1e-4)
	for _, q := range []string{"Pt", "Tt", "ht", "W"} {
		b.relative("there", q, 1, 2, 1e-4)
	}
	b.excuse(0, 3, "why")
	got := map[string]string{}
	for _, r := range b.rows[3:] {
		got[r.Quantity] = r.Note
	}
	must.Equal(t, map[string]string{"Pt": "why", "ht": "why", "Tt": "", "W": ""}, got)
}
