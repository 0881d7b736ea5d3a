package main

// From a kernel's steps to instructions: a loop over whole vectors, and the same steps once
// more under a mask for what is left of the line, so that nothing beyond a slice is touched.
// avo allocates the registers. It knows no stack and takes registers of AVX-512 when those of
// AVX2 run out, so a result that is needed much later goes to the stack.

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

// hold is for how many steps a result stays in a register, and a vector read from a line,
// from which it can be read once more.
type hold struct{ stay, read int }

// Larger numbers are mostly faster as long as sixteen registers are enough; under a mask,
// which takes two registers itself, speed does not count.
var (
	whole    = hold{50, 20}
	rest     = hold{20, 1}
	measured = map[string]hold{"roe": {60, 10}, "viscous": {50, 40}, "diagonal": {42, 10}} // in the place of whole
)

// globals are the names of the vectors in the program's data.
var globals []string

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

	mask64, mask32 reg.VecVirtual // what is left of a line, for float64 and float32

	hold
	pos    int
	held   map[*value]reg.VecVirtual
	since  map[*value]int // the step at which a value came into its register
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

// put gives v a register.
func (e *emitter) put(v *value) reg.VecVirtual {
	r := YMM()
	e.held[v], e.since[v] = r, e.pos
	return r
}

// drop forgets the registers of values that have stood in them long enough and can be
// read elsewhere.
func (e *emitter) drop() {
	for v, from := range e.since {
		_, saved := e.saved[v]
		if saved && e.pos-from > e.stay || v.op == opLoad && e.pos-from >= e.read {
			delete(e.held, v)
			delete(e.since, v)
		}
	}
}

// register returns v in a register.
func (e *emitter) register(v *value) reg.VecVirtual {
	if r, ok := e.held[v]; ok {
		return r
	}
	if m, ok := e.memory(v); ok {
		r := YMM()
		if v.op == opLoad {
			r = e.put(v)
		}
		VMOVUPD(m, r)
		return r
	}
	e.fresh(v)
	m := e.address(v.line, v.at)
	r := e.put(v)
	switch {
	case !v.line.short:
		VMASKMOVPD(m, e.mask64, r)
	case e.masked:
		VMASKMOVPS(m, e.mask32.AsX(), r.AsX())
		VCVTPS2PD(r.AsX(), r)
	default:
		VCVTPS2PD(m, r)
	}
	return r
}

// operand returns v in memory, unless it is in a register or about to be needed in one again.
func (e *emitter) operand(v *value) Op {
	if r, ok := e.held[v]; ok {
		return r
	}
	if m, ok := e.memory(v); ok && (v.op != opLoad || e.next(v, e.pos) > e.pos+e.read) {
		return m
	}
	return e.register(v)
}

// save puts the result of this step on the stack if it is needed after its stay.
func (e *emitter) save(v *value) {
	if v.uses[len(v.uses)-1]-e.pos > e.stay {
		m := e.slots.take()
		VMOVUPD(e.held[v], m)
		e.saved[v] = m
	}
}

// freeSlots gives back the places on the stack of arguments that no later step needs.
func (e *emitter) freeSlots(v *value) {
	for _, a := range v.args {
		if m, ok := e.saved[a]; ok && e.next(a, e.pos) == math.MaxInt {
			e.slots.free = append(e.slots.free, m)
			delete(e.saved, a)
		}
	}
}

// body writes the steps.
func (e *emitter) body(h hold) {
	e.hold = h
	e.held, e.since = map[*value]reg.VecVirtual{}, map[*value]int{}
	e.saved, e.stored, e.loaded = map[*value]Mem{}, map[line]bool{}, line{}
	for pos, v := range e.steps {
		e.pos = pos
		e.drop()
		if v.op == opStore {
			e.store(v)
		} else {
			e.compute(v)
			e.save(v)
		}
		e.freeSlots(v)
	}
}

func (e *emitter) store(v *value) {
	from := e.register(v.args[0])
	to := e.address(v.line, "")
	switch {
	case v.line.short && e.masked:
		x := XMM()
		VCVTPD2PSY(from, x)
		VMASKMOVPS(x, e.mask32.AsX(), to)
	case v.line.short:
		x := XMM()
		VCVTPD2PSY(from, x)
		VMOVUPS(x, to)
	case e.masked:
		VMASKMOVPD(from, e.mask64, to)
	default:
		VMOVUPD(from, to)
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
		VSQRTPD(a, e.put(v))
		return
	case opShort:
		a := e.register(v.args[0])
		r := e.put(v)
		VCVTPD2PSY(a, r.AsX())
		VCVTPS2PD(r.AsX(), r)
		return
	case opBlend:
		yes, no, mask := e.register(v.args[0]), e.register(v.args[1]), e.register(v.args[2])
		VBLENDVPD(mask, yes, no, e.put(v)) // the first of the two where the mask is set
		return
	}
	a, b := v.args[0], v.args[1]
	if _, ok := e.held[a]; !ok && commutes[v.op] {
		a, b = b, a
	}
	x := e.register(a)
	y := e.operand(b)
	instructions[v.op](y, x, e.put(v))
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
	k.count()
	TEXT(k.name+"AVX2", 0, "func"+k.signature())
	Doc(strings.Split(k.doc, "\n")...)
	Pragma("noescape")
	e := &emitter{kernel: k, arrays: map[string]Register{}, index: map[shift]Register{}, scalar: map[*value]Mem{},
		pointer: map[line]Register{}, slots: &slots{}}
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
	hold, ok := measured[k.name]
	if !ok {
		hold = whole
	}
	e.body(hold)
	for _, s := range k.shifts {
		ADDQ(Imm(width), e.index[s])
	}
	JMP(LabelRef("whole"))

	Label("rest")
	MOVQ(parameter("n"), e.spare)
	SUBQ(i, e.spare)
	JEQ(LabelRef("done"))
	e.mask64, e.mask32 = YMM(), YMM()
	MOVQ(e.spare, e.mask64.AsX())
	VPBROADCASTQ(e.mask64.AsX(), e.mask64)
	VPCMPGTQ(vector("places", 0, 1, 2, 3), e.mask64, e.mask64)
	VEXTRACTI128(Imm(1), e.mask64, e.mask32.AsX())
	VSHUFPS(Imm(0x88), e.mask32.AsX(), e.mask64.AsX(), e.mask32.AsX())
	e.masked = true
	e.body(rest)

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
