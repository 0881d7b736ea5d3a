package bmf

import (
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// operation is a parallel operation on a value that is on processor p.
type operation func(e *Evaluation, f *function, v Value, p int32) (Value, error)

var parallel map[string]operation

func init() { // the operations evaluate functions, which have operations
	parallel = map[string]operation{
		"P_Map": parallelMap, "P_Reduce": parallelReduce, "P_Scan": parallelScan, "P_Zip": parallelZip,
		"P_Split": parallelSplit, "P_Distl": parallelDistribute, "P_Project": parallelProject,
	}
}

// parallel does an operation. The next one begins when the last of its processors has ended.
func (e *Evaluation) parallel(apply operation, f *function, v Value, p int32) (Value, error) {
	before := e.scope.used
	e.scope.used = map[int32]bool{}
	result, err := apply(e, f, v, p)
	e.scope.pending = slices.Sorted(maps.Keys(e.scope.used))
	maps.Copy(before, e.scope.used)
	e.scope.used = before
	return result, err
}

// nested evaluates a part of a parallel operation in a scope of its own, and returns the processors that it used last.
func (e *Evaluation) nested(owner map[int32]int, index int, do func() (Value, error)) (Value, error) {
	inner := &scope{parent: e.scope, used: map[int32]bool{}, owner: owner, index: index}
	e.scope = inner
	v, err := do()
	e.scope = inner.parent
	maps.Copy(e.scope.used, inner.used)
	e.join(inner.pending)
	return v, err
}

// claim takes a processor for a part of a list. It fails if another element of an enclosing P_Map has it.
func (e *Evaluation) claim(q int32) {
	for s := e.scope; s != nil; s = s.parent {
		if s.owner == nil {
			continue
		}
		if other, taken := s.owner[q]; taken && other != s.index {
			e.fail("colliding strides: a part of element %d would lie on processor %d, which has element "+
				"%d; give the outer P_Split a larger stride, such as P_Split 4 2 for 2^2", s.index, q, other)
			return
		}
		s.owner[q] = s.index
	}
}

// spread returns the elements of a list on p with their processors.
func spread(v Value, p int32) ([]Value, []int32, error) {
	list, err := listOf(v)
	if err != nil {
		return nil, nil, err
	}
	places := v.body.places
	if places == nil {
		places = make([]int32, len(list))
		for i := range places {
			places[i] = p
		}
	}
	return list, places, nil
}

// distinct lists processors, each once.
func distinct(places []int32) []int32 { return slices.Compact(slices.Sorted(slices.Values(places))) }

// parallelMap applies a function to each element on its processor. All begin together and end together.
func parallelMap(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	list, places, err := spread(v, p)
	if err != nil {
		return v, err
	}
	return e.each(list, places, func(i int) (Value, error) { return e.eval(f.of[0], list[i], places[i]) })
}

// each computes a list, each element on its processor.
func (e *Evaluation) each(list []Value, places []int32, do func(i int) (Value, error)) (Value, error) {
	e.join(distinct(places))
	owner := map[int32]int{}
	for i, q := range places {
		if _, taken := owner[q]; !taken {
			owner[q] = i
		}
	}
	results, err := collect(len(list), func(i int) (Value, error) {
		return e.nested(owner, owner[places[i]], func() (Value, error) { return do(i) })
	})
	if err != nil {
		return Value{}, err
	}
	used := maps.Clone(e.scope.used)
	for _, q := range places {
		used[q] = true
	}
	e.join(slices.Sorted(maps.Keys(used)))
	return makeList(results, places)
}

// parallelZip applies a function to the pairs of two lists, on the processors of the first.
func parallelZip(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	a, b, err := lists(v)
	if err != nil {
		return v, err
	}
	list, places, err := spread(a, p)
	if err != nil {
		return v, err
	}
	others := slices.Clone(b.body.parts)
	e.moveAll(others, func(i int) (from, to int32) { return b.place(i, p), places[i] })
	return e.each(list, places, func(i int) (Value, error) {
		return e.zipped(f, list[i], others[i], places[i])
	})
}

// moveAll sends values as a level of messages: each processor sends before it receives. It first brings the parts of
// each to where it is sent from, and has the list hold it whole.
func (e *Evaluation) moveAll(list []Value, way func(i int) (from, to int32)) {
	type at struct {
		body *body
		from int32
	}
	whole := map[at]Value{} // a value may be sent to several processors
	e.level()
	for i, v := range list {
		from, to := way(i)
		if from == to || !v.scattered() {
			continue
		}
		k := at{v.body, from}
		if _, there := whole[k]; !there {
			whole[k] = e.fetch(v, from)
		}
		list[i] = whole[k]
	}
	e.endLevel()
	e.level()
	defer e.endLevel()
	for i, v := range list {
		if from, to := way(i); from != to {
			e.send(from, to, v)
		}
	}
	for i := range list {
		if from, to := way(i); from != to {
			e.receive(to, from)
		}
	}
}

// moveWhole moves a value after it has brought its parts to where it is sent from, and returns it whole.
func (e *Evaluation) moveWhole(from, to int32, v Value) Value {
	if from != to {
		v = e.fetch(v, from)
		e.move(from, to, v)
	}
	return v
}

// operate applies an operator of a reduction or a scan.
func (e *Evaluation) operate(f *function, a, b Value, p int32) (Value, error) {
	return e.nested(nil, 0, func() (Value, error) { return e.two(f, a, b, p) })
}

// started is the elements of a list, the first joined with the start value, if there is one.
func (e *Evaluation) started(f *function, v Value, p int32) ([]Value, []int32, error) {
	list, places, err := spread(v, p)
	if err != nil {
		return nil, nil, err
	}
	start, given, err := e.start(f, v, p)
	if err != nil || !given {
		return list, places, err
	}
	if len(list) == 0 {
		return []Value{start}, []int32{p}, nil
	}
	list = slices.Clone(list)
	list[0], err = e.operate(f.of[0], start, list[0], places[0])
	return list, places, err
}

// parallelReduce joins neighbours, then neighbours of these, level by level.
func parallelReduce(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	list, places, err := e.started(f, v, p)
	if err != nil {
		return v, err
	}
	if len(list) == 0 {
		return v, noStart(f)
	}
	list = slices.Clone(list)
	for d := 1; d < len(list); d *= 2 {
		var sum room
		e.level()
		for i := 0; i+d < len(list); i += 2 * d {
			other := e.moveWhole(places[i+d], places[i], list[i+d])
			if list[i], err = e.operate(f.of[0], list[i], other, places[i]); err != nil {
				return v, err
			}
			list[i+d] = Value{} // its memory is free
			if err := sum.take(list[i]); err != nil {
				return v, err
			}
		}
		e.endLevel()
	}
	e.level()
	defer e.endLevel()
	return e.moveWhole(places[0], p, list[0]), nil
}

// parallelScan joins each element with that 1, 2, 4 ... places before: at each level a processor sends its value before
// it receives another's, and none is changed before all are sent.
func parallelScan(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	list, places, err := spread(v, p)
	if err != nil || len(list) == 0 {
		return v, err
	}
	if list, places, err = e.started(f, v, p); err != nil {
		return v, err
	}
	for d := 1; d < len(list); d *= 2 {
		source := slices.Clone(list)
		e.moveAll(source[:len(source)-d], func(i int) (from, to int32) { return places[i], places[i+d] })
		list = slices.Clone(source)
		var sum room
		for i := d; i < len(source); i++ {
			if list[i], err = e.operate(f.of[0], source[i-d], source[i], places[i]); err != nil {
				return v, err
			}
			if err := sum.take(list[i]); err != nil {
				return v, err
			}
		}
	}
	return makeList(list, places)
}

// parallelSplit cuts a list into parts and scatters them over processors p, p + 2^s, p + 2 2^s ...
func parallelSplit(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	v = e.home(v, p)
	list, err := listOf(v)
	if err != nil {
		return v, err
	}
	n, stride := f.numbers[0], int64(1)
	if len(f.numbers) > 1 {
		stride <<= f.numbers[1]
	}
	if last := int64(p) + (n-1)*stride; last >= int64(e.machine.Processors) {
		return v, fmt.Errorf("%d parts from processor %d on with stride %d reach processor %d; the machine has %d", n,
			p, stride, last, e.machine.Processors)
	}
	parts, err := split(list, int(n))
	if err != nil {
		return v, err
	}
	places := make([]int32, n)
	for i := range places {
		places[i] = p + int32(int64(i)*stride)
		if i > 0 {
			e.claim(places[i])
		}
	}
	e.scatter(places, func(from, to int) Value {
		half, err := makeList(parts[from:to:to], nil)
		if err != nil {
			e.fail("%w", err)
		}
		return half
	})
	return makeList(parts, places)
}

// scatter sends parts along a tree: the first processor sends the second half to the processor at the largest power of
// two below the number of parts, and both do the same with their halves. message returns the content for a range of
// parts.
func (e *Evaluation) scatter(places []int32, message func(from, to int) Value) {
	first := len(e.levels)
	levels := make([]virtual.Load, 64)
	depth := 0
	var half func(from, to, level int)
	half = func(from, to, level int) {
		if to-from < 2 {
			return
		}
		middle := from + largestPowerBelow(to-from)
		e.levels = append(e.levels[:first], levels[level])
		e.move(places[from], places[middle], message(middle, to))
		levels[level] = e.levels[first]
		depth = max(depth, level+1)
		half(middle, to, level+1)
		half(from, middle, level+1)
	}
	half(0, len(places), 0)
	e.levels = e.levels[:first]
	for _, l := range levels[:depth] {
		if l.Messages > 0 {
			e.levels = append(e.levels, l)
		}
	}
}

func largestPowerBelow(n int) int {
	power := 1
	for 2*power < n {
		power *= 2
	}
	return power
}

// parallelDistribute sends a value to all elements of a list along the tree of P_Split, and pairs it with each.
func parallelDistribute(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	a, b, err := pair(v)
	if err != nil {
		return v, err
	}
	a = e.home(a, p)
	list, places, err := spread(b, p)
	if err != nil || len(list) == 0 {
		return b, err
	}
	e.scatter(places, func(int, int) Value { return a })
	results, err := collect(len(list), func(i int) (Value, error) { return makeTuple(a, list[i]) })
	if err != nil {
		return v, err
	}
	return makeList(results, places)
}

// parallelProject brings the elements at given places of a list to the processors of the list, in the order of the
// places. If there are more places than elements the further results lie on further processors, at the same stride.
func parallelProject(e *Evaluation, f *function, v Value, p int32) (Value, error) {
	a, b, err := pair(v)
	if err != nil {
		return v, err
	}
	b = e.home(b, p)
	_, places, err := spread(a, p)
	if err != nil {
		return v, err
	}
	wanted, err := listOf(b)
	if err != nil {
		return v, err
	}
	targets, err := e.extend(places, len(wanted), p)
	if err != nil {
		return v, err
	}
	results, err := collect(len(wanted), func(i int) (Value, error) { return at(a, wanted[i]) })
	if err != nil {
		return v, err
	}
	e.moveAll(results, func(i int) (from, to int32) { return places[wanted[i].int()], targets[i] })
	return makeList(results, targets)
}

// extend returns n processors: those of a list, and more at the stride of its last two.
func (e *Evaluation) extend(places []int32, n int, p int32) ([]int32, error) {
	targets := slices.Clone(places[:min(n, len(places))])
	stride, last := int32(1), p
	if k := len(places); k > 1 {
		stride = places[k-1] - places[k-2]
	}
	if k := len(places); k > 0 {
		last = places[k-1]
	}
	for len(targets) < n {
		if last += stride; last < 0 || int(last) >= e.machine.Processors {
			return nil, fmt.Errorf("%d places reach beyond processor %d, the last of the machine", n,
				e.machine.Processors-1)
		}
		e.claim(last)
		targets = append(targets, last)
	}
	return targets, nil
}
