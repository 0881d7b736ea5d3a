package history

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// A program finds the groups that Go's regular expressions find, and a literal that is required is in every match.
func TestProgramsMatchAsExpressionsDo(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"a", "b", "ab", "= ", `\(`, "é", ".", `\S`, `[ab]`, `[^,]+`, `\S+`, `(\S+)`, `(?P<x>[-0-9.eE]+)`, `(.*)`,
		`(.*?)`, `\s*`, `(\d+)`, ",", "s?", "$", "^",
		`a{1,2}`, `(a(b+)c?)`, `(a|b)`, `(\w+?)`, `[^a]`, `(?i:a)`, `b+?`, `(aé*)`,
	})
	texts := rapid.StringOf(rapid.SampledFrom([]rune("aab,= (1.é\n-e世")))
	compiledOnce := 0
	testenv.Check(t, func(t *rapid.T) {
		expression := ""
		for _, p := range rapid.SliceOfN(pieces, 1, 6).Draw(t, "pieces") {
			expression += p
		}
		re, err := regexp.Compile(expression)
		if err != nil {
			t.Skip()
		}
		p, needs := compiled(expression), required(expression)
		for range 5 {
			line := []byte(texts.Draw(t, "line"))
			if rapid.Bool().Draw(t, "broken") {
				line = append(line, 0xc3, ',')
			}
			want := re.FindSubmatchIndex(line)
			m := matcher{needs: needs, regexp: re}
			if got := m.find(line, nil); !slices.Equal(got, want) {
				t.Fatalf("%q behind %q in %q: %v, want %v", expression, needs, line, got, want)
			}
			if p == nil {
				continue
			}
			compiledOnce++
			spans := make([]int, 2*(re.NumSubexp()+1))
			found, sure := p.find(line, spans)
			if !sure {
				continue
			}
			if found != (want != nil) || found && !slices.Equal(spans[2:], want[2:]) {
				t.Fatalf("%q in %q: %v %v, want %v", expression, line, found, spans, want)
			}
		}
	})
	if compiledOnce == 0 {
		t.Error("no expression became a program")
	}
}

// What users write for logs becomes programs.
func TestUsualExpressionsBecomePrograms(t *testing.T) {
	for _, expression := range []string{
		`^Time = (?P<iteration>\d+)`, `^Time = (?P<time>[-+0-9.eE]+)s?$`,
		`:  Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+), Final`,
		`iter (?P<iteration>\d+) residual\s*=\s*(?P<residual>[^,]+)`, `--> FOAM Warning : (?P<text>.*)`, `^End\s*$`,
	} {
		if compiled(expression) == nil {
			t.Error(expression)
		}
	}
}

// A line that costs a program more than it is worth goes to the expression: the answer stays the same, and comes soon.
func TestProgramsGiveUp(t *testing.T) {
	expression := `^(a*)(a*)(a*)(a*)(a*)(a*)(a*)(a*)b`
	line := make([]byte, 3000)
	for i := range line {
		line[i] = 'a'
	}
	m := newMatcher(Pattern{Regexp: expression})
	if m.program == nil {
		t.Fatal("no program")
	}
	if _, sure := m.program.find(line, make([]int, 18)); sure {
		t.Error("it did not give up")
	}
	if m.find(line, make([]int, 18)) != nil {
		t.Error("a match where there is none")
	}
}

// Short decimal numbers, which are read without strconv, are the same to the last bit.
func TestDecimals(t *testing.T) {
	texts := rapid.StringMatching(`[-+]?[0-9]{0,9}\.?[0-9]{0,12}([eEdD][-+]?[0-9]{0,3})?`)
	testenv.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		x, ok := decimal([]byte(text))
		if !ok {
			return
		}
		for i := range text {
			if text[i] == 'd' || text[i] == 'D' {
				text = text[:i] + "e" + text[i+1:]
			}
		}
		if want, err := strconv.ParseFloat(text, 64); err != nil || want != x {
			t.Fatalf("%s: %v, want %v (%v)", text, x, want, err)
		}
	})
}

func TestLineTemplates(t *testing.T) {
	for _, c := range []struct{ template, line, want string }{
		{
			"{*}:  Solving for {key}, Initial residual = {residual}, Final",
			"GAMG:  Solving for p, Initial residual = 1e-3, Final", "p|1e-3",
		},
		{"{*}:  Solving for {key}, Initial", "GAMG:  Solving for p", ""},
		{"Time = {time}s{end}", "Time = 10s", "10"},
		{"Time = {time}s{end}", "Time = 10", ""},
		{"Time = {time}{end}", "Time = 10  ", "10"},
		{"Time = {time}{end}", "Time = 10 s", ""},
		{"Res: {residual}", "Res:     1.5 more", "1.5"},
		{"F = {force}", "F = (1 2 -3) N", "(1 2 -3)"},
		{"F = {force})", "F = 3)", "3"},
		{"Warning: {text}", "Warning: 3 faces", "3 faces"},
		{"Error {text} in {x}", "Error of a in b in 3", "of a|b"},
		{"{{a} {x}", "{a} 3", "3"},
		{"profile {iteration} {key} {array}", "profile 20 Pt[Pa] 1 2 3", "20|Pt[Pa]|1 2 3"},
	} {
		parsed := must.Value(parseTemplate(c.template))(t)
		spans := make([]int, 2*len(parsed.names))
		got := ""
		if found, _ := parsed.program.find([]byte(c.line), spans); found {
			for i := 1; i < len(parsed.names); i++ {
				if i > 1 {
					got += "|"
				}
				got += string(group([]byte(c.line), spans, i))
			}
		}
		if got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.template, c.line, got, c.want)
		}
	}
	for template, want := range map[string]string{
		"a {x": `"{x" has no } behind it; {{ is a brace`, "": "the template is empty", "{x}{x}": "{x} occurs twice",
		"{a b}": "{a b} is none of {*}, {end} and a name of letters, digits, dots and dashes",
	} {
		if _, err := parseTemplate(template); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", template, err, want)
		}
	}
}

// Whatever a solver writes, its lines become events or are counted.
func FuzzLines(f *testing.F) {
	f.Add("# iteration residual Pt[0] Pt[1]\n10 1.0 101325 1.014D5\n20 NaN 1 2\n")
	f.Add(`{"iteration": 3, "residual": NaN, "a": {"b": [1, 2, 3]}, "kind": "message", "text": "x"}`)
	f.Add("iter 12 residual 3.4e-5\nbegin 4\n")
	f.Add("iteration a[4294967296]\n1 2\n2 3\n")
	specs := []FileSpec{
		{File: File{Pattern: "history.dat", Format: Columns}},
		{File: File{Pattern: "history.jsonl", Format: JSON}},
		{
			File: File{
				Pattern: "log", Format: Regexp,
				Patterns: []Pattern{{Regexp: `^iter (?P<iteration>\d+) residual (?P<residual>\S+)`},
					{Regexp: `begin (?P<x>\S+)`, Begins: true}},
			},
		},
	}
	f.Fuzz(func(t *testing.T, text string) {
		intaketest.Bounded(t, len(text), func() {
			for i := range specs {
				p := NewParser(&specs[i], specs[i].Pattern, State{}, func() time.Time { return time.Time{} })
				for line := range strings.SplitSeq(text, "\n") {
					p.Parse(tail.Line{Text: []byte(line)})
				}
				p.Flush()
			}
		})
	})
}

// Whatever stands in a template or a regular expression, it is refused or reads lines in bounded time.
func FuzzPattern(f *testing.F) {
	f.Add("{*}:  Solving for {key}, Initial residual = {residual}, Final",
		"GAMG:  Solving for p, Initial residual = 1e-3, Final")
	f.Add("{{a} {x} {array}", "{a} 3 (1 2 3)")
	f.Add(`^(?P<key>\S+?) (?P<x>[^,]+),?$`, "a 1,2,3")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 {
			return
		}
		intaketest.Bounded(t, len(pattern)+len(text), func() {
			for _, p := range []Pattern{{Line: pattern}, {Regexp: pattern}} {
				spec := FileSpec{File: File{Pattern: "log", Format: Regexp, Patterns: []Pattern{p}}}
				if spec.Check() != nil {
					continue
				}
				parser := NewParser(&spec, "log", State{}, func() time.Time { return time.Time{} })
				for line := range strings.SplitSeq(text, "\n") {
					parser.Parse(tail.Line{Text: []byte(line)})
				}
			}
		})
	})
}
