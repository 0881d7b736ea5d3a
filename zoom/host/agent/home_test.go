package agent

// How a relay finds its host, and what a host must show.

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// The file has the study's keys: only its owner reads it.
func TestHomeIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home.json")
	must.OK(t, os.WriteFile(path, nil, 0o644))
	must.OK(t, (Home{Addresses: []string{"a:1"}}).Write(path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A host proves who it is to the relay: one that takes any relay for its own, but shows no certificate or another
// study's, is turned away.
func TestStrangeHost(t *testing.T) {
	ours, other := study(t), study(t)
	keys := keysOf(t, ours)
	plugin, err := ours.Plugin() // whoever has a plugin's or a relay's key is no host
	must.OK(t, err)
	for name, show := range map[string][]tls.Certificate{"none": nil, "another study's": certificateOf(t, other),
		"a relay's": plugin.Certificates, "ours": certificateOf(t, ours)} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			door := listen(t)
			done := make(chan struct{})
			go func() {
				defer close(done)
				if raw, err := door.Accept(); err == nil {
					c := tls.Client(raw, &tls.Config{Certificates: show, InsecureSkipVerify: true})
					_ = c.Handshake() // what the relay makes of it counts
					_ = c.Close()
				}
			}()
			c, err := (Home{Addresses: []string{door.Addr().String()}, Keys: keys}).dial(t.Context(), clock.Real)
			if (err == nil) != (name == "ours") {
				t.Errorf("got %v", err)
			}
			if c != nil {
				_ = c.Close()
			}
			_ = door.Close()
			<-done
		})
	}
}

func certificateOf(t *testing.T, s *certificate.Store) []tls.Certificate {
	t.Helper()
	config := must.Value(s.Host())(t)
	return config.Certificates
}

// All addresses are tried: one that refuses and one that says nothing do not keep a relay from its host. A host that
// comes back elsewhere is found by the file, which is read anew.
func TestCallHome(t *testing.T) {
	clean(t)
	store := study(t)
	keys := keysOf(t, store)
	mute := listen(t)
	defer func() { _ = mute.Close() }()
	closed := listen(t)
	nobody := closed.Addr().String()
	_ = closed.Close()
	r, path := newRelay(t, clock.Real), filepath.Join(t.TempDir(), "home.json")
	var first chan struct{}
	var before *Node
	for i := range 2 {
		door := listen(t)
		must.OK(t,
			(Home{Addresses: []string{nobody, mute.Addr().String(), door.Addr().String()}, Keys: keys}).Write(path))
		if i == 0 {
			first = make(chan struct{})
			go func() {
				defer close(first)
				noError(t, r.CallHome(t.Context(), path, func(string) {}))
			}()
		}
		if before != nil {
			before.Close() // the relay calls again
		}
		_ = door.(*net.TCPListener).SetDeadline(time.Now().Add(hang))
		raw := must.Value(door.Accept())(t)
		conn := must.Value(Greet(t.Context(), raw, store))(t)
		line, err := new(Exchange).Answer(t.Context(), conn) // another host knows no line of the first one
		must.OK(t, err)
		n := must.Value(Meet(t.Context(), line, longTerms))(t)
		if before = n; i == 1 {
			n.Dismiss(t.Context())
		}
		_ = door.Close()
	}
	awaitEnd(t, "the relay", first)
}
