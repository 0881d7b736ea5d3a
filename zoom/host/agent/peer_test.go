package agent

// Whoever may be at the other end: nobody of them may hang a side up, take its memory, or pass for what he is not.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/yamux"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// frame is the head of a frame of yamux (its spec.md): version, type, flags, stream, length.
func frame(version, kind byte, flags uint16, stream, length uint32) []byte {
	b := []byte{version, kind}
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint32(b, stream)
	return binary.BigEndian.AppendUint32(b, length)
}

// flood writes so many megabytes, or until nobody takes them.
func flood(c io.Writer, megabytes int) {
	piece := bytes.Repeat([]byte("flood of text\n"), 1<<20/14)
	for range megabytes {
		if _, err := c.Write(piece); err != nil {
			return
		}
	}
}

// nuisances are what somebody may say who does not speak the protocol, or too well.
var nuisances = map[string]func(net.Conn){
	"nothing":     func(net.Conn) {},
	"hangs up":    func(c net.Conn) { _ = c.Close() },
	"half a head": func(c net.Conn) { _, _ = c.Write(frame(0, 0, 1, 1, 4)[:7]) },
	"a banner":    func(c net.Conn) { _, _ = c.Write([]byte("*** Authorised users only ***\r\n")) },
	"a flood":     func(c net.Conn) { flood(c, 2*nuisanceMemory) },
	"a flood for no stream": func(c net.Conn) {
		_, _ = c.Write(frame(0, 0, 0, 99, 1000<<20))
		flood(c, 2*nuisanceMemory)
	},
	"a flood in a stream": func(c net.Conn) {
		_, _ = c.Write(frame(0, 1, 1, 1, 0))
		_, _ = c.Write(frame(0, 0, 0, 1, 1000<<20))
		flood(c, 2*nuisanceMemory)
	},
	"a window of 4 GB": func(c net.Conn) {
		for range 10 {
			_, _ = c.Write(frame(0, 1, 0, 1, 1<<32-1))
		}
	},
	"another yamux":    func(c net.Conn) { _, _ = c.Write(frame(7, 0, 0, 1, 0)) },
	"an unknown frame": func(c net.Conn) { _, _ = c.Write(frame(0, 77, 0, 1, 0)) },
	"goodbye":          func(c net.Conn) { _, _ = c.Write(frame(0, 3, 0, 0, 0)) },
	"10,000 streams": func(c net.Conn) {
		for i := range uint32(10000) {
			if _, err := c.Write(append(frame(0, 1, 1, 2*i+2, 0), frame(0, 0, 0, 2*i+2, 0)...)); err != nil {
				return
			}
		}
	},
	"10,000 pings": func(c net.Conn) {
		for i := range uint32(10000) {
			if _, err := c.Write(frame(0, 2, 1, 0, i)); err != nil {
				return
			}
		}
	},
	"HTTP": func(c net.Conn) { _, _ = c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) },
}

// someNuisances are all of them in a long test.
func someNuisances(t testing.TB) map[string]func(net.Conn) {
	some := maps.Clone(nuisances)
	if !testenv.IsLong(t) {
		maps.DeleteFunc(some, func(name string, _ func(net.Conn)) bool {
			return !slices.Contains([]string{"nothing", "hangs up", "a banner", "a flood in a stream",
				"an unknown frame"}, name)
		})
	}
	return some
}

// held are the bytes that the collector has found in use last. What is in the heap besides is garbage, of which there
// may be any amount where the collector gets little of the processor.
func held() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// holdsLess fails the test if meanwhile so many megabytes more are in use at some time.
func holdsLess(t *testing.T, megabytes uint64, do func()) {
	t.Helper()
	runtime.GC()
	before, most := held(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, held())
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	do()
	runtime.GC()
	close(stop)
	<-stopped
	if most = max(most, held()); most > before+megabytes<<20 {
		t.Errorf("%d MB were held", (most-before)>>20)
	}
}

// nuisanceMemory bounds what one peer makes the other hold, MB, with what the tests themselves hold.
const nuisanceMemory = 32

// A host meets somebody who is no relay.
func TestNoRelay(t *testing.T) {
	for name, say := range someNuisances(t) {
		t.Run(name, func(t *testing.T) {
			clean(t)
			here, there := socketPair(t)
			var said sync.WaitGroup
			said.Go(func() { say(there) })
			said.Go(func() { discard(there) })
			holdsLess(t, nuisanceMemory, func() {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				n, err := Meet(ctx, here, longTerms)
				if err == nil {
					n.Close()
					t.Fatal("it is a relay")
				}
				wants(t, err, "no relay answers")
			})
			_ = there.Close()
			said.Wait()
		})
	}
}

// A relay is met by somebody who is no host: it gives him up within the lease, and is there for the next one.
func TestNoHost(t *testing.T) {
	for name, say := range someNuisances(t) {
		t.Run(name, func(t *testing.T) {
			clean(t)
			r := newRelay(t, clock.Real)
			r.lease = 100 * time.Millisecond
			here, there := socketPair(t)
			var said sync.WaitGroup
			said.Go(func() { say(here) })
			said.Go(func() { discard(here) })
			ended := make(chan struct{})
			holdsLess(t, nuisanceMemory, func() {
				go func() {
					defer close(ended)
					_ = r.Serve(t.Context(), there)
				}()
				awaitEnd(t, "the relay", ended)
			})
			_ = here.Close()
			said.Wait()
			r.lease = hang // it may be a while until the next host speaks
			meet(t, r, newLink(t), longTerms).close()
		})
	}
}

// script is a relay that answers Hello as it is told.
type scripted struct {
	pb.UnimplementedRelayServer
	reply *pb.HelloReply
	err   error
}

func (s *scripted) Hello(context.Context, *pb.HelloRequest) (*pb.HelloReply, error) {
	return s.reply, s.err
}

// Beat ends at once.
func (s *scripted) Beat(grpc.BidiStreamingServer[pb.Pulse, pb.Pulse]) error { return nil }

// serveScript serves a host over a connection until that ends.
func serveScript(t *testing.T, s pb.RelayServer, conn net.Conn) (stop func()) {
	t.Helper()
	session := must.Value(yamux.Server(conn, multiplex(hang)))(t)
	server := grpc.NewServer(grpc.MaxSendMsgSize(1 << 30))
	pb.RegisterRelayServer(server, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(kindless{session})
	}()
	return func() {
		server.Stop()
		_ = session.Close()
		<-done
	}
}

// kindless accepts streams without the byte that says their kind.
type kindless struct{ *yamux.Session }

func (k kindless) Accept() (net.Conn, error) {
	c, err := k.Session.Accept()
	if err == nil {
		_, err = io.ReadFull(c, make([]byte, 1))
	}
	return c, err
}

// A relay answers the first call with something else than it should.
func TestNonsense(t *testing.T) {
	facts := func(change func(*pb.Facts)) *pb.HelloReply {
		f := &pb.Facts{Node: "n1", Cores: 1, Memory: 1}
		change(f)
		return &pb.HelloReply{Version: Version, Facts: f}
	}
	for _, c := range []struct {
		name string
		scripted
		want string
	}{
		{"refuses", scripted{err: status.Error(codes.FailedPrecondition, "this relay speaks version 7")}, "version 7"},
		{
			"unknown call", scripted{err: status.Error(codes.Unimplemented, "what?")},
			"no relay answers at the other end: what?",
		},
		{"empty", scripted{reply: &pb.HelloReply{}}, "speaks version 0 of the protocol, this host 1"},
		{"another version", scripted{reply: &pb.HelloReply{Version: 2, Facts: &pb.Facts{Node: "n1"}}},
			"speaks version 2 of the protocol, this host 1"},
		{"no facts", scripted{reply: &pb.HelloReply{Version: Version}}, "does not say where it is"},
		{"no name", scripted{reply: facts(func(f *pb.Facts) { f.Node = "" })}, "does not say where it is"},
		{"long name", scripted{reply: facts(func(f *pb.Facts) { f.Node = strings.Repeat("n", 1<<20) })}, "is called"},
		{"a name that goes up", scripted{reply: facts(func(f *pb.Facts) { f.Node = "../../etc" })}, "is called"},
		{"a name that clears the screen", scripted{reply: facts(func(f *pb.Facts) { f.Node = "n\x1b[2J" })},
			"is called"},
		{"cores", scripted{reply: facts(func(f *pb.Facts) { f.Cores = -5 })}, "-5 cores"},
		{"memory", scripted{reply: facts(func(f *pb.Facts) { f.Memory = -1 << 62 })}, "bytes of memory"},
		{"17 MB", scripted{reply: facts(func(f *pb.Facts) { f.Kernel = strings.Repeat("k", 17<<20) })},
			"larger than max"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean(t)
			here, there := socketPair(t)
			defer serveScript(t, &c.scripted, there)()
			n, err := Meet(t.Context(), here, longTerms)
			if err == nil {
				n.Close()
			}
			wants(t, err, c.want)
		})
	}
}

// A relay that answers the first call and no heartbeat is lost.
func TestNoHeartbeat(t *testing.T) {
	clean(t)
	here, there := socketPair(t)
	defer serveScript(t, &scripted{reply: &pb.HelloReply{Version: Version, Facts: &pb.Facts{Node: "n1", Cores: 1}}},
		there)()
	n := must.Value(Meet(t.Context(), here, longTerms))(t)
	wants(t, lost(t, n), "its relay ended")
	if _, err := n.Spawn(t.Context(), hosting.NodeProcess{Args: []string{"true"}}); err == nil {
		t.Error("a lost node starts something")
	}
	n.Close()
}

// endedBeat is a stream of heartbeats that the relay has ended with an error. Send fails first, then Recv, as it may be
// by chance with gRPC.
type endedBeat struct {
	pb.RelayClient
	grpc.BidiStreamingClient[pb.Pulse, pb.Pulse]
}

func (e endedBeat) Beat(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[pb.Pulse, pb.Pulse], error) {
	return e, nil
}

func (endedBeat) Send(*pb.Pulse) error { return io.EOF }

func (endedBeat) Recv() (*pb.Pulse, error) {
	synctest.Wait() // until all else has ended
	return nil, status.Error(codes.Internal, "out of memory")
}

// The reason for which a relay ended the heartbeats is known although a heartbeat was just being sent.
func TestReasonOfNoHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		n := &Node{Facts: &pb.Facts{Node: "n1"}, terms: longTerms.WithDefaults(), client: endedBeat{},
			session: must.Value(yamux.Client(here, multiplex(hang)))(t)}
		n.ctx, n.end = context.WithCancelCause(t.Context())
		n.beat()
		wants(t, lost(t, n), "its relay ended: out of memory")
		n.done.Wait()
		_ = there.Close()
	})
}

// caller is a host that says what it likes.
type caller struct {
	session *yamux.Session
	conn    *grpc.ClientConn
	pb.RelayClient
}

func call(t *testing.T, r *Relay) *caller {
	t.Helper()
	here, there := socketPair(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.Serve(t.Context(), there)
	}()
	session := must.Value(yamux.Client(here, multiplex(hang)))(t)
	conn, err := grpc.NewClient("passthrough:relay", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			return open(session, callStream, "")
		}))
	must.OK(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = session.Close()
		awaitEnd(t, "the relay", ended)
	})
	return &caller{session, conn, pb.NewRelayClient(conn)}
}

// A host of another version is told so.
func TestOtherVersion(t *testing.T) {
	clean(t)
	c := call(t, newRelay(t, clock.Real))
	_, err := c.Hello(t.Context(), &pb.HelloRequest{Version: Version + 1})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("got %v", err)
	}
	wants(t, err, "version 1", "the host 2", "same Peregrine")
}

// Streams that are of no kind, say nothing, or end within their head are closed; the others go on.
func TestStrangeStreams(t *testing.T) {
	clean(t)
	at := clock.NewManual(begin)
	r := newRelay(t, at)
	c := call(t, r)
	must.Value(c.Hello(t.Context(), &pb.HelloRequest{Version: Version}))(t)
	closed := func(what string, s net.Conn) {
		t.Helper()
		_ = s.SetDeadline(time.Now().Add(hang))
		if n, err := s.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
		_ = s.Close()
	}
	for _, head := range []string{"X", "\x00", "D\x00", "D\x03abc", "D\x04unix", "D\x05unix:", "D\x06tcp:::"} {
		s := must.Value(c.session.Open())(t)
		must.Value(s.Write([]byte(head)))(t)
		closed(head, s)
	}
	var silent []net.Conn
	for _, head := range []string{"", "D", "D\xff", "D\xffunix:"} {
		for range mostHeads / 4 {
			s, err := c.session.Open()
			if err == nil && head != "" {
				_, err = s.Write([]byte(head))
			}
			must.OK(t, err)
			silent = append(silent, s)
		}
	}
	if _, err := c.Have(t.Context(), &pb.HaveRequest{}); err != nil {
		t.Errorf("it does not answer beside them: %v", err)
	}
	ready(t, at, len(silent)+1)
	for range 1000 {
		s := must.Value(c.session.Open())(t)
		closed("one too many", s)
	}
	at.Advance(headTime)
	for _, s := range silent {
		closed("silent", s)
	}
	if _, err := c.Have(t.Context(), &pb.HaveRequest{}); err != nil {
		t.Errorf("it does not answer after them: %v", err)
	}
}

// Messages that are too large, and calls that make no sense, are refused, and those behind them answered.
func TestBadCalls(t *testing.T) {
	clean(t)
	r := newRelay(t, clock.Real)
	c := call(t, r)
	inside := filepath.Join(r.facts.GetFolder(), "x")
	for name, do := range map[string]func() error{
		"a command of 17 MB": func() error {
			_, err := c.Contents(t.Context(), &pb.ContentsRequest{Args: []string{strings.Repeat("x", 17<<20)}})
			return err
		},
		"an order that there is none": func() error {
			_, err := c.Order(t.Context(), &pb.OrderRequest{Number: 1, Order: "look"})
			return err
		},
		"a folder that leads out": func() error {
			_, err := c.Make(t.Context(), &pb.MakeRequest{Folder: "../../x"})
			return err
		},
		"a folder below a file": func() error {
			_, err := c.Make(t.Context(), &pb.MakeRequest{Folder: "/etc/passwd/x"})
			return err
		},
		"to remove what is not the relay's": func() error {
			_, err := c.Remove(t.Context(), &pb.RemoveRequest{Folder: inside})
			return err
		},
		"to remove all runs": func() error {
			made, err := c.Make(t.Context(), &pb.MakeRequest{Folder: "s/r"})
			if err != nil {
				return errors.New("")
			}
			_, err = c.Remove(t.Context(), &pb.RemoveRequest{Folder: filepath.Dir(filepath.Dir(made.GetFolder()))})
			return err
		},
		"a file without a hash":    func() error { return put(t, c, "", "x", nil) },
		"a file with another hash": func() error { return put(t, c, strings.Repeat("0", 64), "x", []byte("x")) },
		"a hash that leads out":    func() error { return put(t, c, "../../../../x", "x", nil) },
		"a name that leads up":     func() error { return put(t, c, strings.Repeat("0", 64), "..", nil) },
		"a list of no folder": func() error {
			_, err := c.List(t.Context(), &pb.ListRequest{Folder: "/nonexistent"})
			return err
		},
		"a device":             func() error { return get(t, c, "/dev/zero", 0) },
		"a folder":             func() error { return get(t, c, "/etc", 0) },
		"before the beginning": func() error { return get(t, c, "/etc/passwd", -5) },
	} {
		if err := do(); status.Code(err) == codes.OK || status.Code(err) == codes.Unavailable ||
			status.Code(err) == codes.Unknown {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.facts.GetFolder(), "..", "x")); err == nil {
		t.Error("a folder was made elsewhere")
	}
	if _, err := c.Hello(t.Context(), &pb.HelloRequest{Version: Version}); err != nil {
		t.Errorf("it does not answer any more: %v", err)
	}
}

func put(t *testing.T, c *caller, sum, name string, data []byte) error {
	t.Helper()
	s, err := c.Put(t.Context())
	must.OK(t, err)
	_ = s.Send(&pb.PutRequest{Sum: sum, Name: name}) // the answer has the error
	_ = s.Send(&pb.PutRequest{Data: data})
	_, err = s.CloseAndRecv()
	return err
}

func get(t *testing.T, c *caller, path string, offset int64) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := c.Get(ctx, &pb.GetRequest{Path: path, Offset: offset})
	if err == nil {
		_, err = s.Recv()
	}
	return err
}

// Both sides of the study's handshake know a stranger: one who says nothing, noise, or shows no, another study's or
// an old certificate.
func TestStrangers(t *testing.T) {
	ours, other := study(t), study(t)
	folder := filepath.Join(t.TempDir(), "certificate")
	old := must.Value(certificate.Open(folder))(t)
	oldKeys := keysOf(t, old)
	must.OK(t, certificate.Remove(folder))
	anew, err := certificate.Open(folder) // the study's, begun once more
	must.OK(t, err)
	for _, c := range []struct {
		name string
		host *certificate.Store
		keys map[string][]byte // of the relay
		meet bool
	}{
		{"ours", ours, keysOf(t, ours), true},
		{"another study's relay", ours, keysOf(t, other), false},
		{"a relay of old", anew, oldKeys, false},
		{"anew", anew, keysOf(t, anew), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean(t)
			here, there := handshake(t, c.host, c.keys)
			if (here == nil) != c.meet || (there == nil) != c.meet {
				t.Errorf("the host says %v, the relay %v", here, there)
			}
		})
	}
	// Without the study's certificates nothing is said but the handshake.
	for name, say := range someNuisances(t) {
		if name == "nothing" {
			continue // it takes meetTime
		}
		t.Run("to a host: "+name, func(t *testing.T) {
			clean(t)
			here, there := socketPair(t)
			var said sync.WaitGroup
			said.Go(func() { say(there); _ = there.(*net.TCPConn).CloseWrite() })
			said.Go(func() { discard(there) })
			holdsLess(t, nuisanceMemory, func() {
				if c, err := Greet(t.Context(), here, ours); err == nil {
					_ = c.Close()
					t.Error("it is greeted")
				}
			})
			_ = there.Close()
			said.Wait()
		})
		t.Run("to a relay: "+name, func(t *testing.T) {
			clean(t)
			door := listen(t)
			var said sync.WaitGroup
			said.Go(func() {
				c, err := door.Accept()
				if err != nil {
					return
				}
				said.Go(func() { discard(c); _ = c.Close() })
				say(c)
				_ = c.(*net.TCPConn).CloseWrite()
			})
			holdsLess(t, nuisanceMemory, func() {
				if c, err := (Home{Addresses: []string{door.Addr().String()}, Keys: keysOf(t, ours)}).dial(t.Context(),
					clock.Real); err == nil {
					_ = c.Close()
					t.Error("it is a host")
				}
			})
			_ = door.Close()
			said.Wait()
		})
	}
}

// handshake is that of a host and a relay with these certificates. The first message goes from the relay, which hears
// of a host that turned it away by the answer.
func handshake(t *testing.T, s *certificate.Store, keys map[string][]byte) (here, there error) {
	t.Helper()
	door := listen(t)
	defer func() { _ = door.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var c net.Conn
		if c, there = (Home{Addresses: []string{door.Addr().String()}, Keys: keys}).dial(t.Context(),
			clock.Real); there == nil {
			_, there = c.Read(make([]byte, 1))
			_ = c.Close()
		}
	}()
	raw := must.Value(door.Accept())(t)
	var c net.Conn
	if c, here = Greet(t.Context(), raw, s); here == nil {
		_, here = c.Write([]byte{1})
	}
	<-done
	if c != nil {
		_ = c.Close()
	}
	return here, there
}
