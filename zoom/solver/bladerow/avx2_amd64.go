package bladerow

import "golang.org/x/sys/cpu"

// The kernels on lines of cells and faces exist twice: in Go, which says what they
// compute, and for processors with AVX2 in lines_amd64.s, which takes four cells at a
// time. Both give the same bits, so that an answer does not depend on the processor; only a
// Go compiler that fuses products and sums makes a difference (GOAMD64=v3, and most other
// processors). The program in _avx2, a module of its own, writes the assembly.
//
//go:generate go run -C _avx2 .

// avx2 reports whether processor and operating system have AVX2.
var avx2 = cpu.X86.HasAVX2
