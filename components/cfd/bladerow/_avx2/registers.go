package main

// From a kernel's steps to instructions: a loop over whole vectors, and the same steps once
// more under a mask for what is left of the line, so that nothing beyond a slice is touched.
// The steps have no branches, so Belady's rule gives the registers out: the value
// needed last goes to the stack, unless it stands in memory anyway.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const width = 4 // numbers a vector

var vectors = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

// The last two hold the masks of what is left of a line, for float64 and float32.
var mask64, mask32 = reg.Y15, reg.X14

// globals are the names of the vectors in the program's data.
var globals []string

func constant(x float64) *value  { return pattern(math.Float64bits(x)) }
func pattern(bits uint64) *value { return &value{op: opConst, bits: bits} }

// vector returns where four numbers stand in the program's data, in which instructions read them.
func vector(name string, bits ...uint64) Mem {
	if !slices.Contains(globals, name) {
		globals = append(globals, name)
		GLOBL(name, attr.RODATA|attr.NOPTR)
		for i, x := range bits {
			DATA(8*i, U64(x))
		}
	}
	return NewDataAddr(NewStaticSymbol(name), 0)
}

// emitter gives registers to one copy of a kernel's body.
type emitter struct {
	*kernel
	masked  bool
	arrays  map[string]Register
	pointer map[line]Register // of lines whose address stays in a register
	index   map[shift]Register
	spare   reg.GPVirtual // for the addresses of the others
	loaded  line          // whose address spare holds
	slots   *slots
	scalar  map[*value]Mem

	pos    int
	free   []reg.VecPhysical
	held   map[*value]reg.VecPhysical
	saved  map[*value]Mem
	stored map[line]bool
}

// Register is any register, as avo names it.
type Register = reg.Register

// slots are places for vectors on the stack.
type slots struct{ free []Mem }

func (s *slots) take() Mem {
	if n := len(s.free); n > 0 {
		m := s.free[n-1]
		s.free = s.free[:n-1]
		return m
	}
	return AllocLocal(8 * width)
}

// next is the first step after the present one that needs v; far away if there is none.
func (e *emitter) next(v *value, after int) int {
	for _, p := range v.uses {
		if p > after {
			return p
		}
	}
	return math.MaxInt
}

// address returns where a line's vector stands.
func (e *emitter) address(l line, s shift) Mem {
	scale := uint8(8)
	if l.short {
		scale = 4
	}
	base, ok := e.pointer[l]
	if !ok {
		if e.loaded != l {
			MOVQ(Mem{Base: e.arrays[l.param], Disp: 24 * l.slot}, e.spare)
			e.loaded = l
		}
		base = e.spare
	}
	return Mem{Base: base, Index: e.index[s], Scale: scale}
}

// memory returns where v can be read as an operand, if anywhere.
func (e *emitter) memory(v *value) (Mem, bool) {
	switch v.op {
	case opConst:
		return vector(fmt.Sprintf("c%016x", v.bits), v.bits, v.bits, v.bits, v.bits), true
	case opScalar:
		return e.scalar[v], true
	}
	if m, ok := e.saved[v]; ok {
		return m, true
	}
	if v.op == opLoad && !e.masked && !v.line.short {
		e.fresh(v)
		return e.address(v.line, v.at), true
	}
	return Mem{}, false
}

// fresh makes sure that what v loads has not been written over.
func (e *emitter) fresh(v *value) {
	if e.stored[v.line] {
		panic(fmt.Sprintf("%s: line %v is read after it is written", e.name, v.line))
	}
}

// take returns a free register, and puts a value out of one if there is none.
func (e *emitter) take(keep ...*value) reg.VecPhysical {
	if n := len(e.free); n > 0 {
		r := e.free[n-1]
		e.free = e.free[:n-1]
		return r
	}
	var out *value
	far := -1
	holder := map[reg.VecPhysical]*value{}
	for v, r := range e.held {
		holder[r] = v
	}
	for _, r := range vectors { // in a fixed order, that files do not change by chance
		v := holder[r]
		if v == nil || slices.Contains(keep, v) {
			continue
		}
		if n := e.next(v, e.pos-1); n > far {
			out, far = v, n
		}
	}
	r := e.held[out]
	if _, saved := e.saved[out]; !saved && out.op != opLoad && out.op != opConst && out.op != opScalar {
		m := e.slots.take()
		VMOVUPD(r, m)
		e.saved[out] = m
	}
	delete(e.held, out)
	return r
}

// register returns v in a register.
func (e *emitter) register(v *value, keep ...*value) reg.VecPhysical {
	if r, ok := e.held[v]; ok {
		return r
	}
	r := e.take(keep...)
	e.held[v] = r
	if m, ok := e.memory(v); ok {
		VMOVUPD(m, r)
		return r
	}
	e.fresh(v)
	m := e.address(v.line, v.at)
	switch {
	case !v.line.short:
		VMASKMOVPD(m, mask64, r)
	case e.masked:
		VMASKMOVPS(m, mask32, r.AsX())
		VCVTPS2PD(r.AsX(), r)
	default:
		VCVTPS2PD(m, r)
	}
	return r
}

// operand returns v in memory if this is its last use, otherwise in a register.
func (e *emitter) operand(v *value, keep ...*value) Op {
	if r, ok := e.held[v]; ok {
		return r
	}
	if v.op == opConst || v.op == opScalar || e.next(v, e.pos) == math.MaxInt {
		if m, ok := e.memory(v); ok {
			return m
		}
	}
	return e.register(v, keep...)
}

// result returns the register for a step's result: it may be that of an argument, but the
// stack that an argument is read from must not be written first.
func (e *emitter) result(v *value) reg.VecPhysical {
	e.freeRegisters(v)
	r := e.take()
	e.held[v] = r
	e.freeSlots(v)
	return r
}

// freeRegisters gives back the registers of arguments that no later step needs.
func (e *emitter) freeRegisters(v *value) {
	for _, a := range v.args {
		if r, ok := e.held[a]; ok && e.next(a, e.pos) == math.MaxInt {
			e.free = append(e.free, r)
			delete(e.held, a)
		}
	}
}

// freeSlots gives back their places on the stack.
func (e *emitter) freeSlots(v *value) {
	for _, a := range v.args {
		if m, ok := e.saved[a]; ok && e.next(a, e.pos) == math.MaxInt {
			e.slots.free = append(e.slots.free, m)
			delete(e.saved, a)
		}
	}
}

// body writes the steps.
func (e *emitter) body() {
	e.held, e.saved, e.stored, e.loaded = map[*value]reg.VecPhysical{}, map[*value]Mem{}, map[line]bool{}, line{}
	e.free = append([]reg.VecPhysical(nil), vectors...)
	if e.masked {
		e.free = e.free[:len(vectors)-2]
	}
	for pos, v := range e.steps {
		e.pos = pos
		if v.op == opStore {
			e.store(v)
		} else {
			e.compute(v)
		}
	}
}

func (e *emitter) store(v *value) {
	from := e.register(v.args[0])
	to := e.address(v.line, "")
	if v.line.short {
		x := e.result(v)
		VCVTPD2PSY(from, x.AsX())
		if e.masked {
			VMASKMOVPS(x.AsX(), mask32, to)
		} else {
			VMOVUPS(x.AsX(), to)
		}
		e.free = append(e.free, x)
		delete(e.held, v)
	} else {
		if e.masked {
			VMASKMOVPD(from, mask64, to)
		} else {
			VMOVUPD(from, to)
		}
		e.freeRegisters(v)
		e.freeSlots(v)
	}
	e.stored[v.line] = true
}

func (e *emitter) compute(v *value) {
	if len(v.uses) == 0 {
		panic(e.name + ": a step's result is not used")
	}
	switch v.op {
	case opSqrt:
		a := e.operand(v.args[0])
		VSQRTPD(a, e.result(v))
		return
	case opShort:
		a := e.register(v.args[0])
		r := e.result(v)
		VCVTPD2PSY(a, r.AsX())
		VCVTPS2PD(r.AsX(), r)
		return
	case opBlend:
		yes, no, mask := e.register(v.args[0], v.args...), e.register(v.args[1], v.args...), e.register(v.args[2], v.args...)
		VBLENDVPD(mask, yes, no, e.result(v)) // the first of the two where the mask is set
		return
	}
	a, b := v.args[0], v.args[1]
	if _, ok := e.held[a]; !ok && commutes[v.op] {
		a, b = b, a
	}
	x := e.register(a, v.args...)
	y := e.operand(b, v.args...)
	instructions[v.op](y, x, e.result(v))
}

var commutes = map[operation]bool{opAdd: true, opMul: true, opAnd: true, opOr: true, opXor: true}

// instructions take the second operand, the first and the result.
var instructions = map[operation]func(...Op){
	opAdd: VADDPD, opSub: VSUBPD, opMul: VMULPD, opDiv: VDIVPD, opMax: VMAXPD, opMin: VMINPD,
	opAnd: VANDPD, opOr: VORPD, opXor: VXORPD,
	opUnordered: func(o ...Op) { VCMPPD(U8(3), o[0], o[1], o[2]) },
	opLess:      func(o ...Op) { VCMPPD(U8(0x11), o[0], o[1], o[2]) },
}

// general is the number of general registers that a function may use, the stack's excepted.
const general = 15

func (k *kernel) signature() string { return "(n int, " + strings.Join(k.params, ", ") + ")" }

// declaration is the function for processors without AVX2, which do not call it.
func (k *kernel) declaration() string { return "func " + k.name + "AVX2" + k.signature() + " {}" }

// write writes the function.
func (k *kernel) write() {
	k.schedule()
	TEXT(k.name+"AVX2", 0, "func"+k.signature())
	Doc(strings.Split(k.doc, "\n")...)
	Pragma("noescape")
	e := &emitter{kernel: k, arrays: map[string]Register{}, index: map[shift]Register{}, scalar: map[*value]Mem{}, pointer: map[line]Register{}, slots: &slots{}}
	for _, s := range k.scalars {
		m := AllocLocal(8 * width)
		VBROADCASTSD(parameter(s.name), reg.Y0)
		VMOVUPD(reg.Y0, m)
		e.scalar[s] = m
	}
	end := AllocLocal(8)
	e.spare = GP64()
	MOVQ(parameter("n"), e.spare)
	SUBQ(Imm(width), e.spare)
	MOVQ(e.spare, end)
	e.indices()
	e.pointers()
	i := e.index[""]

	Label("whole")
	CMPQ(i, end)
	JGT(LabelRef("rest"))
	e.body()
	for _, s := range k.shifts {
		ADDQ(Imm(width), e.index[s])
	}
	JMP(LabelRef("whole"))

	Label("rest")
	MOVQ(parameter("n"), e.spare)
	SUBQ(i, e.spare)
	JEQ(LabelRef("done"))
	MOVQ(e.spare, mask64.AsX())
	VPBROADCASTQ(mask64.AsX(), mask64)
	VPCMPGTQ(vector("places", 0, 1, 2, 3), mask64, mask64)
	VEXTRACTI128(Imm(1), mask64, mask32)
	VSHUFPS(Imm(0x88), mask32, mask64.AsX(), mask32)
	e.masked = true
	e.body()

	Label("done")
	VZEROUPPER()
	RET()
}

func parameter(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// indices starts an index for every shift, 0 the first.
func (e *emitter) indices() {
	if !slices.Contains(e.shifts, "") {
		e.shifts = append(e.shifts, "")
	}
	for _, s := range e.shifts {
		r := GP64()
		XORQ(r, r)
		for _, term := range s.terms() {
			if name, minus := strings.CutPrefix(term, "-"); minus {
				SUBQ(parameter(name), r)
			} else {
				ADDQ(parameter(term), r)
			}
		}
		e.index[s] = r
	}
}

// pointers keeps the addresses of the busiest lines in the registers that are left.
func (e *emitter) pointers() {
	count := map[line]int{}
	var order []line
	for _, v := range e.steps {
		for _, x := range append(v.args, v) {
			if x.op != opLoad && x.op != opStore {
				continue
			}
			if count[x.line]++; count[x.line] == 1 {
				order = append(order, x.line)
			}
			if e.arrays[x.line.param] == nil {
				e.arrays[x.line.param] = Load(Param(x.line.param), GP64())
			}
		}
	}
	slices.SortStableFunc(order, func(a, b line) int { return count[b] - count[a] })
	for _, l := range order[:min(len(order), general-1-len(e.arrays)-len(e.index))] {
		r := GP64()
		MOVQ(Mem{Base: e.arrays[l.param], Disp: 24 * l.slot}, r)
		e.pointer[l] = r
	}
}
