package watch

import (
	"net"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A page listens at a socket that a killed server has left, but takes none from a living one, and replaces no file.
func TestListensAtAnAbandonedSocket(t *testing.T) {
	t.Parallel()
	path := testenv.Socket(t)
	v := &ViewFlags{listen: "unix:" + path}
	left := must.Value(net.ListenUnix("unix", &net.UnixAddr{Name: path}))(t)
	left.SetUnlinkOnClose(false)
	if _, err := v.address(); err == nil {
		t.Error("it took the socket of a server that lives")
	}
	must.OK(t, left.Close())
	must.OK(t, must.Value(v.address())(t).Close())
	must.OK(t, os.WriteFile(path, []byte("mine"), 0o600))
	if _, err := v.address(); err == nil {
		t.Error("it took the name of a file")
	}
	must.Equal(t, "mine", string(must.Value(os.ReadFile(path))(t)))
	link := testenv.Socket(t)
	must.OK(t, os.Symlink(path, link))
	if _, err := (&ViewFlags{listen: "unix:" + link}).address(); err == nil {
		t.Error("it replaced a link")
	}
}
