package web

import (
	"net"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// relay is the network between a browser and a server: it can hold all that is under way, and break connections.
type relay struct {
	address string

	mu    sync.Mutex
	open  chan struct{} // closed while bytes pass
	shut  bool          // connections end at once
	ends  map[net.Conn]bool
	tasks sync.WaitGroup
}

func newRelay(t *testing.T, to string) *relay {
	listener := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	r := &relay{address: listener.Addr().String(), open: make(chan struct{}), ends: map[net.Conn]bool{}}
	r.pass()
	r.tasks.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			r.mu.Lock()
			r.ends[near], r.ends[far] = true, true
			shut := r.shut
			r.mu.Unlock()
			if shut {
				r.drop(true)
				continue
			}
			r.tasks.Go(func() { r.carry(near, far) })
			r.tasks.Go(func() { r.carry(far, near) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		r.pass()
		r.drop(true)
		r.tasks.Wait()
	})
	return r
}

// carry carries bytes until an end is closed.
func (r *relay) carry(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 1<<14)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		r.mu.Lock()
		open := r.open
		r.mu.Unlock()
		<-open
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// hold holds the bytes of all connections, also of new ones.
func (r *relay) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = make(chan struct{})
}

// pass lets bytes pass.
func (r *relay) pass() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = false
	select {
	case <-r.open:
	default:
		close(r.open)
	}
}

// drop breaks all connections; shut breaks later ones, too.
func (r *relay) drop(shut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = shut
	for end := range r.ends {
		_ = end.Close()
	}
	clear(r.ends)
}

// A page says that its server is gone, whether the connection breaks or only falls silent, and while its requests hang.
// It gives no command then, and keeps what is typed. When the server answers, it goes on by itself.
func TestOfflineAndBack(t *testing.T) {
	testenv.Long(t, "starts Chromium")
	p := serve(t, true)
	p.ended("fan-a", event.Converged)
	r := newRelay(t, p.address)
	ctx := browse(t, "http://"+r.address+"/#"+p.token)
	wait := func(expressions ...string) {
		t.Helper()
		for _, x := range expressions {
			must.OK(t, chromedp.Run(ctx, until(x)))
		}
	}
	const (
		live    = `document.getElementById("age").textContent === "live"`
		lost    = `document.getElementById("age").textContent.startsWith("no answer from the server since")`
		titled  = `document.title.startsWith("no answer")`
		enabled = `document.querySelectorAll(".handles button").length > 3 &&
			!document.querySelector(".handles button:disabled")`
		disabled = `document.querySelectorAll(".handles button").length > 3 &&
			!document.querySelector(".handles button:enabled")`
		typed   = `document.querySelector('input[aria-label="note"]').value === "half a sent"`
		refused = `document.querySelector(".fault")?.textContent.includes("nothing was sent")`
		focused = `document.activeElement.textContent === "pause"`
	)
	wait(`document.querySelector("#tab-runs .count")`)
	must.OK(t, chromedp.Run(ctx, chromedp.Evaluate("location.hash = '#run=fan-a'", nil),
		until(`document.querySelector('input[aria-label="note"]')`),
		chromedp.SendKeys(`input[aria-label="note"]`, "half a sent")))
	wait(live, enabled)
	r.hold()
	wait(lost, titled, disabled, typed)
	must.OK(t, chromedp.Run(ctx, chromedp.SendKeys(`input[aria-label="note"]`, "\r")))
	wait(refused, typed)
	p.ended("fan-b", event.Converged)
	r.pass()
	wait(live, enabled, typed, `document.querySelector("#tab-runs .count").textContent === "2"`)
	must.OK(t, chromedp.Run(ctx,
		until(`(b => (b.focus(), b === document.activeElement))(document.querySelector(".handles button"))`)))
	for _, hang := range []bool{false, true} { // connections break, and requests fail at once or hang
		if hang {
			r.hold()
		}
		r.drop(!hang)
		wait(lost, disabled, typed)
		r.pass()
		wait(live, enabled, typed, focused)
	}
}
