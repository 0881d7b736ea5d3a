package process

// Data of this machine, for records of the place where an answer was computed.

import (
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/cpu"
)

// MachineFacts describe a machine. Unknown fields are empty.
type MachineFacts struct {
	OS     string `json:"os,omitempty"`     // GOOS
	Arch   string `json:"arch,omitempty"`   // GOARCH
	Kernel string `json:"kernel,omitempty"` // its release
	CPU    string `json:"cpu,omitempty"`    // model of its processors
	// of the processors, on which the bits of an answer may depend: features that Peregrine's kernels or libraries
	// check for
	Features []string `json:"features,omitempty"`
	Cores    int      `json:"cores,omitempty"`
	Memory   int64    `json:"memory,omitempty"` // bytes
	Boot     string   `json:"boot,omitempty"`   // identifies the boot of the machine
}

// String names system and processor in a line, as far as they are known.
func (f MachineFacts) String() string {
	var parts []string
	if f.OS != "" {
		parts = append(parts, strings.TrimSpace(f.OS+"/"+f.Arch+" "+f.Kernel))
	}
	if f.CPU != "" {
		parts = append(parts, f.CPU)
	}
	if len(f.Features) > 0 {
		parts = append(parts, strings.Join(f.Features, " "))
	}
	return strings.Join(parts, ", ")
}

// ThisMachine returns the facts of this machine.
var ThisMachine = sync.OnceValue(func() MachineFacts {
	f := MachineFacts{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Features: features()}
	f.read()
	return f
})

// features lists the features by which a library may choose its code.
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
