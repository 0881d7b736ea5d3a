package bladerow

import "golang.org/x/sys/cpu"

// The kernels on lines of cells and faces exist twice: in Go, where they say what they
// compute, and for processors that have AVX2, where they take four cells at a time. The
// second, lines_amd64.s, is written by the program in _avx2, a module of its own. Both
// give the same bits, so that an answer does not tell what it was computed on. Only a Go
// compiler that fuses products and sums shows: GOAMD64=v3, and most other processors.
//
//go:generate go run -C _avx2 .

// avx2 says whether the processor and the system can.
var avx2 = cpu.X86.HasAVX2
