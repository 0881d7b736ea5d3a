package agent

// What a relay reads that somebody else has written, before it knows whose it is.

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// spoken is a connection on which somebody has said something and hung up.
type spoken struct {
	net.Conn
	in bytes.Reader
}

func (s *spoken) Read(p []byte) (int, error)  { return s.in.Read(p) }
func (s *spoken) Write(p []byte) (int, error) { return len(p), nil }
func (s *spoken) Close() error                { return nil }

func saying(data []byte) *spoken { return &spoken{in: *bytes.NewReader(data)} }

// FuzzStream reads heads of streams: what is said to be a plugin's has an address, and nothing behind the head is
// taken. What the host writes comes back.
func FuzzStream(f *testing.F) {
	for _, head := range []string{"", "G", "GPRI * HTTP/2.0", "D", "D\x00", "D\x0aunix:/a/b/crest", "D\xfftcp:1", "X"} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := saying(data)
		kind, network, address, err := kindOf(s)
		if err != nil {
			return
		}
		taken := 1
		if kind == dialStream {
			taken = 2 + len(network) + 1 + len(address)
		} else if network+address != "" {
			t.Errorf("kind %q has an address", kind)
		}
		if kind != data[0] || s.in.Len() != len(data)-taken {
			t.Errorf("%q: kind %q, %d bytes taken, want %d", data, kind, len(data)-s.in.Len(), taken)
		}
	})
}

// FuzzHost has a relay serve somebody who says anything and hangs up.
func FuzzHost(f *testing.F) {
	for _, say := range [][]byte{
		nil, frame(0, 1, 1, 1, 0), append(frame(0, 1, 1, 1, 0), append(frame(0, 0, 0, 1, 1), 'G')...),
		append(frame(0, 1, 1, 1, 0), append(frame(0, 0, 0, 1, 25), "GPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"...)...),
		append(frame(0, 1, 1, 1, 0), append(frame(0, 0, 0, 1, 9), "D\x07unix:/a"...)...),
		frame(0, 2, 1, 0, 7), frame(0, 3, 0, 0, 2), frame(9, 9, 9, 9, 9), frame(0, 0, 4, 1, 1<<31),
	} {
		f.Add(say)
	}
	f.Setenv("TMPDIR", f.TempDir())
	r := must.Value(New(NodeInfo{Node: "n1", Folder: f.TempDir()}, clock.Real))(f)
	f.Cleanup(func() { _ = r.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = r.Serve(t.Context(), struct{ io.ReadWriteCloser }{saying(data)}) // like a pipe: without addresses
		}()
		select {
		case <-ended:
		case <-time.After(hang):
			t.Fatal("it goes on")
		}
		if r.Busy() {
			t.Error("it has started something")
		}
	})
}

// FuzzHome reads files that say where the host is: what can be read can be written, and be read again as the same;
// keys that are none are an error.
func FuzzHome(f *testing.F) {
	store := must.Value(certificate.Open(filepath.Join(f.TempDir(), "certificate")))(f)
	keys := must.Value(store.Keys())(f)
	path := filepath.Join(f.TempDir(), "home.json")
	must.OK(f, (Home{Addresses: []string{"127.0.0.1:1", "[::1]:2"}, Keys: keys}).Write(path))
	whole := must.Value(os.ReadFile(path))(f)
	for _, text := range []string{string(whole), "", "{}", "null", `{"addresses":["x"],"keys":{}}`,
		`{"keys":{"PEREGRINE_PLUGIN_KEY":"AAAA"}}`, `{"addresses":5}`, string(whole[:len(whole)/2])} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "home.json")
		must.OK(t, os.WriteFile(path, data, 0o600))
		h, err := readHome(path)
		if err != nil {
			wants(t, err, path)
			return
		}
		must.OK(t, h.Write(path))
		reread, err := readHome(path)
		if err != nil || len(reread.Addresses) != len(h.Addresses) || len(reread.Keys) != len(h.Keys) {
			t.Errorf("%+v became %+v: %v", h, reread, err)
		}
		if _, err := certificate.FromKeys(h.Keys); err == nil && len(h.Keys) < 3 {
			t.Error("a part of the keys is enough")
		}
	})
}
