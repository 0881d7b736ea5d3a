package agent

// The files of a node, on the host's side.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/version"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Bring puts a file of this machine on the node, once for its content, and returns its path there. Sum is its SHA-256.
func (n *Node) Bring(ctx context.Context, path, sum string) (string, error) {
	f, err := intake.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return n.put(ctx, f, path, sum, info.Mode()&0o100 != 0)
}

// put is Bring of the content of a file. A program is compressed on its way, unless the relay is of another build,
// which may not understand that. Other files are not: many are compressed already.
func (n *Node) put(ctx context.Context, f io.Reader, path, sum string, program bool) (string, error) {
	have, err := n.client.Have(ctx, &pb.HaveRequest{Sums: []string{sum}})
	if err != nil {
		return "", n.fileError(path, err)
	}
	if there := have.GetPaths()[sum]; there != "" {
		return there, nil
	}
	var how []grpc.CallOption
	if program && n.Build == version.Read().Short() {
		how = append(how, grpc.UseCompressor(gzip.Name))
	}
	stream, err := n.client.Put(ctx, how...)
	if err != nil {
		return "", n.fileError(path, err)
	}
	err = stream.Send(&pb.PutRequest{Sum: sum, Name: filepath.Base(path), Executable: program})
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

// MakeFolder makes a private folder on the node, and returns its path and the bytes that can be written there: if not
// known, a negative number. A relative path is below the relay's own folder.
func (n *Node) MakeFolder(ctx context.Context, folder string) (path string, free int64, err error) {
	reply, err := n.client.Make(ctx, &pb.MakeRequest{Folder: folder})
	if err != nil {
		return "", 0, n.fileError(folder, err)
	}
	return reply.GetFolder(), reply.GetFree(), nil
}

// Contents returns the contents of a command on the node, as of launch.Contents; why is the reason why it has none.
func (n *Node) Contents(ctx context.Context, args []string) (contents []string, why string, err error) {
	reply, err := n.client.Contents(ctx, &pb.ContentsRequest{Args: args})
	if err != nil {
		return nil, "", n.fileError(args[0], err)
	}
	return reply.GetContents(), reply.GetWhy(), nil
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

// Get copies a file of the node, beginning at an offset, and returns the SHA-256 of the whole file as it was read
// there.
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

// Proof is the state of a folder of this machine on a node.
type Proof struct {
	Shared bool
	Free   int64  // bytes that can be written there; negative: unknown
	Why    string // why it is not shared, for people
}

// Prove determines whether the node shares a folder of this machine: a file written here is read there, and another the
// other way round.
func (n *Node) Prove(ctx context.Context, folder string) (Proof, error) {
	ours, theirs := rand.Text(), rand.Text()
	read, write := proofPrefix+rand.Text(), proofPrefix+rand.Text()
	path := filepath.Join(folder, read)
	if err := atomic.WriteFile(path, []byte(ours), atomic.Mode(0o600)); err != nil {
		return Proof{}, err
	}
	defer func() { _ = os.Remove(path) }() // a study's folder is swept in the end
	reply, err := n.client.Prove(ctx,
		&pb.ProveRequest{Folder: folder, Read: read, Write: write, Content: []byte(theirs)})
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
		p.Why = "a file that it writes there is not found here"
	case string(reply.GetContent()) != ours || string(content) != theirs:
		p.Why = "it has another folder of that name"
	default:
		p.Shared = true
	}
	return p, nil
}

// proofPrefix begins the names of the files of Prove.
const proofPrefix = ".proof-"
