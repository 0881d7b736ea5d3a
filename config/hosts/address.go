package hosts

// Names of machines: the addresses of this machine for nodes, and the destinations of ssh.

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

var (
	// machineShape is the name of a machine (RFC 1123, section 2.1, and the _ that some sites use).
	machineShape = regex.Lazy(
		`^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$`)
	numbered = regex.Lazy(`(^|\.)[0-9]+$`) // an address then, and no name
	// destinationShape is a destination of ssh: USER@NAME, an alias of its configuration, or an address. Its values
	// cannot be mistaken for an option.
	destinationShape = regex.Lazy(`^[A-Za-z0-9_.:%@+][A-Za-z0-9_.:%@+-]*$`)
)

// address returns the error in a HOST or HOST:PORT; empty: it is valid.
func address(text string) string {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ""
	} else if p, err := strconv.ParseUint(port, 10, 16); err != nil || p == 0 {
		return "no such port; want HOST, or HOST:PORT with a port from 1 to 65535"
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	if !machineShape().MatchString(host) || numbered().MatchString(host) {
		return "no address; want HOST or HOST:PORT, such as login1, 10.0.0.7:4000 or [fd00::7]:4000"
	}
	return ""
}

// machines are the hosts of a launcher by ssh.
func machines(r *document.Reader, to *[]Host) document.Value {
	const want = "hosts such as [ada, {name: bob, cores: 8}]"
	read := func(n ast.Node, path string) {
		nodes := r.Items(n, path, want)
		if s, ok := n.(*ast.SequenceNode); ok && len(s.Values) == 0 {
			r.Fail(document.Position(n), path, "", "no host, want a list such as [ada, {name: bob, cores: 8}]")
		}
		first := map[string]document.Pos{}
		for i, it := range nodes {
			h := Host{Pos: document.Position(it)}
			at := document.Item(path, i)
			keys := hostKeys(r, &h)
			switch it.(type) {
			case *ast.MappingNode, *ast.MappingValueNode:
				r.Group(it, at, "a host such as {name: bob, cores: 8}", keys)
			default:
				keys[0].Read(it, at)
			}
			if h.Name == "" {
				continue
			}
			if there, twice := first[h.Name]; twice {
				r.Fail(h.Pos, at, h.Name, "the host is already at line %d", there.Line)
				continue
			}
			first[h.Name] = h.Pos
			*to = append(*to, h)
		}
	}
	schema := func() *jsonschema.Schema {
		keys := hostKeys(r, &Host{})
		return document.ListOf(document.Either(keys[0].Schema(), document.Object("", keys)))
	}
	return document.Value{Read: read, Schema: schema}.NotEmpty()
}
