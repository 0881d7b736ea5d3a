package process

// What machine this is, for records of where an answer was computed.

import (
	"runtime"
	"sync"

	"golang.org/x/sys/cpu"
)

// MachineFacts describe a machine. What is not known is empty.
type MachineFacts struct {
	OS, Arch string   // GOOS, GOARCH
	Kernel   string   // its release
	CPU      string   // model of its processors
	Features []string // of the processors, on which the bits of an answer may depend: those that Peregrine's kernels or libraries look for
	Cores    int
	Memory   int64  // bytes
	Boot     string // which start of the machine
}

// ThisMachine returns the facts of this machine.
var ThisMachine = sync.OnceValue(func() MachineFacts {
	f := MachineFacts{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Features: features()}
	f.read()
	return f
})

// features lists those that a library may choose its code by.
func features() []string {
	var list []string
	for _, f := range []struct {
		has  bool
		name string
	}{
		{cpu.X86.HasAVX, "avx"}, {cpu.X86.HasAVX2, "avx2"}, {cpu.X86.HasFMA, "fma"}, {cpu.X86.HasAVX512F, "avx512f"},
		{cpu.ARM64.HasASIMD, "asimd"}, {cpu.ARM64.HasSVE, "sve"},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return list
}
