package relay

// The host's side of a connection.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/yamux"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/version"
	pb "github.com/peregrine-sim/peregrine/zoom/relay/proto"
)

// Terms are what host and relay agree on.
type Terms struct {
	Beat  time.Duration // between two heartbeats; default a third of Lease
	Lease time.Duration // of silence after which the other is given up; default DefaultLease
	Grace time.Duration // that a relay waits for another host; default DefaultGrace
	Clock clock.Clock   // default: the real one
}

// WithDefaults returns the terms with a value for each.
func (t Terms) WithDefaults() Terms {
	if t.Lease <= 0 {
		t.Lease = DefaultLease
	}
	if t.Beat <= 0 {
		t.Beat = t.Lease / beatsPerLease
	}
	if t.Grace <= 0 {
		t.Grace = DefaultGrace
	}
	t.Clock = clock.Or(t.Clock)
	return t
}

// Node is another machine, as a host sees it through its relay. Its methods may be called by several goroutines.
type Node struct {
	Facts *pb.Facts     // of the machine; not to be changed
	Build string        // of the relay's program, for people
	Left  []*pb.Process // that a host before this one started there, and that lived when this one came

	terms   Terms
	session *yamux.Session
	conn    *grpc.ClientConn
	client  pb.RelayClient
	ctx     context.Context // ends when the node is lost or let go; its cause says why
	end     context.CancelCauseFunc
	done    sync.WaitGroup

	mu       sync.Mutex
	heard    time.Time
	trip     time.Duration // shortest round trip of a heartbeat
	offset   time.Duration // of the node's clock against the host's, by that
	load     float64
	endsSoon bool
	called   string        // by the host; empty: by its own name
	warned   chan struct{} // closed when the node's block is about to be ended
}

var _ hosting.Node = (*Node)(nil)

// LostError is why a node was given up.
type LostError struct {
	Node string
	Why  error
}

func (e *LostError) Error() string { return fmt.Sprintf("node %s was lost: %v", e.Node, e.Why) }
func (e *LostError) Unwrap() error { return e.Why }

// LostMachine names the machine that was lost.
func (e *LostError) LostMachine() string { return e.Node }

// errLetGo ends a node that is needed no longer.
var errLetGo = errors.New("the host needs it no longer")

// Meet greets the relay at the other end of a connection. ctx bounds the greeting. The caller calls Close or Dismiss in the end, which
// close the connection; it is closed if Meet fails.
func Meet(ctx context.Context, conn io.ReadWriteCloser, terms Terms) (*Node, error) {
	terms = terms.WithDefaults()
	session, err := yamux.Client(conn, multiplex(terms.Lease))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	n := &Node{terms: terms, session: session, warned: make(chan struct{})}
	n.ctx, n.end = context.WithCancelCause(context.Background())
	n.conn, err = grpc.NewClient("passthrough:relay", grpc.WithTransportCredentials(insecure.NewCredentials()), // TLS is below, or ssh
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return open(session, callStream, "") }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(messageLimit), grpc.MaxCallSendMsgSize(messageLimit)))
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	n.client = pb.NewRelayClient(n.conn)
	if err := n.greet(ctx); err != nil {
		n.end(err)
		_ = n.conn.Close()
		_ = session.Close()
		return nil, err
	}
	n.done.Go(n.beat)
	n.done.Go(n.watch)
	n.done.Go(func() {
		select {
		case <-session.CloseChan():
			n.lose(errors.New("the connection to its relay broke"))
		case <-n.ctx.Done():
		}
	})
	return n, nil
}

func (n *Node) greet(ctx context.Context) error {
	hello, err := n.client.Hello(ctx, &pb.HelloRequest{
		Version: Version, Lease: n.terms.Lease.Seconds(), Grace: n.terms.Grace.Seconds(), Peregrine: version.Read().Short(),
	})
	switch {
	case status.Code(err) == codes.FailedPrecondition:
		return errors.New(status.Convert(err).Message())
	case err != nil:
		return fmt.Errorf("no relay answers at the other end: %s", status.Convert(err).Message())
	case hello.GetVersion() != Version:
		return fmt.Errorf("the relay speaks version %d of the protocol, this host %d: let both be the same Peregrine", hello.GetVersion(), Version)
	}
	if err := sensible(hello.GetFacts()); err != nil {
		return err
	}
	n.Facts, n.Build, n.Left = hello.GetFacts(), hello.GetPeregrine(), hello.GetProcesses()
	n.heard = n.terms.Clock.Now()
	return nil
}

// mostName is the length of the longest name of a machine (RFC 1035, section 2.3.4).
const mostName = 255

// sensible reports why the facts of a relay are none.
func sensible(f *pb.Facts) error {
	name := f.GetNode()
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == filepath.Separator }
	switch {
	case name == "":
		return errors.New("the relay does not say where it is")
	case len(name) > mostName || strings.ContainsFunc(name, odd):
		return fmt.Errorf("the relay says that its node is called %.40q", name)
	case f.GetCores() < 0 || f.GetMemory() < 0 || math.IsNaN(f.GetEnds()):
		return fmt.Errorf("the relay of %s says that it has %d cores and %d bytes of memory until %v", name, f.GetCores(), f.GetMemory(), f.GetEnds())
	}
	return nil
}

// Name is the node's name, or by which the host calls it.
func (n *Node) Name() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.called != "" {
		return n.called
	}
	return n.Facts.GetNode()
}

// Call has errors name the node so: a machine may have several relays.
func (n *Node) Call(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.called = name
}

// Done is closed when the node is lost or let go.
func (n *Node) Done() <-chan struct{} { return n.ctx.Done() }

// Err is why; nil while the node is there.
func (n *Node) Err() error { return context.Cause(n.ctx) }

// Warned is closed when the node's block is about to be ended.
func (n *Node) Warned() <-chan struct{} { return n.warned }

// Heard is when the node was last heard of, by the host's clock.
func (n *Node) Heard() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard
}

// Offset is by how much the node's clock is ahead of the host's, and the round trip of the heartbeat which that is from: it is
// known to half of that.
func (n *Node) Offset() (offset, trip time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.offset, n.trip
}

// lose gives the node up.
func (n *Node) lose(why error) {
	if why != errLetGo { //nolint:errorlint // it is never wrapped
		why = &LostError{n.Name(), why}
	}
	n.end(why)
	_ = n.session.Close() // the streams of all processes break with it
}

// beat keeps the lease.
func (n *Node) beat() {
	stream, err := n.client.Beat(n.ctx)
	if err != nil {
		n.lose(errors.New(status.Convert(err).Message()))
		return
	}
	n.done.Go(func() { n.listen(stream) })
	tick := n.terms.Clock.NewTicker(n.terms.Beat)
	defer tick.Stop()
	for number := int64(1); ; number++ {
		if stream.Send(&pb.Pulse{Number: number, Time: unix(n.terms.Clock.Now())}) != nil {
			n.lose(errors.New("its relay takes no heartbeat"))
			return
		}
		select {
		case <-tick.C:
		case <-n.ctx.Done():
			return
		}
	}
}

// watch gives the node up when nothing was heard of it for the time of the lease.
func (n *Node) watch() {
	for n.Err() == nil {
		silent := clock.Since(n.terms.Clock, n.Heard())
		if silent >= n.terms.Lease {
			n.lose(fmt.Errorf("nothing was heard of its relay for %v", silent.Round(time.Second/10)))
			return
		}
		_ = clock.Sleep(n.ctx, n.terms.Clock, n.terms.Lease-silent) // Err has why
	}
}

// offsetPulses is after how many heartbeats the clocks are compared anew: they drift.
const offsetPulses = 60

// listen takes the answers to heartbeats. As each has the host's number, and the host sends one at a time, the shortest round trip
// bounds the clock's offset best.
func (n *Node) listen(stream grpc.BidiStreamingClient[pb.Pulse, pb.Pulse]) {
	for {
		p, err := stream.Recv()
		if err != nil {
			n.lose(errors.New("its relay ended: " + status.Convert(err).Message()))
			return
		}
		now := n.terms.Clock.Now()
		n.mu.Lock()
		n.heard, n.load = now, p.GetLoad()
		if trip := now.Sub(fromUnix(p.GetEcho())); trip >= 0 && (n.trip == 0 || trip < n.trip || p.GetNumber()%offsetPulses == 0) {
			n.trip, n.offset = trip, fromUnix(p.GetTime()).Add(trip/2).Sub(now)
		}
		if p.GetEndsSoon() && !n.endsSoon {
			n.endsSoon = true
			close(n.warned)
		}
		n.mu.Unlock()
	}
}

// Close lets the node go: it waits for another host for the grace time.
func (n *Node) Close() {
	n.lose(errLetGo)
	_ = n.conn.Close()
	n.done.Wait()
}

// Dismiss ends the relay with all that it has started, and lets the node go.
func (n *Node) Dismiss(ctx context.Context) {
	_, _ = n.client.Leave(ctx, &pb.LeaveRequest{}) // one that does not hear it ends after the grace time
	n.Close()
}

// Dial implements hosting.Node.
func (n *Node) Dial(_ context.Context, network, address string) (net.Conn, error) {
	return open(n.session, dialStream, network+":"+address)
}

// Spawn implements hosting.Node. Files of the command that the node lacks are brought there, but for its program: another program
// under the same name is an error. Its certificates go there, too, into files that nobody else reads.
func (n *Node) Spawn(ctx context.Context, c hosting.Command) (hosting.Body, error) {
	q := &pb.SpawnRequest{
		Args: c.Args, Environment: c.Environment, Log: c.LogPath, LogLimit: c.LogLimit,
		Memory: c.Allowance.Memory, Cores: c.Allowance.Cores, Processes: int32(c.Allowance.Processes), Contents: c.Contents,
	}
	if c.Certificates != nil {
		keys, err := c.Certificates.Keys()
		if err != nil {
			return nil, err
		}
		q.Keys = keys
	}
	for brought := false; ; brought = true {
		b, failure, err := n.spawn(ctx, q)
		switch {
		case err != nil:
			return nil, err
		case failure == nil:
			return b, nil
		case len(failure.GetMissing()) > 0 && !brought:
			if err := n.bringContents(ctx, c.Args, c.Contents, failure.GetMissing()); err != nil {
				return nil, &hosting.CommandError{Command: c.Args, Err: err}
			}
		case failure.GetCommand():
			return nil, &hosting.CommandError{Command: c.Args, Err: fmt.Errorf("on %s: %s", n.Name(), failure.GetText())}
		default:
			return nil, fmt.Errorf("on %s: %s", n.Name(), failure.GetText())
		}
	}
}

// bringContents brings the missing files of a command.
func (n *Node) bringContents(ctx context.Context, args, contents, missing []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for i, part := range contents {
		sum, file := fileSum(part)
		switch {
		case !file || !contains(missing, sum):
			continue
		case i == 0 && args[0] != self:
			return fmt.Errorf("%s has another program there, or none (SHA-256 %.12s is wanted): install the same version", n.Name(), sum)
		case i == 0 && !n.Runs():
			return fmt.Errorf("%s is %s/%s: say with `program` in the hosts file where peregrine is there", n.Name(), n.Facts.GetOs(), n.Facts.GetArch())
		}
		if _, err := n.Bring(ctx, args[i], sum); err != nil {
			return err
		}
	}
	return nil
}

func contains(list []string, what string) bool {
	for _, s := range list {
		if s == what {
			return true
		}
	}
	return false
}

// Runs reports whether programs of this machine run on the node.
func (n *Node) Runs() bool {
	here := process.ThisMachine()
	return n.Facts.GetOs() == here.OS && n.Facts.GetArch() == here.Arch
}

// spawned is how a Spawn went.
type spawned struct {
	body    *remoteBody
	failure *pb.Failure
	err     error
}

// spawn starts a process, or returns why it did not start. What starts after ctx has ended is killed: the relay must say what it is for that, so
// that the call itself goes on.
func (n *Node) spawn(ctx context.Context, q *pb.SpawnRequest) (*remoteBody, *pb.Failure, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	result := make(chan spawned)
	n.done.Go(func() {
		s := n.call(q)
		select {
		case result <- s:
		case <-ctx.Done():
			if s.body != nil {
				s.body.Kill()
				s.body.Free()
			}
		}
	})
	select {
	case s := <-result:
		return s.body, s.failure, s.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// call makes the call of spawn.
func (n *Node) call(q *pb.SpawnRequest) (s spawned) {
	life, cancel := context.WithCancel(n.ctx)
	stream, err := n.client.Spawn(life, q)
	var first *pb.SpawnReply
	if err == nil {
		first, err = stream.Recv()
	}
	started := first.GetStarted()
	switch {
	case err != nil && n.Err() != nil:
		s.err = n.Err()
	case err != nil:
		s.err = fmt.Errorf("on %s: %s", n.Name(), status.Convert(err).Message())
	case first.GetFailure() != nil:
		s.failure = first.GetFailure()
	case started == nil:
		s.err = fmt.Errorf("on %s: the relay does not say what it has started", n.Name())
	default:
		id := process.ID{PID: int(started.GetPid()), Mark: started.GetMark()}
		b := &remoteBody{node: n, number: started.GetNumber(), id: id, out: newOutput(), done: make(chan struct{}), cancel: cancel}
		n.done.Go(func() { b.follow(stream) })
		return spawned{body: b}
	}
	cancel()
	return s
}

// remoteBody is a process of a node.
type remoteBody struct {
	node   *Node
	number uint64
	id     process.ID
	out    *output // what it prints
	done   chan struct{}
	cancel context.CancelFunc // of its stream

	ending hosting.Ending // when done is closed

	mu   sync.Mutex
	used process.Usage // as the relay said last
}

var _ hosting.Body = (*remoteBody)(nil)

// follow takes what the relay says of the process.
func (b *remoteBody) follow(stream grpc.ServerStreamingClient[pb.SpawnReply]) {
	defer b.cancel()
	defer close(b.done)
	defer b.out.end()
	for {
		r, err := stream.Recv()
		if err != nil {
			why := b.node.Err()
			if why == nil {
				why = &LostError{b.node.Name(), errors.New(status.Convert(err).Message())}
			}
			b.ending = hosting.Ending{Text: why.Error(), Lost: true}
			return
		}
		switch w := r.GetWhat().(type) {
		case *pb.SpawnReply_Output:
			b.out.write(w.Output)
		case *pb.SpawnReply_Ended:
			b.note(process.Usage{CPU: seconds(w.Ended.GetCpu()), Memory: w.Ended.GetMemory()})
			b.ending = hosting.Ending{Text: w.Ended.GetText() + " on " + b.node.Name(), Fault: w.Ended.GetFault(), Full: w.Ended.GetFull(), Crowd: w.Ended.GetCrowd()}
			return
		}
	}
}

// orderTime bounds an order to a relay.
const orderTime = 5 * time.Second

// order acts on the process. An error says that it has ended, or that its node is being lost.
func (b *remoteBody) order(what, log string) *pb.OrderReply {
	ctx, cancel := context.WithTimeout(b.node.ctx, min(orderTime, b.node.terms.Lease))
	defer cancel()
	reply, err := b.node.client.Order(ctx, &pb.OrderRequest{Number: b.number, Order: what, Log: log})
	if err != nil {
		return &pb.OrderReply{}
	}
	return reply
}

// Number is the process's to the relay.
func (b *remoteBody) Number() uint64 { return b.number }

func (b *remoteBody) ID() process.ID         { return b.id }
func (b *remoteBody) Stdout() io.ReadCloser  { return b.out }
func (b *remoteBody) Look()                  { b.order("look", "") }
func (b *remoteBody) Terminate()             { b.order("terminate", "") }
func (b *remoteBody) Kill()                  { b.order("kill", "") }
func (b *remoteBody) Turn(log string)        { b.order("turn", log) }
func (b *remoteBody) Done() <-chan struct{}  { return b.done }
func (b *remoteBody) Ending() hosting.Ending { return b.ending }
func (b *remoteBody) Free()                  { _ = b.out.Close() } // what comes later is dropped
func (b *remoteBody) Children() bool         { return b.order("used", "").GetChildren() }

// Used asks the relay while the process lives. Of one that has ended, or whose node was lost, it is what the relay said last.
func (b *remoteBody) Used() process.Usage {
	select {
	case <-b.done:
	default:
		if u := b.order("used", "").GetUsage(); u != nil {
			b.note(process.Usage{CPU: seconds(u.GetCpu()), Memory: u.GetMemory(), Resident: u.GetResident()})
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// note keeps what the process has used. Answers may overtake each other.
func (b *remoteBody) note(u process.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.CPU, b.used.Memory, b.used.Resident = max(b.used.CPU, u.CPU), max(b.used.Memory, u.Memory), u.Resident
}

// Bring puts a file of this machine on the node, once for its content, and returns its path there. Sum is its SHA-256.
func (n *Node) Bring(ctx context.Context, path, sum string) (string, error) {
	have, err := n.client.Have(ctx, &pb.HaveRequest{Sums: []string{sum}})
	if err != nil {
		return "", n.fileError(path, err)
	}
	if there := have.GetPaths()[sum]; there != "" {
		return there, nil
	}
	f, err := intake.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	stream, err := n.client.Put(ctx)
	if err != nil {
		return "", n.fileError(path, err)
	}
	err = stream.Send(&pb.PutRequest{Sum: sum, Name: info.Name(), Executable: info.Mode()&0o100 != 0})
	piece := make([]byte, pieceSize)
	for err == nil {
		k, rerr := f.Read(piece)
		if k > 0 {
			err = stream.Send(&pb.PutRequest{Data: piece[:k]})
		}
		if errors.Is(rerr, io.EOF) {
			break
		}
		if rerr != nil {
			return "", rerr
		}
	}
	reply, err := stream.CloseAndRecv() // has the error of Send
	if err != nil {
		return "", n.fileError(path, err)
	}
	return reply.GetPath(), nil
}

func (n *Node) fileError(path string, err error) error {
	if n.Err() != nil {
		return n.Err()
	}
	return fmt.Errorf("%s on %s: %s", path, n.Name(), status.Convert(err).Message())
}

// MakeFolder makes a private folder on the node, and returns its path. A relative one is below the relay's own.
func (n *Node) MakeFolder(ctx context.Context, path string) (string, error) {
	there, _, err := n.Room(ctx, path)
	return there, err
}

// Remove removes a folder below the relay's own.
func (n *Node) Remove(ctx context.Context, folder string) error {
	if _, err := n.client.Remove(ctx, &pb.RemoveRequest{Folder: folder}); err != nil {
		return n.fileError(folder, err)
	}
	return nil
}

// List returns the regular files below a folder of the node.
func (n *Node) List(ctx context.Context, folder string) ([]*pb.File, error) {
	reply, err := n.client.List(ctx, &pb.ListRequest{Folder: folder})
	if err != nil {
		return nil, n.fileError(folder, err)
	}
	return reply.GetFiles(), nil
}

// Get copies a file of the node from an offset on, and returns the SHA-256 of the whole file as it was read there.
func (n *Node) Get(ctx context.Context, path string, offset int64, to io.Writer) (sum string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := n.client.Get(ctx, &pb.GetRequest{Path: path, Offset: offset})
	for err == nil {
		var r *pb.GetReply
		if r, err = stream.Recv(); err == nil {
			sum = r.GetSum()
			if _, werr := to.Write(r.GetData()); werr != nil {
				return "", werr
			}
		}
	}
	if errors.Is(err, io.EOF) {
		return sum, nil
	}
	return "", n.fileError(path, err)
}

// Proof is what a node finds in a folder of this machine.
type Proof struct {
	Shared bool
	Free   int64  // bytes that may be written there; negative: not known
	Why    string // it is not shared, for people
}

// Kill ends a process that another host started, with all that it has started.
func (n *Node) Kill(number uint64) { (&remoteBody{node: n, number: number}).Kill() }

// Used is what a process has used until now.
func (n *Node) Used(number uint64) process.Usage {
	return (&remoteBody{node: n, number: number}).Used()
}

// Lives reports whether a process lives, as far as can be known.
func (n *Node) Lives(number uint64) bool {
	ctx, cancel := context.WithTimeout(n.ctx, orderTime)
	defer cancel()
	_, err := n.client.Order(ctx, &pb.OrderRequest{Number: number, Order: "used"})
	return status.Code(err) != codes.NotFound && n.Err() == nil
}

// Prove finds out whether the node sees a folder of this machine: a file is written here and read there, and another the
// other way round.
func (n *Node) Prove(ctx context.Context, folder string) (Proof, error) {
	ours, theirs := rand.Text(), rand.Text()
	read, write := proofPrefix+rand.Text(), proofPrefix+rand.Text()
	path := filepath.Join(folder, read)
	if err := os.WriteFile(path, []byte(ours), 0o600); err != nil {
		return Proof{}, err
	}
	defer func() { _ = os.Remove(path) }() // a study's folder is swept in the end
	reply, err := n.client.Prove(ctx, &pb.ProveRequest{Folder: folder, Read: read, Write: write, Content: []byte(theirs)})
	if err != nil {
		return Proof{}, n.fileError(folder, err)
	}
	p := Proof{Free: reply.GetFree(), Why: reply.GetWhy()}
	if p.Why != "" {
		return p, nil
	}
	back := filepath.Join(folder, write)
	defer func() { _ = os.Remove(back) }() // likewise
	content, err := intake.Read(back, proofLimit)
	switch {
	case err != nil:
		p.Why = "what it writes there is not seen here"
	case string(reply.GetContent()) != ours || string(content) != theirs:
		p.Why = "it has another folder of that name"
	default:
		p.Shared = true
	}
	return p, nil
}

// proofPrefix begins the names of the files of Prove.
const proofPrefix = ".proof-"
