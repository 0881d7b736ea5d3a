package fact_test

// The same facts and rules for CLIPS (Riley, 1991; clipsrules.net), the rule engine of NASA, which Debian has.

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/fact"
)

// scene is facts of one kind, and rules that report what they match: a line RULE ID ID for each match.
type scene struct {
	rows  [][]any
	rules []ruleSpec
}

var sceneKind = fact.Kind{Name: "run", Fields: []fact.Field{
	{Name: "id", Type: fact.Number}, {Name: "x", Type: fact.Number}, {Name: "y", Type: fact.Number},
	{Name: "z", Type: fact.Number}, {Name: "s", Type: fact.Text},
}}

// drawRows draws facts: numbers from 0 to 1, of distinct values or of all; and texts, each that of a few facts.
func drawRows(r *rand.Rand, facts, distinct, few int) (rows [][]any) {
	number := func() any {
		if distinct > 0 {
			return float64(r.IntN(distinct)) / float64(distinct)
		}
		return r.Float64()
	}
	for i := range facts {
		rows = append(rows, []any{float64(i), number(), number(), number(), fmt.Sprint("c", r.IntN(max(1, facts/few)))})
	}
	return rows
}

// clipsNumber writes a number so that CLIPS reads the same one, and as a float.
func clipsNumber(x float64) string {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

func clipsValue(v any) string {
	if x, ok := v.(float64); ok {
		return clipsNumber(x)
	}
	return v.(string)
}

func (s scene) writeFacts(path string) error {
	var b bytes.Buffer
	for _, row := range s.rows {
		fmt.Fprintf(&b, "(run (id %.0f)", row[0])
		for i, f := range sceneKind.Fields[1:] {
			fmt.Fprintf(&b, " (%s %s)", f.Name, clipsValue(row[i+1]))
		}
		b.WriteString(")\n")
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// readFacts reads what writeFacts wrote, a line at a time.
func readFacts(path string, take func([]fact.Value) error) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	values := make([]fact.Value, len(sceneKind.Fields))
	for line := range bytes.Lines(data) {
		for i, f := range sceneKind.Fields {
			_, rest, _ := bytes.Cut(line, []byte(" ("+f.Name+" "))
			word, _, _ := bytes.Cut(rest, []byte(")"))
			if values[i] = fact.Str(string(word)); f.Type == fact.Number {
				x, err := strconv.ParseFloat(string(word), 64)
				if err != nil {
					return err
				}
				values[i] = fact.Num(x)
			}
			line = rest
		}
		if err := take(values); err != nil {
			return err
		}
	}
	return nil
}

// clips writes a rule: equality joins by a variable that stands twice, as CLIPS hashes these.
func (r ruleSpec) clips() string {
	var b strings.Builder
	fmt.Fprintf(&b, "(defrule %s", r.name)
	names := map[string]string{} // of variables that stand for another one
	for i, p := range r.patterns {
		b.WriteString("\n  (run")
		for _, f := range sceneKind.Fields {
			variable := fmt.Sprintf("?%s%d", f.Name, i)
			for _, j := range p.joins {
				if j.field == f.Name && j.op == fact.Equal {
					other := fmt.Sprintf("?%s%d", j.other, j.of)
					if name, ok := names[other]; ok {
						other = name
					}
					names[variable] = other
					variable = other
				}
			}
			text := variable
			for _, t := range p.where {
				if t.field == f.Name {
					text += "&:" + clipsTest(t, variable)
				}
			}
			for _, j := range p.joins {
				if j.field == f.Name && j.op != fact.Equal {
					text += fmt.Sprintf("&:(%s %s (+ ?%s%d %s))", clipsOp(j.op), variable, j.other, j.of,
						clipsNumber(j.plus))
				}
			}
			fmt.Fprintf(&b, " (%s %s)", f.Name, text)
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, "\n  =>\n  (printout hits \"%s\"", r.name)
	for i := range r.patterns {
		fmt.Fprintf(&b, " \" \" ?id%d", i)
	}
	b.WriteString(" crlf))\n")
	return b.String()
}

func clipsOp(op fact.Op) string {
	if op == fact.Equal {
		return "="
	}
	if op == fact.NotEqual {
		return "<>"
	}
	return op.String()
}

func clipsTest(t testSpec, variable string) string {
	text := func(op string, v any) string {
		if _, ok := v.(string); ok {
			op = map[string]string{"=": "eq", "<>": "neq"}[op]
		}
		return fmt.Sprintf("(%s %s %s)", op, variable, clipsValue(v))
	}
	switch t.op {
	case fact.In:
		all := "(or FALSE" // it wants two
		for _, v := range t.values {
			all += " " + text("=", v)
		}
		return all + ")"
	}
	return text(clipsOp(t.op), t.values[0])
}

// clipsProgram loads rules.clp and facts.dat, and writes hits.txt and its times.
const clipsProgram = `(defglobal ?*start* = 0 ?*loaded* = 0 ?*end* = 0)
(load "rules.clp")
(reset)
(open "hits.txt" hits "w")
(bind ?*start* (time))
(load-facts "facts.dat")
(bind ?*loaded* (time))
(run)
(bind ?*end* (time))
(close hits)
(printout t "times " (- ?*loaded* ?*start*) " " (- ?*end* ?*loaded*) crlf)
(exit)
`

// clips runs the scene in a folder by CLIPS, and returns the lines of its matches in order and how long it took to
// load the facts, which includes finding the matches, and to fire.
func (s scene) clips(t testing.TB, folder string) (hits []string, load, run float64) {
	t.Helper()
	program := testenv.Program(t, "clips", "clips")
	rules := "(deftemplate run (slot id) (slot x) (slot y) (slot z) (slot s))\n"
	for _, r := range s.rules {
		rules += r.clips()
	}
	for name, text := range map[string]string{"rules.clp": rules, "go.clp": clipsProgram} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	must.OK(t, s.writeFacts(filepath.Join(folder, "facts.dat")))
	cmd := exec.CommandContext(t.Context(), program, "-f2", "go.clp")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	_, times, ok := strings.Cut(string(out), "times ")
	if _, scan := fmt.Sscan(times, &load, &run); err != nil || !ok || scan != nil ||
		strings.Contains(string(out), "[") {
		t.Fatalf("clips: %v\n%s\n%s", err, out, rules)
	}
	return lines(t, filepath.Join(folder, "hits.txt")), load, run
}

// lines returns the lines of a file, sorted.
func lines(t testing.TB, path string) []string {
	t.Helper()
	data := must.Value(os.ReadFile(path))(t)
	all := slices.Collect(strings.Lines(string(data)))
	slices.Sort(all)
	return all
}

// memory runs the scene of a folder by a Memory, which writes mine.txt, and returns how long it took to read the
// facts, and to assert them and fire.
func (s scene) memory(t testing.TB, folder string) (read, run time.Duration) {
	t.Helper()
	file := must.Value(os.Create(filepath.Join(folder, "mine.txt")))(t)
	out := bufio.NewWriterSize(file, 1<<16)
	var rules []fact.Rule
	for _, spec := range s.rules {
		spec.then = nil
		r := spec.compile(new([]string))
		r.Then = func(f *fact.Match) {
			line := append(out.AvailableBuffer(), r.Name...)
			for i := range spec.patterns {
				line = append(line, ' ')
				line = strconv.AppendInt(line, int64(f.Fact(i).Number(0)), 10)
			}
			_, _ = out.Write(append(line, '\n')) // Flush returns its error
		}
		rules = append(rules, r)
	}
	start := time.Now()
	var values []fact.Value
	must.OK(t, readFacts(filepath.Join(folder, "facts.dat"), func(row []fact.Value) error {
		values = append(values, row...)
		return nil
	}))
	read = time.Since(start)
	start = time.Now()
	m := fact.New([]fact.Kind{sceneKind}, rules, 0)
	for row := range slices.Chunk(values, len(sceneKind.Fields)) {
		m.Assert("run", row...)
	}
	must.Value(m.Run(1 << 40))(t)
	run = time.Since(start)
	must.OK(t, out.Flush())
	must.OK(t, file.Close())
	return read, run
}

// number returns conditions on one field that about the share of all facts meets.
func number(r *rand.Rand, field string, share float64) []testSpec {
	low := r.Float64() * (1 - share)
	return [][]testSpec{
		{{field, fact.Less, []any{share}}}, {{field, fact.AtMost, []any{share}}},
		{{field, fact.Greater, []any{1 - share}}},
		{{field, fact.AtLeast, []any{1 - share}}},
		{{field, fact.AtLeast, []any{low}}, {field, fact.AtMost, []any{low + share}}},
	}[r.IntN(5)]
}

// singles are conditions of one field: each tenth fact meets one of them.
func singles(r *rand.Rand) (rules []ruleSpec) {
	for i := range 10 {
		field := []string{"x", "y", "z"}[r.IntN(3)]
		rules = append(
			rules,
			ruleSpec{
				name:     fmt.Sprint("r", i),
				patterns: []patternSpec{{kind: "run", where: number(r, field, 0.01*float64(1+i))}},
			},
		)
	}
	return rules
}

// pairs are conditions that join two facts: by an equal text and an inequality, or, of the few facts that meet a
// condition, by an inequality alone.
func pairs(r *rand.Rand) (rules []ruleSpec) {
	fields := []string{"x", "y", "z"}
	for i := range 10 {
		first := patternSpec{kind: "run", where: number(r, fields[r.IntN(3)], 0.3)}
		second := patternSpec{kind: "run", where: number(r, fields[r.IntN(3)], 0.5)}
		second.joins = []joinSpec{
			{field: "s", other: "s", op: fact.Equal},
			{field: fields[r.IntN(3)], other: fields[r.IntN(3)], op: fact.Less, plus: -0.1 * float64(1+r.IntN(5))},
		}
		if i >= 7 {
			first.where, second.where = number(r, "x", 0.001), number(r, "z", 0.1)
			second.joins = []joinSpec{{field: "y", other: "y", op: fact.Greater, plus: 0.97}}
		}
		rules = append(rules, ruleSpec{name: fmt.Sprint("r", i), patterns: []patternSpec{first, second}})
	}
	return rules
}

// drawn are conditions of all sorts.
func drawn(r *rand.Rand) (rules []ruleSpec) {
	fields := []string{"x", "y", "z"}
	ops := []fact.Op{fact.NotEqual, fact.Less, fact.AtMost, fact.Greater, fact.AtLeast}
	for i := range 10 {
		spec := ruleSpec{name: fmt.Sprint("r", i)}
		for k := range 1 + r.IntN(3) {
			p := patternSpec{kind: "run", where: number(r, fields[r.IntN(3)], 0.1+0.3*r.Float64())}
			if r.IntN(3) == 0 {
				p.where = append(p.where, testSpec{"s", []fact.Op{fact.Equal, fact.NotEqual, fact.In}[r.IntN(3)],
					[]any{fmt.Sprint("c", r.IntN(5))}})
			}
			if k > 0 {
				p.joins = append(p.joins, joinSpec{field: "s", other: "s", op: fact.Equal, of: r.IntN(k)})
				p.joins = append(p.joins,
					joinSpec{field: fields[r.IntN(3)], other: fields[r.IntN(3)], op: ops[r.IntN(5)], of: r.IntN(k),
						plus: float64(r.IntN(3)-1) / 8})
			}
			spec.patterns = append(spec.patterns, p)
		}
		rules = append(rules, spec)
	}
	return rules
}

// The memory finds what CLIPS finds, for facts and conditions drawn at random.
func TestHitsAreThoseOfClips(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 14))
		s := scene{rows: drawRows(r, 300, int(seed%3)*8, 20), rules: drawn(r)}
		folder := t.TempDir()
		want, _, _ := s.clips(t, folder)
		s.memory(t, folder)
		if got := lines(t, filepath.Join(folder, "mine.txt")); !slices.Equal(got, want) {
			t.Errorf("seed %d: %d matches, CLIPS has %d", seed, len(got), len(want))
		}
		if len(want) == 0 {
			t.Errorf("seed %d: no matches", seed)
		}
	}
}

// Ten conditions on 100,000 facts, and CLIPS on the same ones in the same run: comparisons of one field, and joins of
// two facts, with numbers drawn at random, and with a hundred different ones. match-s is from the first Assert to the
// last firing, without reading the file; ratio has both sides' reading, too: CLIPS matches while it reads.
// PEREGRINE_CLIPS names a folder where the facts and the program stay.
func BenchmarkClips(b *testing.B) {
	for _, c := range []struct {
		name     string
		distinct int
		rules    func(*rand.Rand) []ruleSpec
	}{{"one/random", 0, singles}, {"one/distinct", 100, singles}, {"two/random", 0, pairs},
		{"two/distinct", 100, pairs}} {
		b.Run(c.name, func(b *testing.B) {
			folder := b.TempDir()
			if kept := os.Getenv("PEREGRINE_CLIPS"); kept != "" {
				folder = filepath.Join(kept, c.name)
				must.OK(b, os.MkdirAll(folder, 0o700))
			}
			r := rand.New(rand.NewPCG(14, 4))
			s := scene{rows: drawRows(r, 100_000, c.distinct, 10), rules: c.rules(r)}
			want, load, fire := s.clips(b, folder)
			var read, run time.Duration
			for b.Loop() {
				oneRead, oneRun := s.memory(b, folder)
				read, run = read+oneRead, run+oneRun
			}
			if got := lines(b, filepath.Join(folder, "mine.txt")); !slices.Equal(got, want) {
				b.Fatalf("%d matches, CLIPS has %d", len(got), len(want))
			}
			readS, runS := read.Seconds()/float64(b.N), run.Seconds()/float64(b.N)
			b.ReportMetric(float64(len(want)), "hits")
			b.ReportMetric(load, "clips-load-s")
			b.ReportMetric(fire, "clips-run-s")
			b.ReportMetric(readS, "read-s")
			b.ReportMetric(runS, "match-s")
			b.ReportMetric((readS+runS)/(load+fire), "ratio")
		})
	}
}
