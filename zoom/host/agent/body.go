package agent

// The processes that a relay starts for its host.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// body is a process that the relay has started.
type body struct {
	hosting.Body
	number  uint64
	folder  string        // of its log; empty: none
	sockets string        // folder
	host    *os.File      // its standard input. Closing it ends a process that no host has reached yet
	output  chan []byte   // of its standard output; closed at its end
	gone    chan struct{} // closed when it has ended and was removed from the relay's list

	announced announced
}

func (b *body) message() *pb.Process {
	id := b.ID()
	return &pb.Process{Number: b.number, Pid: int64(id.PID), Mark: id.Mark, Folder: b.folder}
}

// Spawn implements the service.
func (s *served) Spawn(q *pb.SpawnRequest, stream grpc.ServerStreamingServer[pb.SpawnReply]) error {
	b, err := s.find(q.GetAttach())
	if q.GetAttach() == 0 {
		b, err = s.spawn(stream.Context(), q)
	}
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
		if q.GetAttach() == 0 {
			b.Kill() // no host knows of it
		}
		return err
	}
	for piece := range b.output {
		if err := stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Output{Output: piece}}); err != nil {
			return err
		}
	}
	<-b.gone // so that a host that hears of its end finds it no longer
	e, u := b.Ending(), b.Used()
	return stream.Send(&pb.SpawnReply{What: &pb.SpawnReply_Ended{Ended: &pb.Ending{
		Text: e.Text, Fault: e.Fault, Full: e.Full, Crowd: e.Crowd, Cpu: u.CPU.Seconds(), Memory: u.Memory,
	}}})
}

// spawn starts a process.
func (r *Relay) spawn(ctx context.Context, q *pb.SpawnRequest) (*body, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errClosed
	}
	r.starting.Add(1)
	r.mu.Unlock()
	defer r.starting.Done()
	if len(q.GetArgs()) == 0 {
		return nil, errors.New("no command")
	}
	args, err := r.localCommand(q.GetArgs(), q.GetContents())
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
	command := hosting.NodeProcess{
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

// read reads the standard output until its end. It drops output without a reader: only the handshake matters.
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

// lookTime is the time between two measurements of a process's memory, which is unknown after its end.
const lookTime = time.Second

// bury measures a process until it has ended, and then removes it from the relay's list.
func (r *Relay) bury(b *body) {
	tick := r.clock.NewTicker(lookTime)
	for b.Used(); !ended(b); {
		select {
		case <-tick.C:
			b.Used() // keeps the largest value
		case <-b.Done():
		}
	}
	tick.Stop()
	_ = b.host.Close()
	_ = os.RemoveAll(b.sockets) // the rest is removed with the scratch folder
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

// environment returns the environment of a process: the host's, with a folder of the relay for sockets, and with the
// paths of the key files that the relay has written.
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
