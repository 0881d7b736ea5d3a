package bmf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Evaluation evaluates a program and records the steps of the processors.
type Evaluation struct {
	ctx     context.Context
	machine *Machine
	steps   [][]virtual.Step
	count   int // of steps
	ticks   int // evaluated functions
	depth   int
	groups  int32
	levels  []virtual.Load
	scope   *scope
	value   Value // of the program
	err     error // the first of the steps; eval returns it
}

// fail keeps an error of the steps.
func (e *Evaluation) fail(format string, values ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, values...)
	}
}

// scope is an evaluation of which others may go on at the same time: that of the program, of an element of P_Map, of an
// operator of P_Reduce.
type scope struct {
	parent  *scope
	used    map[int32]bool // processors with steps of the operation under way
	pending []int32        // processors of the parallel operation that has ended
	owner   map[int32]int  // elements of P_Map by processor
	index   int            // of the element
}

// fault is a problem at a place of the program.
type fault struct {
	f   *function
	err error
}

func (e *fault) Error() string { return e.f.name + ": " + e.err.Error() }
func (e *fault) Unwrap() error { return e.err }

// locate gives an error the place of a function, unless it has one.
func locate(f *function, err error) error {
	if err == nil || errors.As(err, new(*fault)) || errors.Is(err, context.Canceled) {
		return err
	}
	return &fault{f, err}
}

// problem is a fault as a problem of the program's file.
func (p *Program) problem(err error) error {
	var e *fault
	if !errors.As(err, &e) {
		return err
	}
	return &document.Errors{Problems: []*document.Problem{problemAt(p.name, p.text, e.f.pos, "", e.Error())}}
}

// Limits of an evaluation.
const (
	mostSteps = 1 << 23 // steps that are kept, 24 bytes each
	mostTicks = 1 << 28 // evaluated functions
)

func (e *Evaluation) record(processor int32, s virtual.Step) {
	if e.count++; e.count > mostSteps {
		e.fail("more than %d steps of processors", mostSteps)
		return
	}
	e.scope.used[processor] = true
	e.steps[processor] = append(e.steps[processor], s)
}

// compute has a processor busy for a time, s.
func (e *Evaluation) compute(processor int32, time float64) {
	if time <= 0 {
		return
	}
	if list := e.steps[processor]; len(list) > 0 && list[len(list)-1].Kind == virtual.Compute {
		list[len(list)-1].Time += time
		e.scope.used[processor] = true
		return
	}
	e.record(processor, virtual.Step{Kind: virtual.Compute, Time: time})
}

// send sends a value; it counts to the latest level.
func (e *Evaluation) send(from, to int32, v Value) {
	if e.err != nil {
		return
	}
	bytes := e.machine.bytes(v)
	l := &e.levels[len(e.levels)-1]
	l.Messages, l.Bytes = l.Messages+1, l.Bytes+bytes
	e.record(from, virtual.Step{Kind: virtual.Send, Peer: to, Bytes: bytes})
}

func (e *Evaluation) receive(to, from int32) {
	e.record(to, virtual.Step{Kind: virtual.Receive, Peer: from})
}

// move sends a value and receives it, unless it is there already.
func (e *Evaluation) move(from, to int32, v Value) {
	if from != to {
		e.send(from, to, v)
		e.receive(to, from)
	}
}

// level begins a level of messages.
func (e *Evaluation) level() { e.levels = append(e.levels, virtual.Load{}) }

// endLevel forgets the latest level if it has no message.
func (e *Evaluation) endLevel() {
	if n := len(e.levels); e.levels[n-1].Messages == 0 {
		e.levels = e.levels[:n-1]
	}
}

// join has processors wait for each other.
func (e *Evaluation) join(list []int32) {
	if len(list) < 2 {
		return
	}
	e.groups++
	for _, p := range list {
		e.record(p, virtual.Step{Kind: virtual.Join, Peer: e.groups, Bytes: int64(len(list))})
	}
}

// eval applies a function to a value on a processor.
func (e *Evaluation) eval(f *function, v Value, p int32) (result Value, err error) {
	if e.ticks++; e.ticks%(1<<10) == 0 && e.ctx.Err() != nil {
		return result, context.Cause(e.ctx)
	} else if e.ticks > mostTicks {
		return result, locate(f, fmt.Errorf("the program evaluates more than %d functions", mostTicks))
	}
	if e.depth++; e.depth > 10*mostDepth {
		return result, locate(f, fmt.Errorf("nested deeper than %d", 10*mostDepth))
	}
	defer func() { e.depth-- }()
	switch f.name {
	case "B_Id":
		return v, nil
	case constant:
		return f.value, nil
	case "B_Comp":
		for i := len(f.of) - 1; i >= 0; i-- {
			if v, err = e.eval(f.of[i], v, p); err != nil {
				return v, err
			}
		}
		return v, nil
	case "B_Alltup", "B_Allvec":
		return e.all(f, v, p)
	case "B_Addr":
		result, err = address(f, v)
		return result, locate(f, err)
	}
	if f.target != nil {
		return e.eval(f.target, v, p)
	}
	e.begin(p)
	if apply := parallel[f.name]; apply != nil {
		result, err = e.parallel(apply, f, v, p)
	} else {
		result, err = e.serial(f, v, p)
	}
	return result, locate(f, cmp.Or(err, e.err))
}

// begin begins an operation: after the end of all processors of the parallel operation before.
func (e *Evaluation) begin(p int32) {
	list := e.scope.pending
	e.scope.pending = nil
	if list != nil && !slices.Contains(list, p) {
		list = append(list, p)
	}
	e.join(list)
}

// all applies functions to a value, for a tuple or a list of their results.
func (e *Evaluation) all(f *function, v Value, p int32) (Value, error) {
	parts, err := collect(len(f.of), func(i int) (Value, error) { return e.eval(f.of[i], v, p) })
	switch {
	case err != nil:
	case f.name == "B_Alltup":
		v, err = makeTuple(parts...)
	default:
		v, err = makeList(parts, nil)
	}
	return v, locate(f, err)
}

func address(f *function, v Value) (Value, error) {
	if n := int(f.numbers[0]); v.kind != tupleKind || len(v.body.parts) != n {
		return v, fmt.Errorf("want a tuple of %d, got %v", n, v.typ())
	}
	return v.body.parts[f.numbers[1]-1], nil
}

// home brings the parts of a value to a processor, one message each.
func (e *Evaluation) home(v Value, p int32) Value {
	e.level()
	v = e.fetch(v, p)
	e.endLevel()
	return v
}

func (e *Evaluation) fetch(v Value, p int32) Value {
	if !v.scattered() {
		return v
	}
	parts, err := collect(len(v.body.parts), func(i int) (Value, error) {
		q := v.place(i, p)
		part := e.fetch(v.body.parts[i], q)
		e.move(q, p, part)
		return part, e.err
	})
	whole := v
	switch {
	case err != nil:
	case v.kind == tupleKind:
		whole, err = makeTuple(parts...)
	default:
		whole, err = makeList(parts, nil)
	}
	if err != nil {
		e.fail("%w", err)
		return v
	}
	return whole
}

// serial applies an operator, or an operation on a list, on one processor.
func (e *Evaluation) serial(f *function, v Value, p int32) (Value, error) {
	if f.name != lengthOnly {
		if v = e.home(v, p); e.err != nil {
			return v, e.err
		}
	}
	if apply := operators[f.name]; apply != nil {
		if cost, ok := e.machine.Costs[f.name]; ok {
			e.compute(p, cost.Of(e.machine.bytes(v)))
		}
		return apply(v)
	}
	switch f.name {
	case "B_Zip":
		return e.zip(f, v, p)
	case "B_Split":
		list, err := listOf(v)
		if err != nil {
			return v, err
		}
		parts, err := split(list, int(f.numbers[0]))
		if err != nil {
			return v, err
		}
		return makeList(parts, nil)
	}
	list, err := listOf(v)
	if err != nil {
		return v, err
	}
	switch f.name {
	case "B_Map":
		return collectList(len(list), func(i int) (Value, error) { return e.eval(f.of[0], list[i], p) })
	case "B_Reduce":
		return e.fold(f, v, list, p, func(Value) error { return nil })
	}
	results := make([]Value, 0, len(list))
	if len(list) == 0 {
		return makeList(nil, nil)
	}
	var sum room
	_, err = e.fold(f, v, list, p, func(x Value) error {
		results = append(results, x)
		return sum.take(x)
	})
	if err != nil {
		return v, err
	}
	return makeList(results, nil)
}

// fold joins the elements of a list from the left, and calls take with each intermediate result. With a start value it
// begins there, else with the first element.
func (e *Evaluation) fold(f *function, v Value, list []Value, p int32, take func(Value) error) (Value, error) {
	begin := 0
	sum, started, err := e.start(f, v, p)
	switch {
	case err != nil:
		return v, err
	case !started && len(list) == 0:
		return v, noStart(f)
	case !started:
		sum, begin = list[0], 1
		if err := take(sum); err != nil {
			return v, err
		}
	}
	for _, x := range list[begin:] {
		if sum, err = e.two(f.of[0], sum, x, p); err != nil {
			return v, err
		}
		if err := take(sum); err != nil {
			return v, err
		}
	}
	return sum, nil
}

// noStart is the error of a reduction of nothing.
func noStart(f *function) error {
	return fmt.Errorf("an empty list and no start value; write one such as %s (B_Op B_Plus) (B_Con (B_Int 0))", f.name)
}

// listOf returns the elements of a list.
func listOf(v Value) ([]Value, error) {
	if err := list.check(v); err != nil {
		return nil, err
	}
	return v.body.parts, nil
}

// start is the start value of a reduction or a scan, if it has one.
func (e *Evaluation) start(f *function, v Value, p int32) (Value, bool, error) {
	if len(f.of) < 2 {
		return Value{}, false, nil
	}
	v, err := e.eval(f.of[1], v, p)
	return v, true, err
}

// two applies a function to a pair.
func (e *Evaluation) two(f *function, a, b Value, p int32) (Value, error) {
	v, err := makeTuple(a, b)
	if err != nil {
		return v, err
	}
	return e.eval(f, v, p)
}

// lists returns the two lists of a pair, which have the same length.
func lists(v Value) (a, b Value, err error) {
	a, b, err = pair(v)
	switch {
	case err != nil:
	case !list.fits(a) || !list.fits(b):
		err = fmt.Errorf("want two lists, got %v and %v", a.typ(), b.typ())
	case len(a.body.parts) != len(b.body.parts):
		err = fmt.Errorf("lists of unequal length: %d and %d", len(a.body.parts), len(b.body.parts))
	}
	return a, b, err
}

func (e *Evaluation) zip(f *function, v Value, p int32) (Value, error) {
	a, b, err := lists(v)
	if err != nil {
		return v, err
	}
	return collectList(len(a.body.parts), func(i int) (Value, error) {
		return e.zipped(f, a.body.parts[i], b.body.parts[i], p)
	})
}

// zipped is a pair, or a function of it.
func (e *Evaluation) zipped(f *function, a, b Value, p int32) (Value, error) {
	if len(f.of) == 0 {
		return makeTuple(a, b)
	}
	return e.two(f.of[0], a, b, p)
}

// split cuts a list into n parts, each of ceil(rest/parts left) elements.
func split(list []Value, n int) ([]Value, error) {
	return collect(n, func(i int) (Value, error) {
		length := (len(list) + n - i - 1) / (n - i)
		part, err := makeList(list[:length:length], nil)
		list = list[length:]
		return part, err
	})
}
