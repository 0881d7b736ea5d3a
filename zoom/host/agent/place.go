package agent

// The facts about a relay's machine and block that a host needs.

import (
	"cmp"
	"os"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// NodeInfo describes a relay's node and block, as known to the starter of the relay.
type NodeInfo struct {
	Node     string // default: the machine's name
	Block    string
	Restarts int       // how often the block was begun anew
	Ends     time.Time // of the block; zero: not known
	Folder   string    // for files not shared with the host; default: the folder of temporary files
	// treats no folder as shared with the host: for a site whose shared folder is slow, and for tests
	Unshared bool
}

// PlaceFromEnvironment returns the place of a relay started by a block; see package provider.
func PlaceFromEnvironment() NodeInfo {
	p := NodeInfo{Block: os.Getenv(provider.EnvBlock), Node: os.Getenv(provider.EnvNode),
		Folder: os.Getenv(provider.EnvFolder)}
	p.Restarts, _ = strconv.Atoi(os.Getenv(provider.EnvRestarts)) // 0, if missing
	if ends, err := strconv.ParseInt(os.Getenv(provider.EnvEnds), 10, 64); err == nil {
		p.Ends = time.Unix(ends, 0)
	}
	return p
}

// factsOf returns the facts about this machine that a host needs.
func factsOf(place NodeInfo, at clock.Clock) (*pb.Facts, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	sum, err := checksum.Of(self)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	m := process.ThisMachine()
	f := &pb.Facts{
		Host: host, Node: place.Node, Block: place.Block, Restarts: int32(place.Restarts),
		Os: m.OS, Arch: m.Arch, Kernel: m.Kernel, Cpu: m.CPU, Features: m.Features, Cores: int32(m.Cores),
		Memory: m.Memory, Boot: m.Boot,
		Pid: int64(process.Self().PID), Mark: process.Self().Mark, Program: self, Sum: sum, Folder: place.Folder,
		Started: unix(at.Now()),
	}
	f.Node = cmp.Or(f.Node, host)
	f.Folder = cmp.Or(f.Folder, os.TempDir())
	if !place.Ends.IsZero() {
		f.Ends = unix(place.Ends)
	}
	return f, nil
}

// unix is a time in seconds.
func unix(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// fromUnix is the inverse of unix.
func fromUnix(s float64) time.Time { return time.Unix(0, int64(s*1e9)).UTC() }
