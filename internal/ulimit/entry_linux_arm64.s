#include "textflag.h"

// peregrine_entry is where a program begins that is linked with -E peregrine_entry, as by `make build`: with less than
// 1 GB of address space the Go runtime would fail, with a stack, before any function in Go. It writes a line and exits
// with the code of a fault of the machine, or begins the runtime.
TEXT peregrine_entry(SB), NOSPLIT|NOFRAME, $0
	MOVD	$163, R8 // getrlimit
	MOVD	$9, R0   // RLIMIT_AS
	SUB	$16, RSP, R1
	MOVD	R1, R9
	SVC
	CBNZ	R0, begin
	MOVD	(R9), R0
	MOVD	$1000000000, R1
	CMP	R1, R0
	BLO	refuse

begin:
	JMP	_rt0_arm64_linux(SB)

refuse:
	MOVD	$64, R8 // write
	MOVD	$2, R0  // standard error
	MOVD	$refusal<>(SB), R1
	MOVD	$113, R2
	SVC
	MOVD	$94, R8 // exit_group
	MOVD	$70, R0
	SVC

DATA refusal<>+0(SB)/40, $"peregrine: the address space is limited "
DATA refusal<>+40(SB)/40, $"to less than 1 GB (ulimit -v), and Pereg"
DATA refusal<>+80(SB)/33, $"rine needs 3 GB: raise the limit\n"
GLOBL refusal<>(SB), RODATA|NOPTR, $113
