package agent

// What a host looks at before it sends runs to a node.

import (
	"context"

	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
)

// Room makes a private folder on the node as MakeFolder does, and returns its path with the bytes that may be written
// there; negative: not known.
func (n *Node) Room(ctx context.Context, folder string) (path string, free int64, err error) {
	reply, err := n.client.Make(ctx, &pb.MakeRequest{Folder: folder})
	if err != nil {
		return "", 0, n.fileError(folder, err)
	}
	return reply.GetFolder(), reply.GetFree(), nil
}

// Contents is what a command would start on the node, as launch.Contents says; why is why there is none.
func (n *Node) Contents(ctx context.Context, args []string) (contents []string, why string, err error) {
	reply, err := n.client.Contents(ctx, &pb.ContentsRequest{Args: args})
	if err != nil {
		return nil, "", n.fileError(args[0], err)
	}
	return reply.GetContents(), reply.GetWhy(), nil
}
