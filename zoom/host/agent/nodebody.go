package agent

// The processes of a node, on the host's side.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/executable"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// Spawn implements hosting.Node. It sends the command's files that the node lacks, except its program: another program
// with the same name is an error. It also sends the certificates, into files readable only by their owner.
func (n *Node) Spawn(ctx context.Context, c hosting.NodeProcess) (hosting.Body, error) {
	q := &pb.SpawnRequest{
		Args: c.Args, Environment: c.Environment, Log: c.LogPath, LogLimit: c.LogLimit,
		Memory: c.Allowance.Memory, Cores: c.Allowance.Cores, Processes: int32(c.Allowance.Processes),
		Contents: c.Contents,
	}
	if c.Certificates != nil {
		keys, err := c.Certificates.Keys()
		if err != nil {
			return nil, err
		}
		q.Keys = keys
	}
	if len(q.Contents) > 0 {
		if image, there := n.images.Load(q.Contents[0]); there {
			q.Contents = append([]string{image.(string)}, q.Contents[1:]...)
		}
	}
	for brought := false; ; brought = true {
		b, failure, err := n.spawn(ctx, q)
		switch {
		case err != nil:
			return nil, err
		case failure == nil:
			return b, nil
		case len(failure.GetMissing()) > 0 && !brought:
			if err := n.bringContents(ctx, q, failure.GetMissing()); err != nil {
				return nil, &hosting.CommandError{Command: c.Args, Err: err}
			}
		case failure.GetCommand():
			return nil, &hosting.CommandError{
				Command: c.Args, Err: fmt.Errorf("on %s: %s", n.Name(), failure.GetText()),
			}
		default:
			return nil, fmt.Errorf("on %s: %s", n.Name(), failure.GetText())
		}
	}
}

// ErrEnded reports a process that its node does not have any more.
var ErrEnded = errors.New("the process has ended")

// Attach returns a process that another host has started on the node.
func (n *Node) Attach(ctx context.Context, number uint64) (hosting.Body, error) {
	b, failure, err := n.spawn(ctx, &pb.SpawnRequest{Attach: number})
	if err == nil && failure != nil {
		err = ErrEnded
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// bringContents brings the missing files of a command. In place of this program it brings its image.
func (n *Node) bringContents(ctx context.Context, q *pb.SpawnRequest, missing []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := q.GetArgs()
	for i, part := range q.GetContents() {
		sum, file := fileSum(part)
		switch {
		case !file || !slices.Contains(missing, sum):
			continue
		case i == 0 && args[0] != self:
			return fmt.Errorf(
				"%s has another program there, or none (SHA-256 %.12s is wanted): install the same version", n.Name(),
				sum)
		case i == 0 && !n.Runs():
			return fmt.Errorf("%s is %s/%s: say with `program` in the hosts file where peregrine is there", n.Name(),
				n.Facts.GetOs(), n.Facts.GetArch())
		case i == 0:
			image, err := n.bringImage(ctx, self, part)
			if err != nil {
				return err
			}
			q.Contents = append([]string{image}, q.Contents[1:]...)
			continue
		}
		if _, err := n.Bring(ctx, args[i], sum); err != nil {
			return err
		}
	}
	return nil
}

// bringImage brings the image of a program with a content, unless the relay is a process of it or has it. It returns
// the image's content.
func (n *Node) bringImage(ctx context.Context, path, content string) (string, error) {
	image, err := executable.Read(path)
	if err != nil {
		return "", err
	}
	now, err := launch.Contents([]string{path})
	if err != nil || content != now[0] && content != "file "+image.Sum { // the latter: it was brought before
		return "", errors.Join(err, fmt.Errorf("%s has changed meanwhile", path))
	}
	if image.Sum != n.Facts.GetSum() {
		f, err := executable.Open(path)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // it was only read
		if _, err = n.put(ctx, f, path, image.Sum, true); err != nil {
			return "", err
		}
	}
	n.images.Store(content, "file "+image.Sum)
	return "file " + image.Sum, nil
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

// spawn starts a process, or returns the reason why it did not start. A process that starts after ctx has ended is
// killed. To kill it, the host needs the relay's answer, so the call itself continues.
func (n *Node) spawn(ctx context.Context, q *pb.SpawnRequest) (*remoteBody, *pb.Failure, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	result := make(chan spawned)
	call := func() {
		s := n.call(q)
		select {
		case result <- s:
		case <-ctx.Done():
			if s.body != nil && q.GetAttach() == 0 {
				s.body.Kill()
				s.body.Free()
			}
		}
	}
	n.mu.Lock()
	err := n.Err()
	if err == nil {
		n.done.Go(call)
	}
	n.mu.Unlock()
	if err != nil { // Close may wait already, and does not see the call
		return nil, nil, err
	}
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
		s.err = fmt.Errorf("on %s: the relay does not name the process that it has started", n.Name())
	default:
		id := process.ID{PID: int(started.GetPid()), Mark: started.GetMark()}
		b := &remoteBody{node: n, number: started.GetNumber(), id: id, out: newOutput(), done: make(chan struct{}),
			cancel: cancel}
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
	out    *output // its output
	done   chan struct{}
	cancel context.CancelFunc // of its stream

	ending hosting.Ending // when done is closed

	mu   sync.Mutex
	used process.Usage // last value reported by the relay
}

var _ hosting.Body = (*remoteBody)(nil)

// follow takes the relay's reports on the process.
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
			b.ending = hosting.Ending{Text: w.Ended.GetText() + " on " + b.node.Name(), Fault: w.Ended.GetFault(),
				Full: w.Ended.GetFull(), Crowd: w.Ended.GetCrowd()}
			return
		}
	}
}

// orderTime bounds an order to a relay.
const orderTime = 5 * time.Second

// order acts on the process. It fails if the process has ended, or its node is being lost.
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
func (b *remoteBody) Free()                  { _ = b.out.Close() } // later output is dropped
func (b *remoteBody) Children() bool         { return b.order("used", "").GetChildren() }

// Used asks the relay while the process lives. After its end, or if its node was lost, Used returns the relay's last
// report.
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

// note records the resource use of the process. Answers may arrive out of order.
func (b *remoteBody) note(u process.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.CPU, b.used.Memory, b.used.Resident = max(b.used.CPU, u.CPU), max(b.used.Memory, u.Memory), u.Resident
}

// Kill ends a process that another host started, with all its descendants.
func (n *Node) Kill(number uint64) { (&remoteBody{node: n, number: number}).Kill() }

// Used returns the resource use of a process until now.
func (n *Node) Used(number uint64) process.Usage {
	return (&remoteBody{node: n, number: number}).Used()
}

// Lives reports whether a process lives, as far as known.
func (n *Node) Lives(number uint64) bool {
	ctx, cancel := context.WithTimeout(n.ctx, orderTime)
	defer cancel()
	_, err := n.client.Order(ctx, &pb.OrderRequest{Number: number, Order: "used"})
	return status.Code(err) != codes.NotFound && n.Err() == nil
}
