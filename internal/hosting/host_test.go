package hosting

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

var handshake = goplugin.HandshakeConfig{ProtocolVersion: 3, MagicCookieKey: "PEREGRINE_TEST_PLUGIN",
	MagicCookieValue: "1"}

const hold = "/test.Plugin/Hold"

// TestMain makes the test's executable a plugin. Its one stream holds the lease; the
// header of that names the variables of the process.
func TestMain(m *testing.M) {
	if os.Getenv(handshake.MagicCookieKey) == "" {
		os.Exit(m.Run())
	}
	if most, err := strconv.Atoi(os.Getenv("PEREGRINE_GIVEN_EAT")); err == nil {
		go eat(most << 20)
	}
	if file := os.Getenv("PEREGRINE_GIVEN_CHILD"); file != "" {
		child := exec.Command("sleep", "100")
		process.Detach(child)
		if err := child.Start(); err == nil {
			_ = os.WriteFile(file, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
		}
	}
	l := &Lease{}
	Serve(Service{Handshake: handshake, Lease: l, Patience: 10 * time.Minute, Register: func(r grpc.ServiceRegistrar) {
		handler := func(_ any, stream grpc.ServerStream) error {
			end := l.Take()
			defer func() {
				if end() {
					l.Stop()
				}
			}()
			header := metadata.MD{}
			for _, line := range os.Environ() {
				name, _, _ := strings.Cut(line, "=")
				header.Append("variable", name)
			}
			if err := stream.SendHeader(header); err != nil {
				return err
			}
			<-stream.Context().Done()
			return nil
		}
		r.RegisterService(&grpc.ServiceDesc{ServiceName: "test.Plugin", HandlerType: (*any)(nil),
			Streams: []grpc.StreamDesc{{StreamName: "Hold", ServerStreams: true, Handler: handler}}}, struct{}{})
	}})
	lingers, _ := time.ParseDuration(os.Getenv("PEREGRINE_GIVEN_LINGER"))
	time.Sleep(lingers)
}

// newHost is a host with a temporary folder of its own, of which nothing may be left.
func newHost(t *testing.T) *Host {
	t.Helper()
	folder := t.TempDir()
	tmp, err := os.MkdirTemp("", "pgt") // short, for sockets
	must.OK(t, err)
	t.Setenv("TMPDIR", tmp)
	h := NewHost(filepath.Join(folder, "certificate"))
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := os.Remove(tmp); err != nil {
			t.Error(err)
		}
	})
	return h
}

func start(t *testing.T, h *Host, environment ...string) *Process {
	t.Helper()
	p, err := h.Start(t.Context(),
		Program{Handshake: handshake, Command: []string{os.Args[0]}, Environment: environment, Log: os.Stderr})
	must.OK(t, err)
	return p
}

// lease holds a plugin's lease and returns the variables that it sees.
func lease(ctx context.Context, conn grpc.ClientConnInterface) ([]string, error) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, hold)
	if err != nil {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	header, err := stream.Header()
	if err == nil && len(header) == 0 {
		err = stream.RecvMsg(nil)
	}
	return header.Get("variable"), err
}

func TestStartAndStop(t *testing.T) {
	h := newHost(t)
	p := start(t, h)
	must.Value(lease(t.Context(), p.Conn))(t)
	if !p.ID.Alive() || p.ID.PID == os.Getpid() {
		t.Errorf("process %+v", p.ID)
	}
	p.Stop(hang)
	if p.ID.Alive() || p.Ending().Text != "exit status 0" {
		t.Errorf("it ended with %+v", p.Ending())
	}
	if _, err := os.Stat(p.Address); err == nil {
		t.Error("its socket is left")
	}
}

// A process has its whole grace to end, also where that is longer than go-plugin's two seconds.
func TestGraceIsWhole(t *testing.T) {
	testenv.Long(t, "a process that takes three seconds to end")
	p := start(t, newHost(t), "PEREGRINE_GIVEN_LINGER=3s")
	p.Stop(hang)
	must.Equal(t, "exit status 0", p.Ending().Text)
}

// A plugin whose host goes ends by itself, and takes the scratch folder with it.
func TestLeaseEnds(t *testing.T) {
	h := newHost(t)
	p := start(t, h)
	ctx, lose := context.WithCancel(t.Context())
	must.Value(lease(ctx, p.Conn))(t)
	lose()
	select {
	case <-p.Done():
	case <-time.After(hang):
		t.Error("it does not end")
	}
	if _, err := os.Stat(h.Scratch()); err == nil {
		t.Error("it left the scratch folder")
	}
	p.Stop(0)
}

// A plugin whose host is killed before it takes the lease ends, and so does one whose standard input
// is closed. That they do so within 5 s is TestServiceEndsWithItsHost's matter.
func TestHostDiesBeforeTheLease(t *testing.T) {
	for _, how := range []string{"killed", "closed"} {
		t.Run(how, func(t *testing.T) {
			host, id := stranger(t)
			certs := must.Value(certificate.Open(filepath.Join(t.TempDir(), "certificate")))(t)
			plugin := exec.Command(os.Args[0])
			plugin.Env = append(append(os.Environ(), certs.Environment()...),
				handshake.MagicCookieKey+"="+handshake.MagicCookieValue,
				goplugin.EnvUnixSocketDir+"="+filepath.Dir(testenv.Socket(t)), hostLine(id, process.Space()))
			out := must.Value(plugin.StdoutPipe())(t)
			in := must.Value(plugin.StdinPipe())(t)
			must.OK(t, plugin.Start())
			if _, err := out.Read(make([]byte, 1)); err != nil { // the handshake: it serves
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- plugin.Wait() }()
			if how == "closed" {
				_ = in.Close()
			} else {
				host()
			}
			select {
			case <-ended:
				return
			case <-time.After(hang): // sooner than for want of a lease
				t.Error("it goes on")
			}
			_ = plugin.Process.Kill()
			<-ended
		})
	}
}

// stranger is a process that stands for a host, and what kills it.
func stranger(t *testing.T) (kill func(), id process.ID) {
	t.Helper()
	host := exec.Command("sleep", "100")
	must.OK(t, host.Start())
	kill = sync.OnceFunc(func() {
		_ = host.Process.Kill()
		_ = host.Wait()
	})
	t.Cleanup(kill)
	return kill, process.Identify(host.Process.Pid)
}

// A host is gone only for whom it is in sight.
func TestHostOutOfSight(t *testing.T) {
	kill, id := stranger(t)
	gone := func(space string) bool {
		_, value, _ := strings.Cut(hostLine(id, space), "=")
		t.Setenv(EnvHost, value)
		return hostGone()()
	}
	if gone(process.Space()) || gone("pid:[1]") {
		t.Error("a host that lives is gone")
	}
	kill()
	if !gone(process.Space()) {
		t.Error("a host that was killed is there")
	}
	if gone("pid:[1]") {
		t.Error("a host that cannot be seen is gone")
	}
}

// A plugin without certificates says what is wrong and fails.
func TestNoCertificates(t *testing.T) {
	plugin := exec.Command(os.Args[0])
	plugin.Env = append(os.Environ(), handshake.MagicCookieKey+"="+handshake.MagicCookieValue)
	var said strings.Builder
	plugin.Stderr = &said
	err := plugin.Run()
	if plugin.ProcessState.ExitCode() != 1 || !strings.HasPrefix(said.String(), "certificate: ") ||
		!strings.Contains(said.String(), certificate.EnvCert) {
		t.Errorf("%v: %s", err, said.String())
	}
}

// A variable that is on no list does not reach a plugin.
func TestEnvironmentIsShort(t *testing.T) {
	t.Setenv("PEREGRINE_SECRET", "1")
	t.Setenv("LC_NUMERIC", "C")
	p := start(t, newHost(t), "PEREGRINE_GIVEN=1")
	defer p.Stop(0)
	names := must.Value(lease(t.Context(), p.Conn))(t)
	for _, name := range []string{"PATH", "TMPDIR", "LC_NUMERIC", "PEREGRINE_GIVEN", certificate.EnvKey,
		goplugin.EnvUnixSocketDir} {
		if !slices.Contains(names, name) {
			t.Errorf("it does not see %s", name)
		}
	}
	for _, name := range names {
		known := slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") ||
			strings.HasPrefix(name, "PLUGIN_") ||
			strings.HasPrefix(name, "PEREGRINE_PLUGIN_") || name == handshake.MagicCookieKey ||
			name == "PEREGRINE_GIVEN"
		if !known {
			t.Errorf("it sees %s", name)
		}
	}
}

// Another host with the certificates' folder reaches a plugin; one with other certificates does not.
func TestDial(t *testing.T) {
	h := newHost(t)
	p := start(t, h)
	defer p.Stop(0)
	for _, sameCertificates := range []bool{true, false} {
		folder := h.Certificates()
		if !sameCertificates {
			folder = filepath.Join(t.TempDir(), "other")
			must.Value(certificate.Open(folder))(t)
		}
		conn := must.Value(Dial(p.Address, folder))(t)
		if _, err := lease(t.Context(), conn); (status.Code(err) == codes.OK) != sameCertificates {
			t.Errorf("with its own certificates %t: %v", sameCertificates, err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Dial(p.Address, filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.Contains(err.Error(), "certificates are gone") {
		t.Errorf("without certificates: %v", err)
	}
}

// What a process prints does not fill the disk: the beginning and the end of it are kept.
func TestPrintedIsLimited(t *testing.T) {
	log := must.Value(os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
	defer func() { _ = log.Close() }()
	const limit = 1 << 20
	const script = "(echo first; yes 0123456789 | head -c 33000000; sleep 0.3; yes 0123456789 | head -c 3300000; " +
		"sleep 0.3; echo; echo last) >&2"
	if _, err := newHost(t).Start(t.Context(),
		Program{Handshake: handshake, Command: []string{"/bin/sh", "-c", script}, Log: log, LogLimit: limit}); err ==
		nil {
		t.Fatal("a program that only prints is a plugin")
	}
	text := must.Value(os.ReadFile(log.Name()))(t)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(text) > limit || lines[0] != "first" || lines[len(lines)-1] != "last" {
		t.Errorf("%d bytes from %q to %q", len(text), lines[0], lines[len(lines)-1])
	}
	notes := 0
	for _, line := range lines {
		var left int64
		if n, _ := fmt.Sscanf(line, "[peregrine: at least %d bytes are left out here", &left); n == 1 {
			notes++
			if all := left + int64(len(text)); all < 20_000_000 || all > 36_301_000 {
				t.Errorf("%d bytes left out and %d kept of 36300011", left, len(text))
			}
		}
	}
	must.Equal(t, 1, notes)
}

func TestNoStart(t *testing.T) {
	h := newHost(t)
	_, err := h.Start(t.Context(), Program{Handshake: handshake, Command: []string{"/nonexistent/plugin"}})
	if _, ok := errors.AsType[*CommandError](err); !ok || !strings.Contains(err.Error(), "/nonexistent/plugin") {
		t.Errorf("no such program: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := h.Start(ctx,
		Program{Handshake: handshake, Command: []string{"/bin/sh", "-c", "sleep 100 & sleep 100"}}); err == nil {
		t.Error("a program that says nothing is a plugin")
	}
	if left, _ := os.ReadDir(h.Scratch()); len(left) > 0 {
		t.Errorf("left in the scratch folder: %v", left)
	}
}

// A temporary folder whose path is too long for a socket is passed over.
func TestLongTemporaryFolder(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	must.OK(t, os.Mkdir(deep, 0o755))
	t.Setenv("TMPDIR", deep)
	dir, err := MakeScratch()
	if err != nil || strings.HasPrefix(dir, deep) {
		t.Errorf("%s, %v", dir, err)
	}
	if err := os.Remove(dir); err != nil {
		t.Error(err)
	}
}

// Only folders of dead hosts go, and of those only what nobody uses.
func TestSweep(t *testing.T) {
	tmp := filepath.Dir(testenv.Socket(t))
	t.Setenv("TMPDIR", tmp)
	const nobody = 1 << 30 // no process has that number
	folder := func(pid int, name string) (scratch, sockets string) {
		scratch = filepath.Join(tmp, scratchPrefix+strconv.Itoa(pid)+"-"+name)
		sockets = filepath.Join(scratch, "p")
		must.OK(t, os.MkdirAll(sockets, 0o700))
		return scratch, sockets
	}
	listen := func(sockets string) *net.UnixListener {
		l := must.Value(net.Listen("unix", filepath.Join(sockets, "s")))(t)
		return l.(*net.UnixListener)
	}
	kill := func(l *net.UnixListener) {
		l.SetUnlinkOnClose(false)
		_ = l.Close()
	}
	live, sockets := folder(nobody, "plugin-lives")
	l := listen(sockets)
	defer func() { _ = l.Close() }()
	host, sockets := folder(os.Getpid(), process.Self().ShortMark()+"-lives")
	kill(listen(sockets))
	other, sockets := folder(nobody, "holds-a-file")
	file := func(name, text string) {
		must.OK(t, os.WriteFile(filepath.Join(sockets, name), []byte(text), 0o600))
	}
	file("plugin1", "something")
	foreign := filepath.Join(tmp, scratchPrefix+"report-1") // another program's, which may fill it later
	must.OK(t, os.Mkdir(foreign, 0o700))
	dead, sockets := folder(nobody, "dead-socket")
	kill(listen(sockets))
	file(KeyPrefix+"1", "secret")
	empty, _ := folder(nobody, "empty")
	taken, sockets := folder(nobody, "killed-before-it-listened")
	file("plugin0123456789", "")
	later, sockets := folder(os.Getpid(), process.ID{Mark: "of another time"}.ShortMark()+"-number-used-again")
	kill(listen(sockets))
	shared, sockets := folder(nobody, "survivor")
	kill(listen(sockets))
	last := filepath.Join(shared, "last")
	must.OK(t, os.Mkdir(last, 0o700))
	kill(listen(last))
	if removeSockets(last); there(shared) {
		t.Error("the last plugin left the folder, with the socket of one that was killed")
	}

	removed := Sweep()
	for _, dir := range []string{dead, empty, taken, later} {
		if !slices.Contains(removed, dir) || there(dir) {
			t.Errorf("%s is left", dir)
		}
	}
	for _, dir := range []string{live, host, other, foreign} {
		if !there(dir) {
			t.Errorf("%s was removed", dir)
		}
	}
}

func there(path string) bool { _, err := os.Stat(path); return err == nil }
