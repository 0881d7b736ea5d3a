package relay_test

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/relay"
)

// A relay at a socket serves one host after the other; a host takes the place of one whose connection has not broken. It ends when one
// dismisses it, or when none comes for the grace time.
func TestAttend(t *testing.T) {
	terms := relay.Terms{Beat: 50 * time.Millisecond, Lease: 5 * time.Second, Grace: 100 * time.Millisecond}
	for name, last := range map[string]func(*relay.Node){
		"dismissed": func(n *relay.Node) { n.Dismiss(context.Background()) },
		"alone":     (*relay.Node).Close,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := relay.New(relay.Place{Node: "there", Block: "b"}, clock.Real)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
			socket := filepath.Join(t.TempDir(), "s")
			at, err := new(net.ListenConfig).Listen(t.Context(), "unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- r.Attend(t.Context(), at, func(string) {}) }()
			meet := func() *relay.Node {
				conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
				if err != nil {
					t.Fatal(err)
				}
				n, err := relay.Meet(t.Context(), conn, terms)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			first := meet()
			defer first.Close()
			second := meet()
			<-first.Done()
			if why := first.Err(); !strings.Contains(why.Error(), "lost") {
				t.Errorf("the first connection ended: %v", why)
			}
			if err := second.Err(); err != nil {
				t.Errorf("the second connection: %v", err)
			}
			last(second)
			err = <-ended
			if name == "dismissed" && err != nil || name == "alone" && (err == nil || !strings.Contains(err.Error(), "no host for 100ms")) {
				t.Errorf("the relay ended: %v", err)
			}
			if _, err := new(net.Dialer).DialContext(t.Context(), "unix", socket); err == nil {
				t.Error("somebody still listens there")
			}
		})
	}
}
