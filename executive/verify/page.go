package verify

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Command is the command that writes the page.
const Command = "peregrine verify -o VERIFICATION.md"

// Sections of the page that are written by hand, because their numbers take minutes to compute
// or depend on the machine. Each names its command. Tests in the packages concerned compare
// the tables with computed values.
var (
	//go:embed e3.md
	e3Part string
	//go:embed branch.md
	branchPart string
	//go:embed subidle.md
	subidlePart string
	//go:embed design.md
	designPart string
	//go:embed mutant.md
	mutantPart string
	//go:embed throughflow.md
	throughflowPart string
	//go:embed bladerow.md
	bladerowPart string
	//go:embed zoom.md
	zoomPart string
	//go:embed crash.md
	crashPart string
	//go:embed fuzz.md
	fuzzPart string
	//go:embed hosts.md
	hostsPart string
	//go:embed speed.md
	speedPart string
)

// Page writes the sections as a page of Markdown: for each the source, the claim, the worst
// difference of every quantity, and all rows that failed or are explained. It inserts the
// sections written by hand. The computed part does not depend on the run or the machine.
func Page(w io.Writer, sections []Section) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Verification

Written by %[1]s%[2]s%[1]s; do not edit it. A test holds that it is what that command writes.
What it says besides the tables of comparisons stands in %[1]sexecutive/verify/*.md%[1]s.

What stands here: [engines, elements and gas of pyCycle, NPSS and CEA](#against-pycycle-npss-and-cea),
[the Energy Efficient Engine](#%[3]s),
[idle and windmilling](#%[4]s),
[envelopes walked in several orders](#%[9]s),
[designs drawn at random](#%[5]s),
[mutated engines](#%[11]s),
[the axisymmetric solver](#%[6]s),
[the 3-D solver](#%[7]s),
[a zoom to a stated error](#%[12]s),
[studies that are killed](#%[10]s), [files that nobody wrote](#%[13]s), [runs on other machines](#%[14]s), [speed](#%[8]s), and then the comparisons in full.

## Against pyCycle, NPSS and CEA

Engines and elements whose results others have published are rebuilt from their inputs, maps and gas, and compared
row by row. The references are read from the folder that PEREGRINE_REFERENCE names. Differences are relative where no
unit is given. A row beyond its limit for a reason that is not Peregrine's (an error of the reference's, or an input that
differs within a limit of its own) is counted as explained and shown with the reason; any other row beyond its limit
is a failure, and the command then exits with 1.

| section | rows | failed | explained | worst of the others, in %% of its limit |
|---|---:|---:|---:|---:|
`, "`", Command, heading(e3Part), heading(subidlePart), heading(designPart), heading(throughflowPart),
		heading(bladerowPart), heading(speedPart), heading(branchPart), heading(crashPart), heading(mutantPart),
		heading(zoomPart), heading(fuzzPart), heading(hostsPart))
	rows, failed, explained := 0, 0, 0
	for _, s := range sections {
		bad, why := len(s.Failed()), len(s.Explained())
		rows, failed, explained = rows+len(s.Rows), failed+bad, explained+why
		fmt.Fprintf(&b, "| [%s](#%s) | %d | %d | %d | %.0f |\n", s.Name, anchor(s.Name), len(s.Rows), bad, why,
			100*worst(s.held()).share())
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | |\n", rows, failed, explained)
	for _, part := range []string{e3Part, subidlePart, branchPart, designPart, mutantPart, throughflowPart,
		bladerowPart, zoomPart, crashPart, fuzzPart, hostsPart, speedPart} {
		b.WriteString("\n" + part)
	}
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

// group sorts rows into groups, in the order in which these first appear.
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

// heading is the link to a part's first line, which is its heading.
func heading(part string) string {
	line, _, _ := strings.Cut(part, "\n")
	return anchor(strings.TrimPrefix(line, "## "))
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
