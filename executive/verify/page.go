package verify

import (
	"fmt"
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Command is the command that writes the page.
const Command = "peregrine verify -o cmd/peregrine/help/verification/comparisons.md"

// Page writes the sections as a page of Markdown: for each the source, the claim, the worst difference of every
// quantity, and all rows that failed or are explained. It depends neither on the run nor on the machine.
func Page(w io.Writer, sections []Section) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Comparisons with pyCycle, NPSS and CEA

Engines and elements whose results others have published are rebuilt from their inputs, maps and gas, and compared
row by row. Differences are relative where no unit is given. A row beyond its limit is *explained* if the reason is
known and not Peregrine's: an error of the reference, or an input that differs within its own limit. Any other row
beyond its limit is a failure, and the command exits with 1. A test holds that this page is the output of

    PEREGRINE_REFERENCE=DIR %s

| section | rows | failed | explained | worst of the others, in %% of its limit |
|---|---:|---:|---:|---:|
`, Command)
	rows, failed, explained := 0, 0, 0
	for _, s := range sections {
		bad, why := len(s.Failed()), len(s.Explained())
		rows, failed, explained = rows+len(s.Rows), failed+bad, explained+why
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %d | %d | %.0f |\n", s.Name, anchor(s.Name), len(s.Rows), bad, why,
			100*worst(s.held()).share())
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | |\n", rows, failed, explained)
	for _, s := range sections {
		s.page(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Section) page(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n- Source: %s.\n- Claim: %s.\n", s.Name, s.Source, s.Claim)
	fmt.Fprint(b, "\n| quantity | rows | worst difference | limit | where |\n|---|---:|---:|---:|---|\n")
	kinds, byKind := group(s.held(), Row.kind)
	for _, k := range kinds {
		r := worst(byKind[k])
		fmt.Fprintf(b, "| %s | %d | %s | %.0e | %s, %s |\n", k, len(byKind[k]), difference(r), r.Limit, r.Case,
			r.Quantity)
	}
	list(b, "Failed", s.Failed())
	notes, byNote := group(s.Explained(), func(r Row) string { return r.Note })
	for _, n := range notes {
		list(b, "Explained: "+n, byNote[n])
	}
}

// list writes all columns of rows; long lists are folded.
func list(b *strings.Builder, title string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	const long = 25
	fmt.Fprintf(b, "\n%s (%s).\n", title, spell.Count(len(rows), "row"))
	if len(rows) > long {
		fmt.Fprint(b, "\n<details><summary>all of them</summary>\n")
	}
	fmt.Fprint(b, "\n| case | quantity | reference | value | difference | limit |\n|---|---|---:|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| %s | %s | %.7g | %.7g | %s | %.0e |\n", r.Case, r.Quantity, r.Reference, r.Value,
			difference(r), r.Limit)
	}
	if len(rows) > long {
		fmt.Fprint(b, "\n</details>\n")
	}
}

// group sorts rows into groups, in the order of their first rows.
func group(rows []Row, of func(Row) string) (names []string, groups map[string][]Row) {
	groups = map[string][]Row{}
	for _, r := range rows {
		k := of(r)
		if groups[k] == nil {
			names = append(names, k)
		}
		groups[k] = append(groups[k], r)
	}
	return names, groups
}

// anchor is the link to a heading, as GitHub makes it.
func anchor(heading string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(heading) {
		switch {
		case c == ' ':
			b.WriteByte('-')
		case c == '-' || c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		}
	}
	return b.String()
}
