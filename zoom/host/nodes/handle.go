package nodes

// Handles of tasks, and queries of hosts by them.

import (
	"context"
	"encoding/json"
	"errors"
	"net"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// Handle is the content of a launch.Handle.
type Handle struct {
	Node     string     `json:"node"`
	Boot     string     `json:"boot,omitempty"` // of the node
	Block    string     `json:"block,omitempty"`
	Process  process.ID `json:"process"` // on the node
	Number   uint64     `json:"number"`  // of the process, to the relay
	Network  string     `json:"network"` // where it listens there
	Address  string     `json:"address"`
	Bridge   string     `json:"bridge"` // socket of the host
	Relay    process.ID `json:"relay"`  // on the node
	Host     process.ID `json:"host"`
	HostBoot string     `json:"host_boot,omitempty"`
	Study    string     `json:"study"`
	Lease    float64    `json:"lease"` // time from the last sign of the host until no process of it can live, s
}

// ask sends a wish to a host and returns its answer, and the connection behind a dial.
func (h *Handle) ask(ctx context.Context, want string) (reply, net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", h.Bridge)
	if err != nil {
		return reply{}, nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	line, err := json.Marshal(wish{Node: h.Node, Number: h.Number, Want: want, Network: h.Network, Address: h.Address})
	var r reply
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	in := make([]byte, 0, 256)
	// byte by byte: the following bytes belong to the connection
	for b := make([]byte, 1); err == nil; in = append(in, b[0]) {
		if _, err = conn.Read(b); err != nil || b[0] == '\n' {
			break
		}
	}
	if err == nil {
		err = json.Unmarshal(in, &r)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil || want != "dial" || !r.Lives {
		return r, nil, errors.Join(err, conn.Close())
	}
	return r, conn, nil
}
