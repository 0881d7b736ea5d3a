package nodes

// Where relays call: a port of this machine, at which callers show the study's certificate.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
)

// door is a listener that greets its callers.
type door struct {
	net.Listener
	given []string // addresses of the hosts file
	certs *certificate.Store
	clock clock.Clock
	tell  func(kind event.Kind, format string, values ...any)
	meet  func(who string, conn io.ReadWriteCloser) // gets each relay

	strangers atomic.Int64

	mu      sync.Mutex
	waiting []net.Conn // that are being greeted, the oldest first
}

// listen listens at the port of the only given address, or at any.
func (d *door) listen(ctx context.Context) (err error) {
	at := ":0"
	if len(d.given) == 1 {
		if _, port, err := net.SplitHostPort(d.given[0]); err == nil {
			at = ":" + port
		}
	}
	d.Listener, err = new(net.ListenConfig).Listen(ctx, "tcp", at)
	return err
}

// addresses returns the addresses of the door: the given ones, or the name of this machine and the addresses of all its
// interfaces.
func (d *door) addresses() []string {
	end := strconv.Itoa(d.Addr().(*net.TCPAddr).Port)
	var list []string
	for _, host := range d.given {
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

// answer greets each connection, until the door is closed, and returns when all are greeted. If connections cannot be
// accepted, for example for lack of file descriptors, it waits until some have ended.
func (d *door) answer(ctx context.Context) {
	var greetings sync.WaitGroup
	defer greetings.Wait()
	for said := false; ; {
		raw, err := d.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			if !said {
				d.tell(event.Warning, "relays cannot connect for the time being: %v", err)
				said = true
			}
			if clock.Sleep(ctx, d.clock, acceptTime) != nil {
				return
			}
			continue
		}
		d.enter(raw)
		greetings.Go(func() { d.greet(ctx, raw) })
	}
}

// acceptTime is how long the door waits if it cannot accept a connection.
const acceptTime = 100 * time.Millisecond

// greet hands a caller on that shows the study's certificate.
func (d *door) greet(ctx context.Context, raw net.Conn) {
	conn, err := agent.Greet(ctx, raw, d.certs)
	d.leave(raw)
	if err == nil {
		d.meet(fmt.Sprintf("a relay at %v", raw.RemoteAddr()), conn)
		return
	}
	switch n := d.strangers.Add(1); {
	case n < mostStrangersTold:
		d.tell(event.Message, "somebody at %v connected who is no relay of this study: %v", raw.RemoteAddr(), err)
	case n == mostStrangersTold:
		d.tell(event.Message, "more strangers connect, the last one from %v; no others are named", raw.RemoteAddr())
	}
}

// mostStrangersTold is the largest number of strangers reported: a port scan must not fill the study's log.
const mostStrangersTold = 20

// mostStrangers is the largest number of waiting connections. A relay waits for milliseconds, a silent stranger for
// longer.
const mostStrangers = 256

// enter lets a connection in. If too many wait, it closes the oldest: strangers must not keep relays out.
func (d *door) enter(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= mostStrangers {
		_ = d.waiting[0].Close()
		d.waiting = slices.Delete(d.waiting, 0, 1)
	}
	d.waiting = append(d.waiting, c)
}

// leave removes a connection that waits no longer.
func (d *door) leave(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.waiting, c); i >= 0 {
		d.waiting = slices.Delete(d.waiting, i, i+1)
	}
}
