package relay

// The node's side of a connection.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/yamux"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/version"
	pb "github.com/peregrine-sim/peregrine/zoom/relay/proto"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
)

// Relay starts processes on this machine for hosts that are elsewhere, one host at a time.
type Relay struct {
	pb.UnimplementedRelayServer
	clock    clock.Clock
	machine  *hosting.Machine
	scratch  string // of sockets and keys
	unshared bool   // as Place says
	facts    *pb.Facts

	mu        sync.Mutex
	files     string // folder of what is not shared; empty: nothing was brought yet
	bodies    map[uint64]*body
	last      uint64
	endsSoon  bool
	heard     time.Time     // when the host's last pulse came
	lease     time.Duration // silence after which the host is given up
	grace     time.Duration // that is waited for another host
	dismissed bool
}

// Place is what whoever started the relay knows of its place.
type Place struct {
	Node     string    // default: the machine's name
	Block    string    //
	Restarts int       // how often the block was begun anew
	Ends     time.Time // of the block; zero: not known
	Folder   string    // for what is not shared with the host; default: that of temporary files
	Unshared bool      // it shares no folder with its host, whatever both see there: of a site whose shared folder is slow, and of tests
}

// PlaceFromEnvironment is the place of a relay that a block has started; see package provider.
func PlaceFromEnvironment() Place {
	p := Place{Block: os.Getenv(provider.EnvBlock), Node: os.Getenv(provider.EnvNode), Folder: os.Getenv(provider.EnvFolder)}
	p.Restarts, _ = strconv.Atoi(os.Getenv(provider.EnvRestarts)) // 0, unless it says otherwise
	if ends, err := strconv.ParseInt(os.Getenv(provider.EnvEnds), 10, 64); err == nil {
		p.Ends = time.Unix(ends, 0)
	}
	return p
}

// Defaults until a host says otherwise.
const (
	DefaultLease = 15 * time.Second
	DefaultGrace = time.Minute
)

// beatsPerLease is how often each side is heard in the time of the lease, if nothing is wrong.
const beatsPerLease = 3

// New returns a relay. Close it in the end.
func New(place Place, at clock.Clock) (*Relay, error) {
	hosting.Sweep()
	scratch, err := hosting.MakeScratch()
	if err != nil {
		return nil, err
	}
	facts, err := factsOf(place, at)
	if err != nil {
		return nil, errors.Join(err, os.Remove(scratch))
	}
	process.RemoveLeft(facts.GetFolder(), filesPrefix+"-") // of relays that were killed
	name := filepath.Base(scratch)
	return &Relay{clock: at, machine: hosting.NewMachine(name, at), scratch: scratch, unshared: place.Unshared, facts: facts, bodies: map[uint64]*body{}, lease: DefaultLease, grace: DefaultGrace}, nil
}

// factsOf are what a host wants to know of this machine.
func factsOf(place Place, at clock.Clock) (*pb.Facts, error) {
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
		Os: m.OS, Arch: m.Arch, Kernel: m.Kernel, Cpu: m.CPU, Features: m.Features, Cores: int32(m.Cores), Memory: m.Memory, Boot: m.Boot,
		Pid: int64(process.Self().PID), Mark: process.Self().Mark, Program: self, Sum: sum, Folder: place.Folder, Started: unix(at.Now()),
	}
	if f.Node == "" {
		f.Node = host
	}
	if f.Folder == "" {
		f.Folder = os.TempDir()
	}
	if !place.Ends.IsZero() {
		f.Ends = unix(place.Ends)
	}
	return f, nil
}

// unix is a time in seconds.
func unix(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }

// fromUnix is the inverse of unix.
func fromUnix(s float64) time.Time { return time.Unix(0, int64(s*1e9)).UTC() }

// Warn notes that the block is about to be ended: the host hears it with the next pulse.
func (r *Relay) Warn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endsSoon = true
}

// Busy reports whether something lives that a host started.
func (r *Relay) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies) > 0
}

// Dismissed reports whether a host wants the relay no longer.
func (r *Relay) Dismissed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dismissed
}

// terms are those that the relay has agreed on last.
func (r *Relay) terms() Terms {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Terms{Lease: r.lease, Grace: r.grace}
}

// agree takes over what a host says of lease and grace, in seconds; 0: nothing.
func (r *Relay) agree(lease, grace float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if lease > 0 {
		r.lease = seconds(lease)
	}
	if grace > 0 {
		r.grace = seconds(grace)
	}
}

// Settle waits until what the relay has started has ended by itself, for a while at most.
func (r *Relay) Settle(while time.Duration) {
	until := r.clock.Now().Add(while)
	for r.Busy() && r.clock.Now().Before(until) {
		_ = clock.Sleep(context.Background(), r.clock, leaveTime) // that never ends
	}
}

// Close ends all that the relay has started, and removes what it brought here.
func (r *Relay) Close() error {
	r.mu.Lock()
	bodies := make([]*body, 0, len(r.bodies))
	for _, b := range r.bodies {
		bodies = append(bodies, b)
	}
	files := r.files
	r.mu.Unlock()
	for _, b := range bodies {
		b.Kill()
		<-b.gone
	}
	var err error
	if files != "" {
		err = os.RemoveAll(files)
	}
	return errors.Join(err, os.RemoveAll(r.scratch))
}

// Serve serves a host over a connection, and returns when that breaks, when the host is silent for the time of the lease, when it dismisses
// the relay, or when ctx ends. The connection is closed then.
func (r *Relay) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	session, err := yamux.Server(conn, multiplex(DefaultLease))
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	calls := &listener{streams: make(chan net.Conn), closed: ctx, address: session.Addr()}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(messageLimit), grpc.MaxSendMsgSize(messageLimit))
	greeted := make(chan struct{}, 1)
	pb.RegisterRelayServer(server, &served{Relay: r, end: end, greeted: greeted})
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(calls) }) // ends with ctx
	heads := make(chan struct{}, mostHeads)
	r.hear()
	wg.Go(func() { r.watchHost(ctx, end, greeted) })
	for {
		stream, err := session.Accept()
		if err != nil {
			end(errors.New("the connection broke"))
			break
		}
		select {
		case heads <- struct{}{}:
			wg.Go(func() { r.take(ctx, stream, calls, func() { <-heads }) })
		default:
			_ = stream.Close() // too many say nothing
		}
	}
	_ = session.Close()
	server.Stop()
	wg.Wait()
	r.orphan()
	return context.Cause(ctx)
}

// orphan tells what the relay has started that its host is gone: what holds a lease has heard of it, and what was just starting ends.
func (r *Relay) orphan() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		_ = b.host.Close() // an error means that it is closed
	}
}

// messageLimit bounds one message of the service; files come in pieces.
const messageLimit = 16 << 20

// headTime is the time in which a stream must say what it is, and mostHeads how many may take it: when a connection ends, yamux has the
// readers of all its streams go round in circles until it has closed each.
const (
	headTime  = 10 * time.Second
	mostHeads = 256
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// take passes a stream on to whom it is for, and calls known when it has said that.
func (r *Relay) take(ctx context.Context, stream net.Conn, calls *listener, known func()) {
	late := r.clock.AfterFunc(headTime, func() { _ = stream.Close() })
	// Between the end of a session and that of its streams yamux has their readers go round in circles, which may keep it from getting there.
	awake := context.AfterFunc(ctx, func() { _ = stream.SetReadDeadline(longAgo) })
	kind, network, address, err := kindOf(stream)
	late.Stop()
	awake()
	known()
	switch {
	case err == nil && kind == callStream:
		select {
		case calls.streams <- stream:
			return
		case <-ctx.Done():
		}
	case err == nil && kind == dialStream && r.mine(network, address):
		if plugin, err := r.machine.Dial(ctx, network, address); err == nil {
			defer context.AfterFunc(ctx, func() { _ = plugin.Close() })()
			Join(stream, plugin)
			return
		}
	}
	_ = stream.Close()
}

// mine reports whether something that this relay has started listens at an address: in its folder of sockets, or at a port of this machine that it has
// announced. A host reaches nothing else through it.
func (r *Relay) mine(network, address string) bool {
	if network == "unix" {
		return strings.HasPrefix(filepath.Clean(address), r.scratch+string(filepath.Separator))
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil || network != "tcp" || !net.ParseIP(host).IsLoopback() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range r.bodies {
		if b.announced.says(network, address) {
			return true
		}
	}
	return false
}

// hear notes a sign of the host.
func (r *Relay) hear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = r.clock.Now()
}

// watchHost gives the host up when it is silent for the time of the lease, which it may change when it comes.
func (r *Relay) watchHost(ctx context.Context, end context.CancelCauseFunc, changed <-chan struct{}) {
	for {
		r.mu.Lock()
		left := r.lease - clock.Since(r.clock, r.heard)
		r.mu.Unlock()
		if left <= 0 {
			end(errors.New("the host is silent"))
			return
		}
		late := r.clock.NewTimer(left)
		select {
		case <-late.C:
		case <-changed:
		case <-ctx.Done():
		}
		late.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// served is a Relay with one connection.
type served struct {
	*Relay
	end     context.CancelCauseFunc // of the connection
	greeted chan<- struct{}         // gets something when the lease may have changed
}

// Hello implements the service.
func (s *served) Hello(_ context.Context, q *pb.HelloRequest) (*pb.HelloReply, error) {
	if q.GetVersion() != Version {
		return nil, status.Errorf(codes.FailedPrecondition, "this relay speaks version %d of the protocol, the host %d: let both be the same Peregrine", Version, q.GetVersion())
	}
	r := s.Relay
	r.agree(q.GetLease(), q.GetGrace())
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case s.greeted <- struct{}{}:
	default: // it will be looked at
	}
	reply := &pb.HelloReply{Version: Version, Peregrine: version.Read().Short(), Facts: r.facts}
	for _, b := range r.bodies {
		reply.Processes = append(reply.Processes, b.message())
	}
	slices.SortFunc(reply.Processes, func(a, b *pb.Process) int { return int(a.Number) - int(b.Number) })
	return reply, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Beat implements the service.
func (s *served) Beat(stream grpc.BidiStreamingServer[pb.Pulse, pb.Pulse]) error {
	for {
		p, err := stream.Recv()
		if err != nil {
			return err
		}
		s.hear()
		answer := &pb.Pulse{Number: p.GetNumber(), Time: unix(s.clock.Now()), Echo: p.GetTime(), Load: process.Load()}
		s.mu.Lock()
		answer.EndsSoon = s.endsSoon
		s.mu.Unlock()
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// Leave implements the service.
func (s *served) Leave(context.Context, *pb.LeaveRequest) (*pb.LeaveReply, error) {
	s.mu.Lock()
	s.dismissed = true
	s.mu.Unlock()
	s.clock.AfterFunc(leaveTime, func() { s.end(errDismissed) })
	return &pb.LeaveReply{}, nil
}

// leaveTime is how long the answer to a dismissal has to reach the host.
const leaveTime = 100 * time.Millisecond

var errDismissed = errors.New("the host dismissed the relay")

// body is a process that the relay has started.
type body struct {
	hosting.Body
	number  uint64
	folder  string        // that its log is in; empty: none
	sockets string        // folder
	host    *os.File      // its standard input: closed when there is no host for it any more, if it has not heard of one yet
	output  chan []byte   // closed when it prints nothing any more
	gone    chan struct{} // closed when it has ended and is forgotten

	announced announced
}

func (b *body) message() *pb.Process {
	id := b.ID()
	return &pb.Process{Number: b.number, Pid: int64(id.PID), Mark: id.Mark, Folder: b.folder}
}

// Spawn implements the service.
func (s *served) Spawn(q *pb.SpawnRequest, stream grpc.ServerStreamingServer[pb.SpawnReply]) error {
	b, err := s.spawn(stream.Context(), q)
	if err != nil {
		why := &pb.Failure{Text: err.Error()}
		var command *hosting.CommandError
		var missing *missingError
		if errors.As(err, &command) {
			why.Text, why.Command = command.Err.Error(), true
		}
		if errors.As(err, &missing) {
			why.Missing = missing.sums
		}
		return stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Failure{Failure: why}})
	}
	if err := stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Started{Started: b.message()}}); err != nil {
		b.Kill() // nobody knows of it
		return err
	}
	for piece := range b.output {
		if err := stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Output{Output: piece}}); err != nil {
			return err
		}
	}
	<-b.gone // who hears of its end finds it no more
	e, u := b.Ending(), b.Used()
	return stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Ended{Ended: &pb.Ending{
		Text: e.Text, Fault: e.Fault, Full: e.Full, Crowd: e.Crowd, Cpu: u.CPU.Seconds(), Memory: u.Memory,
	}}})
}

// spawn starts a process.
func (r *Relay) spawn(ctx context.Context, q *pb.SpawnRequest) (*body, error) {
	if len(q.GetArgs()) == 0 {
		return nil, errors.New("no command")
	}
	args, err := r.own(q.GetArgs(), q.GetContents())
	if err != nil {
		return nil, &hosting.CommandError{Command: q.GetArgs(), Err: err}
	}
	sockets, err := os.MkdirTemp(r.scratch, "s")
	if err != nil {
		return nil, err
	}
	environment, err := r.environment(q, sockets)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(sockets))
	}
	input, host, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(sockets))
	}
	defer func() { _ = input.Close() }() // the process holds a copy
	command := hosting.Command{
		Args: args, Environment: environment, Input: input, LogPath: q.GetLog(), LogLimit: q.GetLogLimit(),
		Allowance: process.Allowance{Memory: q.GetMemory(), Cores: q.GetCores(), Processes: int(q.GetProcesses())},
	}
	child, err := r.machine.Spawn(ctx, command)
	if err != nil {
		return nil, errors.Join(err, host.Close(), os.RemoveAll(sockets))
	}
	b := &body{Body: child, sockets: sockets, host: host, output: make(chan []byte, 16), gone: make(chan struct{})}
	if q.GetLog() != "" {
		b.folder = filepath.Dir(q.GetLog())
	}
	r.mu.Lock()
	r.last++
	b.number = r.last
	r.bodies[b.number] = b
	r.mu.Unlock()
	go b.read()
	go r.bury(b)
	return b, nil
}

// read reads what the process prints, until it ends. What nobody takes is dropped: only the handshake matters.
func (b *body) read() {
	defer close(b.output)
	defer b.Free()
	for {
		piece := make([]byte, 4096)
		n, err := b.Stdout().Read(piece)
		if n > 0 {
			b.announced.read(piece[:n]) // before a host can know of it
			select {
			case b.output <- piece[:n]:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// lookTime is how often a process is looked at: of an ended one nobody else knows what memory it had.
const lookTime = time.Second

// bury looks at a process until it has ended, and forgets it then.
func (r *Relay) bury(b *body) {
	tick := r.clock.NewTicker(lookTime)
	for b.Used(); !ended(b); {
		select {
		case <-tick.C:
			b.Used() // which notes it
		case <-b.Done():
		}
	}
	tick.Stop()
	_ = b.host.Close()
	_ = os.RemoveAll(b.sockets) // what stays goes with the scratch folder
	r.mu.Lock()
	delete(r.bodies, b.number)
	r.mu.Unlock()
	close(b.gone)
}

func ended(b *body) bool {
	select {
	case <-b.Done():
		return true
	default:
		return false
	}
}

// environment is that of a process: as the host wants it, but for its sockets' folder and its keys, which are the relay's.
func (r *Relay) environment(q *pb.SpawnRequest, sockets string) ([]string, error) {
	lines := slices.DeleteFunc(slices.Clone(q.GetEnvironment()), func(line string) bool {
		return strings.HasPrefix(line, goplugin.EnvUnixSocketDir+"=")
	})
	lines = append(lines, goplugin.EnvUnixSocketDir+"="+sockets)
	for name, content := range q.GetKeys() {
		path, err := r.key(content)
		if err != nil {
			return nil, err
		}
		lines = append(lines, name+"="+path)
	}
	return lines, nil
}

// find returns a process that lives, or lived a moment ago.
func (r *Relay) find(number uint64) (*body, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.bodies[number]; b != nil {
		return b, nil
	}
	return nil, status.Errorf(codes.NotFound, "process %d has ended", number)
}

// Order implements the service.
func (s *served) Order(_ context.Context, q *pb.OrderRequest) (*pb.OrderReply, error) {
	b, err := s.find(q.GetNumber())
	if err != nil {
		return nil, err
	}
	reply := &pb.OrderReply{}
	switch q.GetOrder() {
	case "look":
		b.Look()
	case "terminate":
		b.Terminate()
	case "kill":
		b.Kill()
	case "turn":
		b.Turn(q.GetLog())
	case "used":
		u := b.Used()
		reply.Usage = &pb.Usage{Number: b.number, Cpu: u.CPU.Seconds(), Memory: u.Memory, Resident: u.Resident}
		reply.Children = b.Children()
	default:
		return nil, status.Error(codes.InvalidArgument, fmt.Sprintf("order %q", q.GetOrder()))
	}
	return reply, nil
}
