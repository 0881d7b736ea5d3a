package bmf

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// The mistakes of the text of 1998, each with a case that its printed form fails. Those of the machine (bandwidth as a
// length, a clock set back, a sender's clock that stands, order of the program's text, lines out of order) are tested
// in internal/network and in package virtual.

// A scan whose source does not advance, which updates in place, or which leaves out receivers, has other sums.
func TestScanIsAScan(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"1", "2", "3", "5", "7", "16"} {
		serial := predict(t, sixteen+fixedNetwork, "B_Comp (B_Scan (B_Op B_Plus)) (B_Op B_Iota)", n)
		parallel := predict(t, sixteen+fixedNetwork, "B_Comp (P_Scan (B_Op B_Plus)) (B_Comp "+
			"(P_Map (B_Reduce (B_Op B_Plus) 0)) (B_Comp (P_Split "+n+") (B_Op B_Iota)))", n)
		must.Equal(t, serial.Value.String(), parallel.Value.String())
	}
}

// No processor sends a message to itself.
func TestProjectSendsNothingToItself(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, "B_Comp P_Project (B_Alltup (P_Split 4, B_Con [0, 1, 3, 2]))", "[5, 6, 7, 8]")
	must.Equal(t, "[[5], [6], [8], [7]]", p.Value.String())
	must.Equal(t, virtual.Load{Messages: 2, Bytes: 2}, p.latest(1)[0])
	for _, m := range p.stats.Messages {
		if m.From == m.To {
			t.Errorf("%s>%s", m.From, m.To)
		}
	}
}

// The list comes before the places, in both forms, and result k is on the processor of element k.
func TestProjectTakesTheListFirst(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, "B_Op B_Project", "([true, false, true], [2, 1, 1])")
	must.Equal(t, "[true, false, false]", p.Value.String())
	refuse(t, "B_Op B_Project", "([2, 1], [true, false])", "want an integer as place")
	p = predict(t, sixteen+fixedNetwork, "B_Comp P_Project (B_Alltup (P_Split 3, B_Con [2, 0, 1]))", "[7, 8, 9]")
	must.Equal(t, "[[9], [7], [8]]", p.Value.String())
}

// Splits and broadcasts wait for links, too.
func TestSplitAndDistlAreCongested(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"P_Split 16", broadcast} {
		free := predict(t, "processors: 16\nnetwork: {model: exclusive, shape: full, bandwidth: 1 B/s}", program,
			numbers16)
		bus := predict(t, "processors: 16\nnetwork: {model: exclusive, shape: bus, bandwidth: 1 B/s}", program,
			numbers16)
		if bus.End <= free.End {
			t.Errorf("%s: ends at %v s on a bus, %v s with a link for each pair", program, bus.End, free.End)
		}
	}
}

// A reduction of lists needs a start value for an empty list; with it a list is flattened.
func TestFlattenHasAStartValue(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, "B_Reduce (B_Op B_Conc) (B_Allvec ())", "[]")
	must.Equal(t, "[]", p.Value.String())
	refuse(t, "B_Reduce (B_Op B_Conc)", "[]", "1:1: B_Reduce: an empty list and no start value")
	refuse(t, "P_Reduce (B_Op B_Conc)", "[]", "1:1: P_Reduce: an empty list and no start value")
}

func TestWholeGrammar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, input, want string }{
		{"B_Op B_Conc", "([1], [2, 3])", "[1, 2, 3]"},
		{"B_Op B_Le", "(2, 2)", "true"},
		{"B_Op B_Ge", "(2, 3)", "false"},
		{"B_Op B_Distl", "(1, [2, 3])", "[(1, 2), (1, 3)]"},
		{"B_Comp (P_Zip (B_Op B_Plus)) (B_Alltup (B_Id, B_Id))", "[1, 2]", "[2, 4]"},
		{"B_Comp (P_Scan (B_Op B_Plus)) (B_Comp (P_Map (B_Reduce (B_Op B_Plus))) (P_Split 2))", "[1, 2]", "[1, 3]"},
		{"B_Scan (B_Op B_Plus)", "[1, 2, 3]", "[1, 3, 6]"},
		{"B_Scan (B_Op B_Plus) (B_Con (B_Int 10))", "[1, 2, 3]", "[11, 13, 16]"},
		{"B_Scan B_Plus B_Int 10", "[1, 2, 3]", "[11, 13, 16]"},
		{"B_Comp B_Uminus B_Num 3", "()", "-3"},
		{"B_Addr 3 2", "(1, true, 2.5)", "true"},
		{"B_Addr (2, 1)", "(1, 2)", "1"},
		{"B_Zip", "([1, 2], [true, false])", "[(1, true), (2, false)]"},
		{"B_Comp (B_Op B_Neg) (B_Op B_And)", "(true, false)", "true"},
		{"B_Op (B_Or)", "(true, false)", "true"},
		{"B_Op B_Divide", "(7, -2)", "-3"},
		{"B_Op B_Divide", "(7, 2.0)", "3.5"},
		{"B_Op B_Times", "(3037000500, 3037000499)", "9223372033963249500"},
		{"B_Op B_Eq", "([1, 2], [1, 2])", "true"},
		{"B_Op B_Gt", "(9007199254740993, 9007199254740992)", "true"},
		{"B_Op B_Minus", "(9007199254740993, 9007199254740992)", "1"},
		{"B_Op B_Plus", "(-9007199254740993, 9007199254740992)", "-1"},
		{"B_Op B_Index", "([4, 5], 1)", "5"},
		{"B_Split 2", "[1, 2, 3]", "[[1, 2], [3]]"},
		{"B_Allvec [B_Id, 3]", "2", "[2, 3]"},
		{"B_Alltup B_Id (B_Con B_True)", "2", "(2, true)"},
		{"$Main = B_Map $Double\n$Double = B_Comp (B_Op B_Plus) (B_Alltup (B_Id, B_Id)) (* twice *)\n$Main",
			"[1, ~2]", "[2, -4]"},
	} {
		p := predict(t, sixteen+fixedNetwork, c.program, c.input)
		if got := p.Value.String(); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.program, c.input, got, c.want)
		}
	}
}

// A stride is 2^s; one that leaves too little room for a split within is told.
func TestStrides(t *testing.T) {
	t.Parallel()
	nested := func(stride string) string {
		return "B_Comp (P_Map (P_Split 4)) (P_Split 4" + stride + ")"
	}
	p := predict(t, sixteen+fixedNetwork, nested(" 2"), numbers16)
	must.Equal(t, "[[[0], [1], [2], [3]], [[4], [5], [6], [7]], [[8], [9], [10], [11]], [[12], [13], [14], [15]]]",
		p.Value.String())
	refuse(t, nested(""), numbers16,
		"colliding strides: a part of element 0 would lie on processor 1, which has element 1")
	refuse(t, nested(" 1"), numbers16, "colliding strides")
	refuse(t, "P_Split 2 16", numbers16, "reach processor 65536; the machine has 16")
}

// A function of numbers, mapped over sub-lists, is refused: it needs a serial map within the parallel one.
func TestIncrementNeedsAMapOfItsOwn(t *testing.T) {
	t.Parallel()
	const increment = "$Increment = B_Comp (B_Op B_Plus) (B_Alltup (B_Id, 1))\n"
	refuse(t, increment+"B_Comp (P_Map $Increment) (P_Split 4)", numbers16, "B_Plus: want two numbers")
	p := predict(t, sixteen+fixedNetwork, increment+"B_Comp (P_Map (B_Map $Increment)) (P_Split 2)", "[1, 2]")
	must.Equal(t, "[[2], [3]]", p.Value.String())
}

// -51 is a receive, -21 a send.
func TestEventsHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, "P_Split 2", "[1, 2]")
	for _, line := range strings.Split(strings.TrimSpace(p.picl), "\n") {
		fields := strings.Fields(line)
		if sender := fields[3] == "0"; fields[1] == "-21" != sender {
			t.Errorf("%s: want -21 of processor 0 alone", line)
		}
	}
}

// A value whose parts lie on several processors is brought to one of them, then sent; each part is fetched once.
func TestScatteredPartsAreFetchedOnce(t *testing.T) {
	t.Parallel()
	const nested = "(B_Comp (P_Map (P_Split 2)) (P_Split 2 1))" // 3 messages: 2 to processor 2, and 1 to 1 and to 3
	for _, c := range []struct {
		program, want string
		load          virtual.Load
	}{
		{"P_Reduce (B_Op B_Conc)", "[[1], [2], [3], [4]]", virtual.Load{Messages: 6, Bytes: 8}}, // 3>2, 2>0, 1>0
		{"P_Scan (B_Op B_Conc)", "[[[1], [2]], [[1], [2], [3], [4]]]",
			virtual.Load{Messages: 6, Bytes: 8}}, // 1>0, 0>2, 3>2
		{"B_Comp P_Project (B_Alltup (B_Id, B_Con [1, 1]))", "[[[3], [4]], [[3], [4]]]",
			virtual.Load{Messages: 5, Bytes: 7}}, // 3>2, 2>0
		{"B_Comp (P_Zip) (B_Alltup (B_Id, B_Comp P_Project (B_Alltup (B_Id, B_Con [0, 1]))))",
			"[([[1], [2]], [[1], [2]]), ([[3], [4]], [[3], [4]])]", virtual.Load{Messages: 3, Bytes: 4}},
	} {
		p := predict(t, sixteen+fixedNetwork, "B_Comp ("+c.program+") "+nested, "[1, 2, 3, 4]")
		got := virtual.Load{Messages: p.Messages, Bytes: p.Bytes}
		if p.Value.String() != c.want || got != c.load {
			t.Errorf("%s: %s with %+v, want %s with %+v", c.program, p.Value, got, c.want, c.load)
		}
	}
}
