package verify

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Summaries of sections as numbers, as text for a terminal, and as JSON.

// Failed returns the rows beyond their limit without an explanation.
func (s Section) Failed() []Row { return s.where(Row.Failed) }

// Explained returns the rows beyond their limit with an explanation.
func (s Section) Explained() []Row { return s.where(func(r Row) bool { return r.Note != "" }) }

func (s Section) where(is func(Row) bool) (out []Row) {
	for _, r := range s.Rows {
		if is(r) {
			out = append(out, r)
		}
	}
	return out
}

// worst returns the row with the largest share of its limit. Of rows that are equal within round-off it is the first.
func worst(rows []Row) (w Row) {
	w.Limit = 1
	for i, r := range rows {
		if i == 0 || !(r.share() <= w.share()*(1+1e-6)+1e-12) {
			w = r
		}
	}
	return w
}

// held returns the rows without a note.
func (s Section) held() []Row { return s.where(func(r Row) bool { return r.Note == "" }) }

// OK reports whether all rows of all sections are within their limits or explained.
func OK(sections []Section) bool {
	for _, s := range sections {
		if len(s.Failed()) > 0 || len(s.Rows) == 0 {
			return false
		}
	}
	return true
}

// difference writes a difference with two digits; round-off is written as 0.
func difference(r Row) string {
	if !r.Absolute && math.Abs(r.Difference) < 1e-9 {
		return "< 1e-9"
	}
	text := fmt.Sprintf("%+.1e", r.Difference)
	if r.Unit != "" {
		text += " " + r.Unit
	}
	return text
}

// Print writes two lines for every section, and its failed rows.
func Print(w io.Writer, sections []Section) error {
	var b strings.Builder
	rows, failed, explained := 0, 0, 0
	for _, s := range sections {
		bad, why := s.Failed(), s.Explained()
		rows, failed, explained = rows+len(s.Rows), failed+len(bad), explained+len(why)
		verdict := "ok    "
		if len(bad) > 0 || len(s.Rows) == 0 {
			verdict = "FAILED"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", verdict, s.Name, s.Claim)
		fmt.Fprintf(&b, "       %s", spell.Count(len(s.Rows), "row"))
		if held := s.held(); len(held) > 0 {
			r := worst(held)
			fmt.Fprintf(&b, "; the worst is %s of %s, %s of %.0e", r.Quantity, r.Case, difference(r), r.Limit)
		}
		if len(why) > 0 {
			fmt.Fprintf(&b, "; %d beyond their limits explained", len(why))
		}
		b.WriteString("\n")
		for _, r := range bad {
			fmt.Fprintf(&b, "       FAILED %s: %s is %.8g, the reference %.8g: %s, limit %.0e\n", r.Case, r.Quantity,
				r.Value, r.Reference, difference(r), r.Limit)
		}
	}
	fmt.Fprintf(&b, "%s in %s: %d failed, %d explained\n", spell.Count(rows, "row"),
		spell.Count(len(sections), "section"), failed, explained)
	_, err := io.WriteString(w, b.String())
	return err
}

// jsonRow is a row in JSON: the case with its section, null for a value that is not finite, and
// absolute and unit if the difference is not relative.
type jsonRow struct {
	Case       string   `json:"case"`
	Quantity   string   `json:"quantity"`
	Reference  *float64 `json:"reference"`
	Value      *float64 `json:"value"`
	Difference *float64 `json:"difference"`
	Limit      float64  `json:"limit"`
	Absolute   bool     `json:"absolute,omitempty"`
	Unit       string   `json:"unit,omitempty"`
	Note       string   `json:"note,omitempty"`
}

// WriteJSON writes all rows as one array.
func WriteJSON(w io.Writer, sections []Section) error {
	rows := []jsonRow{}
	for _, s := range sections {
		for _, r := range s.Rows {
			rows = append(rows, jsonRow{
				Case: s.Name + ": " + r.Case, Quantity: r.Quantity, Reference: finite(r.Reference),
				Value:      finite(r.Value),
				Difference: finite(r.Difference), Limit: r.Limit, Absolute: r.Absolute, Unit: r.Unit, Note: r.Note,
			})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

func finite(v float64) *float64 {
	if !numeric.Finite(v) {
		return nil
	}
	return &v
}
