package nodes

// Where relays call.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
)

// openDoor listens, and writes where into the study's folder.
func (f *Fleet) openDoor() (err error) {
	at, hosts := ":0", f.config.Hosts.Listen
	if len(hosts) == 1 {
		if _, port, err := net.SplitHostPort(hosts[0]); err == nil {
			at = ":" + port
		}
	}
	if f.door, err = new(net.ListenConfig).Listen(f.ctx, "tcp", at); err != nil {
		return err
	}
	keys, err := f.certs.Keys()
	if err == nil {
		port := f.door.Addr().(*net.TCPAddr).Port
		err = agent.Home{Addresses: addresses(hosts, port), Keys: keys, Lease: f.config.Terms.Lease.Seconds(),
			Grace: f.config.Terms.Grace.Seconds()}.Write(f.homePath())
	}
	if err != nil {
		return errors.Join(err, f.door.Close())
	}
	f.work.Go(f.answer)
	return nil
}

func (f *Fleet) homePath() string { return filepath.Join(f.study, homeFile) }

func (f *Fleet) removeHome() error {
	if err := os.Remove(f.homePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// addresses are where this machine is reached: as the hosts file says, or by its name and the addresses of all its
// interfaces.
func addresses(given []string, port int) []string {
	end := strconv.Itoa(port)
	var list []string
	for _, host := range given {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(host, end)
		}
		list = append(list, host)
	}
	if len(list) > 0 {
		return list
	}
	var last []string
	addresses, _ := net.InterfaceAddrs() // none: the name is left
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		switch {
		case !ok || ip.IP.IsLinkLocalUnicast():
		case ip.IP.IsLoopback():
			last = append(last, net.JoinHostPort(ip.IP.String(), end))
		default:
			list = append(list, net.JoinHostPort(ip.IP.String(), end))
		}
	}
	if name, err := os.Hostname(); err == nil {
		list = append(list, net.JoinHostPort(name, end))
	}
	return append(list, last...)
}

// answer greets whoever connects, until the door is closed. Where connections cannot be taken, as for want of file
// descriptors, it waits until some have ended.
func (f *Fleet) answer() {
	waiting := &hall{}
	for said := false; ; {
		raw, err := f.door.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			if !said {
				f.tell(event.Warning, "", "relays cannot connect for the time being: %v", err)
				said = true
			}
			if clock.Sleep(f.ctx, f.clock, acceptTime) != nil {
				return
			}
			continue
		}
		waiting.enter(raw)
		f.work.Go(func() { f.greet(raw, waiting) })
	}
}

// acceptTime is how long the door waits when it cannot take a connection.
const acceptTime = 100 * time.Millisecond

// greet makes a caller a member if it shows the study's certificate.
func (f *Fleet) greet(raw net.Conn, waiting *hall) {
	conn, err := agent.Greet(f.ctx, raw, f.certs)
	waiting.leave(raw)
	if err != nil {
		f.tellStranger(raw, err)
		return
	}
	f.meet(fmt.Sprintf("a relay at %v", raw.RemoteAddr()), conn)
}

// mostStrangersTold is the number of strangers that are reported: a port scan must not fill the study's log.
const mostStrangersTold = 20

func (f *Fleet) tellStranger(raw net.Conn, err error) {
	switch n := f.strangers.Add(1); {
	case n < mostStrangersTold:
		f.tell(event.Message, "", "somebody at %v connected who is no relay of this study: %v", raw.RemoteAddr(), err)
	case n == mostStrangersTold:
		f.tell(event.Message, "", "more strangers connect, the last one from %v; no others are named", raw.RemoteAddr())
	}
}

// meet makes the relay at the other end of a connection a member, unless it is a member whose connection had broken.
func (f *Fleet) meet(who string, conn io.ReadWriteCloser) {
	ctx, cancel := context.WithTimeout(f.ctx, joinTime)
	defer cancel()
	line, err := f.lines.Answer(ctx, conn)
	if line == nil && err == nil {
		return
	}
	var node *agent.Node
	if err == nil {
		node, err = agent.Meet(ctx, line, f.config.Terms)
	}
	if err != nil {
		f.tell(event.Warning, "", "%s cannot be used: %v", who, err)
		return
	}
	f.join(ctx, node)
}
