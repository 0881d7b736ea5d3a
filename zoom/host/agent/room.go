package agent

// The checks of a host before it sends runs to a node.

import (
	"context"

	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Room makes a private folder on the node as MakeFolder does, and returns its path with the bytes that can be written
// there; negative: unknown.
func (n *Node) Room(ctx context.Context, folder string) (path string, free int64, err error) {
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
