package agent

// Files of a node: proofs of shared folders, and files sent and fetched by a host.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// filesPrefix begins the name of the folder for files that are not shared.
const filesPrefix = "peregrine-relay"

// Names in that folder.
const (
	broughtDir = "brought" // files that the host brought, each in a folder named by its hash
	runsDir    = "runs"    // run folders
)

// root makes the folder for files that are not shared, and returns its path.
func (r *Relay) root() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errClosed
	}
	if r.files != "" {
		return r.files, nil
	}
	base := r.facts.GetFolder()
	if err := folder.MakeAll(base); err != nil {
		return "", err
	}
	path, err := os.MkdirTemp(base, filesPrefix+"-"+process.Self().Tag()+"-*")
	if err != nil {
		return "", err
	}
	r.files = path
	return path, nil
}

// key keeps a key in a file of the scratch folder, and returns its path.
func (r *Relay) key(content []byte) (string, error) {
	sum := sha256.Sum256(content)
	path := filepath.Join(r.scratch, hosting.KeyPrefix+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, atomic.WriteFile(path, content, atomic.Mode(0o600))
}

// missingError reports files of a command that this machine lacks, or has with other content.
type missingError struct{ sums []string }

func (e *missingError) Error() string { return "files of the command are missing here" }

// localCommand returns a host's command with the paths of this machine. The contents are checksums as of
// launch.Contents; without contents the command is unchanged. For each file it takes the first with the right content:
// the file at the same path, the relay's own program, or a file that a host has brought.
func (r *Relay) localCommand(args, contents []string) ([]string, error) {
	if len(contents) == 0 {
		return args, nil
	}
	if len(contents) != len(args) {
		return nil, errors.New("as many contents as words")
	}
	args = slices.Clone(args)
	var missing []string
	for i, want := range contents {
		sum, file := fileSum(want)
		if !file {
			continue
		}
		path := args[i]
		if found, err := hosting.Find(path); i == 0 && err == nil {
			path = found
		}
		if here, err := launch.Content(path); err == nil && here == want {
			continue
		}
		switch path := r.brought(sum); {
		case sum == r.facts.GetSum():
			args[i] = r.facts.GetProgram()
		case path != "":
			args[i] = path
		default:
			missing = append(missing, sum)
		}
	}
	if len(missing) > 0 {
		return nil, &missingError{missing}
	}
	return args, nil
}

// fileSum returns the hash in a part of launch.Contents; false: it is no file.
func fileSum(part string) (string, bool) {
	kind, sum, _ := bytes.Cut([]byte(part), []byte(" "))
	return string(sum), string(kind) == "file"
}

// brought returns the path of a file that a host has brought; empty: none has.
func (r *Relay) brought(sum string) string {
	r.mu.Lock()
	files := r.files
	r.mu.Unlock()
	if files == "" || filepath.Base(sum) != sum {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Join(files, broughtDir, sum))
	for _, e := range entries {
		if e.Type().IsRegular() && !atomic.Abandoned(e.Name()) {
			return filepath.Join(files, broughtDir, sum, e.Name())
		}
	}
	return ""
}

// proofLimit is the limit of a file by which a host proves that a folder is shared.
var proofLimit = intake.Limit{What: "a proof", Bytes: 4096}

// Prove implements the service.
func (s *served) Prove(_ context.Context, q *pb.ProveRequest) (*pb.ProveReply, error) {
	if s.unshared {
		return &pb.ProveReply{Free: -1, Why: "it was told to share none"}, nil
	}
	reply := &pb.ProveReply{Free: process.Free(q.GetFolder())}
	content, err := intake.Read(filepath.Join(q.GetFolder(), filepath.Base(q.GetRead())), proofLimit)
	if err == nil {
		reply.Content = content
		err = atomic.WriteFile(filepath.Join(q.GetFolder(), filepath.Base(q.GetWrite())), q.GetContent(),
			atomic.Mode(0o600))
	}
	if err != nil {
		reply.Why = err.Error()
	}
	return reply, nil
}

// Contents implements the service.
func (s *served) Contents(_ context.Context, q *pb.ContentsRequest) (*pb.ContentsReply, error) {
	parts, err := launch.Contents(q.GetArgs())
	if err != nil {
		return &pb.ContentsReply{Why: err.Error()}, nil
	}
	return &pb.ContentsReply{Contents: parts}, nil
}

// Make implements the service. A relative path is below the relay's own folder.
func (s *served) Make(_ context.Context, q *pb.MakeRequest) (*pb.MakeReply, error) {
	path := q.GetFolder()
	if !filepath.IsAbs(path) {
		root, err := s.root()
		if err != nil {
			return nil, failed(err)
		}
		if path = filepath.Join(root, runsDir,
			filepath.FromSlash(path)); !filepath.IsLocal(filepath.FromSlash(q.GetFolder())) {
			return nil, status.Errorf(codes.InvalidArgument, "folder %q", q.GetFolder())
		}
	}
	if err := folder.MakeAll(path); err != nil {
		return nil, failed(err)
	}
	return &pb.MakeReply{Folder: path, Free: process.Free(path)}, nil
}

// failed is an error of the file system for the host.
func failed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return status.Error(codes.NotFound, err.Error())
	}
	return status.Error(codes.Aborted, err.Error())
}

// Have implements the service.
func (s *served) Have(_ context.Context, q *pb.HaveRequest) (*pb.HaveReply, error) {
	reply := &pb.HaveReply{Paths: map[string]string{}}
	for _, sum := range q.GetSums() {
		if path := s.brought(sum); path != "" {
			reply.Paths[sum] = path
		}
	}
	return reply, nil
}

// Put implements the service. A file with another hash than announced is not kept.
func (s *served) Put(stream grpc.ClientStreamingServer[pb.PutRequest, pb.PutReply]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	sum, name := first.GetSum(), filepath.Base(filepath.FromSlash(first.GetName()))
	if _, err := hex.DecodeString(sum); err != nil || len(sum) != 2*sha256.Size || name == "." ||
		name == string(filepath.Separator) {
		return status.Errorf(codes.InvalidArgument, "a file %q with hash %q", first.GetName(), sum)
	}
	root, err := s.root()
	if err != nil {
		return failed(err)
	}
	dir := filepath.Join(root, broughtDir, sum)
	if err := folder.MakeAll(dir); err != nil {
		return failed(err)
	}
	path, mode := filepath.Join(dir, name), os.FileMode(0o600)
	if first.GetExecutable() {
		mode = 0o700
	}
	err = atomic.Stream(path, func(w io.Writer) error {
		h := sha256.New()
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if _, err := io.MultiWriter(w, h).Write(m.GetData()); err != nil {
				return err
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != sum {
			return fmt.Errorf("%s came with hash %s, want %s", name, got, sum)
		}
		return nil
	}, atomic.Mode(mode))
	if err != nil {
		return failed(err)
	}
	return stream.SendAndClose(&pb.PutReply{Path: path})
}

// List implements the service.
func (s *served) List(_ context.Context, q *pb.ListRequest) (*pb.ListReply, error) {
	reply := &pb.ListReply{}
	base := q.GetFolder()
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if path == base {
				return err
			}
			return nil // a file removed meanwhile does not count
		}
		if !e.Type().IsRegular() || atomic.Abandoned(e.Name()) {
			return nil
		}
		if info, err := e.Info(); err == nil {
			name, _ := filepath.Rel(base, path)
			reply.Files = append(reply.Files,
				&pb.File{Name: filepath.ToSlash(name), Size: info.Size(), Modified: unix(info.ModTime()),
					Mode: uint32(info.Mode().Perm())})
		}
		return nil
	})
	if err != nil {
		return nil, failed(err)
	}
	return reply, nil
}

// pieceSize is the largest part of a file in one message, bytes.
const pieceSize = 512 << 10

// Get implements the service.
func (s *served) Get(q *pb.GetRequest, stream grpc.ServerStreamingServer[pb.GetReply]) error {
	f, err := intake.Open(q.GetPath())
	if err != nil {
		return failed(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	if q.GetOffset() < 0 {
		return status.Errorf(codes.InvalidArgument, "offset %d", q.GetOffset())
	}
	h := sha256.New()
	if _, err := io.CopyN(h, f, q.GetOffset()); err != nil && !errors.Is(err, io.EOF) {
		return failed(err)
	}
	piece := make([]byte, pieceSize)
	for {
		n, err := f.Read(piece)
		if n > 0 {
			_, _ = h.Write(piece[:n]) // never fails
			if err := stream.Send(&pb.GetReply{Data: piece[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return stream.Send(&pb.GetReply{Sum: hex.EncodeToString(h.Sum(nil))})
		}
		if err != nil {
			return failed(err)
		}
	}
}

// Remove implements the service, for folders of the relay's own.
func (s *served) Remove(_ context.Context, q *pb.RemoveRequest) (*pb.RemoveReply, error) {
	root, err := s.root()
	if err != nil {
		return nil, failed(err)
	}
	within, err := filepath.Rel(filepath.Join(root, runsDir), q.GetFolder())
	if err != nil || !filepath.IsLocal(within) || within == "." {
		return nil, status.Errorf(codes.InvalidArgument, "%s is not the relay's", q.GetFolder())
	}
	if err := os.RemoveAll(q.GetFolder()); err != nil {
		return nil, failed(err)
	}
	return &pb.RemoveReply{}, nil
}
