#include "textflag.h"

// peregrine_entry is where a program begins that is linked with -E peregrine_entry, as by `make build`: with less than
// 1 GB of address space the Go runtime would fail, with a stack, before any function in Go. It writes a line and exits
// with the code of a fault of the machine, or begins the runtime.
TEXT peregrine_entry(SB), NOSPLIT|NOFRAME, $0
	MOVQ	$97, AX // getrlimit
	MOVQ	$9, DI  // RLIMIT_AS
	LEAQ	-16(SP), SI
	SYSCALL
	TESTQ	AX, AX
	JNE	begin
	CMPQ	-16(SP), $1000000000
	JCS	refuse

begin:
	JMP	_rt0_amd64_linux(SB)

refuse:
	MOVQ	$1, AX // write
	MOVQ	$2, DI // standard error
	LEAQ	refusal<>(SB), SI
	MOVQ	$113, DX
	SYSCALL
	MOVQ	$231, AX // exit_group
	MOVQ	$70, DI
	SYSCALL

DATA refusal<>+0(SB)/40, $"peregrine: the address space is limited "
DATA refusal<>+40(SB)/40, $"to less than 1 GB (ulimit -v), and Pereg"
DATA refusal<>+80(SB)/33, $"rine needs 3 GB: raise the limit\n"
GLOBL refusal<>(SB), RODATA|NOPTR, $113
