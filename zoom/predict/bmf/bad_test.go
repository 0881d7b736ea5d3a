package bmf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/examples"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// refuse runs a program whose error must have a text.
func refuse(t *testing.T, program, input, want string) {
	t.Helper()
	m, err := parseMachine("machine.yaml", []byte(sixteen+fixedNetwork))
	must.OK(t, err)
	p, err := Parse("program", program)
	if err == nil {
		var v Value
		v, err = ParseValue("input", input)
		must.OK(t, err)
		_, err = Evaluate(t.Context(), p, v, m)
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%.60s of %.60s: %v; want %q", program, input, err, want)
	}
}

func TestBadProgramsAreToldWithTheirPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, input, want string }{
		{"", "1", "1:1: empty"},
		{"B_Map", "1", `1:1: "B_Map": want a function`},
		{"B_Comp B_Id", "1", `1:1: "B_Comp": want functions`},
		{"B_Map (B_Id", "1", "1:12: no ) for the ( at 1:7"},
		{"B_Map B_Id)", "1", `1:11: ")": the program's function has ended before`},
		{"B_Id\nB_Id", "1", "2:1: "},
		{"B_Comp B_Id B_Id B_Id", "1", "1:18: \"B_Id\": the program's function has ended before; B_Comp takes two"},
		{"B_Map (B_Comp B_Id B_Id B_Id)", "[1]", "1:25: \"B_Id\": no comma before it; B_Comp takes two functions"},
		{"P_Reduce (B_Op B_Plus)", "[]", "no start value; write one such as P_Reduce (B_Op B_Plus) (B_Con (B_Int 0))"},
		{"B_Addr 2", "1", `"B_Addr": want the length of a tuple and a place`},
		{"B_Addr 2 3", "1", "place 3 of a tuple of 2"},
		{"B_Split 0", "1", "0 parts"},
		{"P_Split 2 21", "1", "a stride of 2^21"},
		{"B_Con (B_Int 2.5)", "1", "B_Int: want a constant"},
		{"$a = B_Map $b\n$b = B_Map $a", "1", "defined by itself"},
		{"$a = B_Id\n$a = B_Id", "1", `2:1: "$a": defined twice`},
		{"B_Op B_Index", "([1], 1)", "1:1: B_Index: place 1 of a list of 1"},
		{"B_Op B_Index", "([1], -1)", "place -1 of a list of 1"},
		{"B_Zip", "([1], [1, 2])", "lists of unequal length: 1 and 2"},
		{"P_Zip B_Plus", "([1], [1, 2])", "lists of unequal length: 1 and 2"},
		{"B_Allvec (B_Id, B_True)", "1", "a mixed list: element 1 is a boolean, those before are each an integer"},
		{"B_Op B_Conc", "([[1]], [[true]])", "a mixed list"},
		{"P_Split 17", "[1]", "17 parts from processor 0 on with stride 1 reach processor 16; the machine has 16"},
		{"B_Op B_Iota", "1000000000000", "a list of 1000000000000 elements"},
		{"B_Op B_Iota", "-1", "want a length"},
		{"B_Op B_Divide", "(1, 0)", "a division by zero"},
		{"B_Op B_Plus", "(9223372036854775807, 1)", "beyond 64 bits"},
		{"B_Op B_Uminus", "-9223372036854775808", "beyond 64 bits"},
		{"B_Op B_Times", "(1e300, 1e300)", "beyond the range"},
		{"B_Map B_Id", "3", "want a list, got an integer"},
		{"B_Map (B_Op B_Iota)", "[3000000, 3000000]", "a value of more than"},
		{strings.Repeat("B_Map (", 100_000), "1", "nested deeper than 10000"},
		{strings.Repeat("(", 100_000), "1", "nested deeper than 10000"},
	} {
		refuse(t, c.program, c.input, c.want)
	}
	for _, deep := range []string{strings.Repeat("B_Map (", 100_000) + "B_Id" + strings.Repeat(")", 100_000),
		strings.Repeat("(", 100_000)} {
		var list *document.Errors
		if _, err := Parse("program", deep); !errors.As(err, &list) || len(list.Problems) != 1 {
			t.Errorf("%.20s: %.500v; want the depth alone", deep, err)
		}
	}
	var double strings.Builder
	double.WriteString("$d0 = B_Comp (B_Op B_Conc) (B_Alltup (B_Id, B_Id))\n")
	for i := range 60 {
		fmt.Fprintf(&double, "$d%d = B_Comp $d0 $d%d\n", i+1, i)
	}
	refuse(t, double.String(), "[1]", "a value of more than")
	_, err := ParseValue("input", strings.Repeat("[", 100_000))
	must.Fail(t, err, "nested deeper than 10000")
	_, err = ParseValue("input", "[1, true, x]")
	must.Fail(t, err, `input:1:11: "x": want a value`)
	for _, mixed := range []string{"[1, 2.5]", "[[], [1], [true]]", "[([], 1), ([1], 2), ([true], 3)]"} {
		_, err = ParseValue("input", mixed)
		must.Fail(t, err, "a mixed list")
	}
}

// A short program whose evaluation would take years ends.
func TestEvaluationIsBounded(t *testing.T) {
	t.Parallel()
	m, err := parseMachine("machine.yaml", []byte(sixteen+fixedNetwork))
	must.OK(t, err)
	var twice strings.Builder
	for i := range 60 {
		fmt.Fprintf(&twice, "$f%d = B_Comp $f%d $f%d\n", i+1, i, i)
	}
	p, err := Parse("program", twice.String()+"$f0 = B_Op B_Uminus\n$f60")
	must.OK(t, err)
	e := newEvaluation(t.Context(), m)
	e.ticks = mostTicks - 1000
	_, err = e.eval(p.main, intValue(1), 0)
	must.Fail(t, err, "evaluates more than 268435456 functions")
}

// A list or a tuple that becomes too large is refused while it is made, not when memory has ended.
func TestLargeValuesAreRefusedEarly(t *testing.T) {
	t.Parallel()
	m, err := parseMachine("machine.yaml", []byte(sixteen+fixedNetwork))
	must.OK(t, err)
	const parts, large = 64, "(B_Comp (B_Op B_Iota) 1500000)"
	for _, program := range []string{
		"B_Map " + large, "P_Map " + large, "B_Scan " + large, "P_Scan " + large, "P_Reduce " + large,
		"B_Comp (B_Zip " + large + ") (B_Alltup (B_Id, B_Id))", "B_Comp (P_Zip " + large + ") (B_Alltup (B_Id, B_Id))",
		"B_Alltup (" + strings.Repeat(large+", ", parts-1) + large + ")",
		"B_Allvec (" + strings.Repeat(large+", ", parts-1) + large + ")",
	} {
		p, err := Parse("program", program)
		must.OK(t, err)
		e := newEvaluation(t.Context(), m)
		list := make([]Value, parts)
		for i := range list {
			list[i] = intValue(int64(i))
		}
		v, err := makeList(list, nil)
		must.OK(t, err)
		if _, err = e.eval(p.main, v, 0); !errors.Is(err, errTooLarge) || e.ticks > parts/2 {
			t.Errorf("%.40s: %v after %d functions", program, err, e.ticks)
		}
	}
}

func TestBadMachines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"processors: 4\nnetwork: {model: exclusive, shape: mesh, rows: 2, columns: 3, bandwidth: 1 B/s}",
			"2 rows and 3 columns"},
		{"processors: 3\nnetwork: {model: shared, shape: hypercube, bandwidth: 1 B/s}", "want a power of two"},
		{"processors: 3\nnetwork: {model: shared, shape: ring, bandwidth: 0 B/s}", "want a bandwidth"},
		{"processors: 3\nnetwork: {model: shared, shape: ring, bandwidth: 3 m}", "a bandwidth such as"},
		{"processors: 3\nnetwork: {model: shared, shape: ring}", "no key bandwidth, which model shared needs"},
		{"processors: 3\nnetwork: {model: fixed}", "no key time, which model fixed needs"},
		{"processors: 3\nelement: {int: -1 B}\nnetwork: {model: fixed, time: 1 s}", "2:16: element.int"},
		{"processors: 3\noverhead: {send: -1 s/B}\nnetwork: {model: fixed, time: 1 s}", "2:18: overhead.send"},
	} {
		_, err := parseMachine("machine.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.text, err, c.want)
		}
	}
}

// The serial and the parallel form of a program have the same value, for any list, machine and number of parts: the
// split property, reduce f = P_Reduce f . P_Map (reduce f) . P_Split n, and the promotion of map.
func TestSerialAndParallelFormsAgree(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(-50, 50), 0, 40).Draw(t, "list")
		n := rapid.IntRange(1, 16).Draw(t, "parts")
		network := rapid.SampledFrom([]string{fixedNetwork, treeNetwork, meshNetwork, grayNetwork,
			"{model: shared, shape: bus, bandwidth: 1 B/s}"}).Draw(t, "network")
		const double = "(B_Comp (B_Op B_Plus) (B_Alltup (B_Id, B_Id)))"
		const sum = "(B_Reduce (B_Op B_Plus) 0)"
		for _, c := range []struct{ serial, parallel string }{
			{sum, "B_Comp (P_Reduce (B_Op B_Plus)) (B_Comp (P_Map " + sum + ") (P_Split %d))"},
			{"B_Map " + double, "B_Comp (P_Reduce (B_Op B_Conc)) (B_Comp (P_Map (B_Map " + double + ")) (P_Split %d))"},
			{"B_Comp (B_Scan (B_Op B_Plus)) (B_Comp (B_Map " + sum + ") (B_Split %d))",
				"B_Comp (P_Scan (B_Op B_Plus)) (B_Comp (P_Map " + sum + ") (P_Split %d))"},
			{"B_Comp (B_Op B_Distl) (B_Alltup (7, B_Split %d))", "B_Comp P_Distl (B_Alltup (7, P_Split %d))"},
			{"B_Split %d", "B_Comp (B_Map B_Id) (P_Split %d)"},
		} {
			var values []string
			for _, program := range []string{c.serial, c.parallel} {
				m, err := parseMachine("machine.yaml", []byte(sixteen+network))
				must.OK(t, err)
				p, err := Parse("program", strings.ReplaceAll(program, "%d", fmt.Sprint(n)))
				must.OK(t, err)
				v, err := ParseValue("input", strings.ReplaceAll(fmt.Sprint(list), " ", ", "))
				must.OK(t, err)
				e, err := Evaluate(t.Context(), p, v, m)
				must.OK(t, err)
				out, err := e.Simulate(t.Context(), nil)
				must.OK(t, err)
				values = append(values, out.Value.String())
			}
			if values[0] != values[1] {
				t.Fatalf("%s: %s; %s: %s", c.serial, values[0], c.parallel, values[1])
			}
		}
	})
}

// The examples have the values that their page states.
func TestExamples(t *testing.T) {
	t.Parallel()
	list, err := examples.List()
	must.OK(t, err)
	found := 0
	for _, e := range list {
		name, is := strings.CutPrefix(e.Name, "bmf/")
		if !is {
			continue
		}
		files, err := e.Files()
		must.OK(t, err)
		page := string(files["bmf/README.md"])
		_, row, there := strings.Cut(page, "| `"+name+".bmf` |")
		if !there {
			t.Errorf("the page does not list %s", name)
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		_, want, _ := strings.Cut(row, "| ")
		want, _, _ = strings.Cut(want, " |")
		found++
		for _, machine := range []string{"machine", "tree", "mesh"} {
			p := predict(t, string(files["bmf/"+machine+".yaml"]), string(files[e.Main]), "[1, 2, 3, 4]")
			begin, _, _ := strings.Cut(want, " ...")
			if got := p.Value.String(); !strings.HasPrefix(got, begin) {
				t.Errorf("%s on %s: %s, want %s", name, machine, got, want)
			}
		}
	}
	if found < 8 {
		t.Errorf("%d examples", found)
	}
}

func FuzzProgram(f *testing.F) {
	for _, text := range []string{concatenation, prefixes, broadcast, reversal,
		"$a = B_Con (B_Real 2.5)\nB_Comp (B_Zip) $a",
		"B_Comp (P_Map (P_Split 2)) (P_Split 4 1) -- x", "B_Addr (2, 1)", "[B_Id; (* *) ~3]"} {
		f.Add(text, numbers16)
	}
	m, err := parseMachine("machine.yaml", []byte(sixteen+treeNetwork))
	must.OK(f, err)
	f.Fuzz(func(t *testing.T, program, input string) {
		p, err := Parse("program", program)
		v, wrong := ParseValue("input", input)
		if err != nil || wrong != nil {
			return
		}
		e, err := Evaluate(t.Context(), p, v, m)
		if err != nil {
			return
		}
		if _, err := e.Simulate(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}
