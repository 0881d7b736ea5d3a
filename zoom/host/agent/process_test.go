package agent

// Processes of a node: as those of this machine, as far as whoever started them can see.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/executable"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
)

// run has a plugin solve a request, and returns the answer and the number of events.
func run(t *testing.T, p *hosting.Process, r plugin.Request) (plugin.Result, int, error) {
	t.Helper()
	client := plugin.NewClient(p.Conn)
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	release, err := client.Lease(ctx, plugin.Terms{})
	must.OK(t, err)
	t.Cleanup(release)
	events := 0
	result, err := client.Run(ctx, r, func(event.Event) { events++ })
	return result, events, err
}

// spawn starts a command on a node.
func spawn(t *testing.T, p *pair, c hosting.NodeProcess) hosting.Body {
	t.Helper()
	body := must.Value(p.node.Spawn(t.Context(), c))(t)
	return body
}

func script(folder, text string) plugin.Request {
	return plugin.Request{
		Study: "s", Run: "r", Folder: folder,
		Numbers: map[string]float64{"x": 3, "gain": 0.5}, Texts: map[string]string{"script": text},
	}
}

// A plugin starts, answers, streams its events and is stopped through the relay; its socket, its keys and its group go.
func TestPluginThroughRelay(t *testing.T) {
	p, folder := newPair(t), t.TempDir()
	h := host(t, p.node)
	plug := start(t, h, folder, nil)
	if plug.Number() == 0 || plug.Network != "unix" || !strings.HasPrefix(plug.Address, p.relay.scratch) ||
		!plug.ID.Alive() {
		t.Errorf("process %+v, number %d, at %s:%s", plug.ID, plug.Number(), plug.Network, plug.Address)
	}
	keys, err := filepath.Glob(filepath.Join(p.relay.scratch, "key-*"))
	if err != nil || len(keys) != 3 {
		t.Fatalf("keys %v, %v", keys, err)
	}
	for _, path := range keys {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	result, events, err := run(t, plug, script(folder, "print hello there; iterate 500; child"))
	if err != nil || result.Numbers["y"] != 9 || events != 500 {
		t.Errorf("%v and %d events: %v", result.Numbers, events, err)
	}
	if !plug.Children() {
		t.Error("its child is not seen")
	}
	if log, err := os.ReadFile(filepath.Join(folder, plugin.LogFile)); err != nil ||
		!strings.Contains(string(log), "hello there") {
		t.Errorf("log %q, %v", log, err)
	}
	if u := plug.Used(); u.Memory < 1<<20 || u.Resident < 1<<20 {
		t.Errorf("it has used %+v", u)
	}
	plug.Stop(hang)
	if end := plug.Ending(); end != (hosting.Ending{Text: "exit status 0 on n1", Fault: true}) {
		t.Errorf("it ended with %+v", end)
	}
	if u := plug.Used(); u.CPU <= 0 || u.Memory < 1<<20 {
		t.Errorf("in the end it has used %+v", u)
	}
	eventually(t, "the relay has not forgotten it", func() bool { return !p.relay.Busy() })
	if plug.ID.Alive() || p.node.Lives(plug.Number()) {
		t.Error("it lives")
	}
	if _, err := os.Stat(filepath.Dir(plug.Address)); err == nil {
		t.Error("its sockets' folder is left")
	}
}

// Whatever befalls a process is said as if it were of this machine.
func TestEndingsAreThoseOfThisMachine(t *testing.T) {
	memory := func(p *hosting.Program) { p.Allowance.Memory = 150 << 20 }
	few := func(p *hosting.Program) { p.Allowance.Processes = 3 }
	for i, c := range []struct {
		script string
		change func(*hosting.Program)
		want   hosting.Ending // but for its text; that of this machine, too
	}{
		{"crash", nil, hosting.Ending{Fault: true}},
		{"fork 10; sleep 300s", few, hosting.Ending{Crowd: true}},
		{"kill", nil, hosting.Ending{}},
		{"panic", nil, hosting.Ending{Fault: true}},
		{"abort", nil, hosting.Ending{Fault: true}},
		{"eat 1000; sleep 300s", memory, hosting.Ending{Full: true}},
	} {
		if i > 1 && !testenv.IsLong(t) {
			break
		}
		t.Run(c.script, func(t *testing.T) {
			p := newPair(t)
			var endings [2]hosting.Ending
			for i, node := range []hosting.Node{nil, p.node} {
				folder := t.TempDir()
				plug := start(t, host(t, node), folder, c.change)
				if _, _, err := run(t, plug, script(folder, c.script)); err == nil {
					t.Error("it answers")
				}
				awaitEnd(t, "the process", plug.Done())
				endings[i] = plug.Ending()
				if u := plug.Used(); u.CPU <= 0 || u.Memory <= 0 && node != nil {
					t.Errorf("in the end it has used %+v", u)
				}
			}
			local, remote := endings[0], endings[1]
			local.Text += " on n1"
			if remote != local {
				t.Errorf("there %+v, here %+v", remote, endings[0])
			}
			if remote.Text = ""; remote != c.want {
				t.Errorf("%+v, want %+v", remote, c.want)
			}
		})
	}
}

// Signals reach the whole group of a process.
func TestSignals(t *testing.T) {
	p := newPair(t)
	for name, end := range map[string]func(hosting.Body){
		"terminated": hosting.Body.Terminate, "killed": hosting.Body.Kill,
	} {
		file := filepath.Join(t.TempDir(), "child")
		body := spawn(t, p,
			hosting.NodeProcess{Args: []string{"/bin/sh", "-c", "sleep 300 & echo $! > '" + file + "'; echo x; wait"}})
		if _, err := body.Stdout().Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		end(body)
		awaitEnd(t, "the process", body.Done())
		if got := body.Ending(); got != (hosting.Ending{Text: "signal: " + name + " on n1"}) {
			t.Errorf("%s: %+v", name, got)
		}
		var child int
		text, _ := os.ReadFile(file)
		if n, err := fmt.Sscan(string(text), &child); n != 1 {
			t.Fatal(err)
		}
		eventually(t, "its child lives", func() bool { return !process.Identify(child).Alive() })
		body.Free()
	}
}

// What does not start says why, and whether that is the command's fault.
func TestNoStart(t *testing.T) {
	p := newPair(t)
	for _, c := range []struct {
		command hosting.NodeProcess
		program bool
		text    string
	}{
		{hosting.NodeProcess{Args: []string{"/nonexistent/solver"}}, true, "/nonexistent/solver"},
		{hosting.NodeProcess{Args: []string{"/etc/passwd"}}, true, "permission denied"},
		{hosting.NodeProcess{}, false, "no command"},
		{hosting.NodeProcess{Args: []string{"/bin/true"}, LogPath: "/nonexistent/log"}, false, "/nonexistent/log"},
		{hosting.NodeProcess{Args: []string{"/bin/true"}, Contents: []string{"file " + strings.Repeat("0", 64)}}, true,
			"install the same version"},
		{hosting.NodeProcess{Args: []string{"/bin/true"}, Contents: []string{"a", "b"}}, true, "as many contents"},
	} {
		body, err := p.node.Spawn(t.Context(), c.command)
		wants(t, err, c.text, "n1")
		var command *hosting.CommandError
		if errors.As(err, &command) != c.program || body != nil {
			t.Errorf("%v: is it the command's fault: %t", err, !c.program)
		}
	}
	if p.relay.Busy() {
		t.Error("something was started")
	}
	if left, _ := filepath.Glob(filepath.Join(p.relay.scratch, "s*")); len(left) > 0 {
		t.Errorf("folders of sockets are left: %v", left)
	}
}

// A start whose caller gives up leaves no process, whenever he does.
func TestStartIsGivenUp(t *testing.T) {
	p := newPair(t)
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
		body, err := p.node.Spawn(ctx, hosting.NodeProcess{Args: []string{"/bin/sleep", "300"}})
		cancel()
		if err == nil {
			body.Kill()
			awaitEnd(t, "the process", body.Done())
			body.Free()
		}
	}
	eventually(t, "a process was left", func() bool { return !p.relay.Busy() })
}

// asked counts the calls that start a process.
type asked struct {
	pb.RelayClient
	times int
}

func (a *asked) Spawn(ctx context.Context, q *pb.SpawnRequest, o ...grpc.CallOption) (
	grpc.ServerStreamingClient[pb.SpawnReply], error) {
	a.times++
	return a.RelayClient.Spawn(ctx, q, o...)
}

// A node that was let go begins no call: its Close would not wait for that.
func TestStartAtTheEnd(t *testing.T) {
	p := newPair(t)
	p.node.Close()
	a := &asked{RelayClient: p.node.client}
	p.node.client = a
	if _, err := p.node.Attach(t.Context(), 1); !errors.Is(err, errLetGo) || a.times > 0 {
		t.Errorf("%v after %d calls", err, a.times)
	}
}

// A relay that closes while processes start leaves none.
func TestCloseWhileProcessesStart(t *testing.T) {
	clean(t)
	for i := range 20 {
		r := newRelay(t, clock.Real)
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				_, _ = r.spawn(t.Context(), &pb.SpawnRequest{Args: []string{"/bin/sleep", "300"}}) // refused or killed
			})
		}
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		must.OK(t, r.Close())
		calls.Wait()
		if r.Busy() {
			t.Error("a process was left")
		}
	}
}

// A log is cut while its process prints, and also where the process turns to another one.
func TestLogsAreLimited(t *testing.T) {
	p := newPair(t)
	const limit = 1 << 20
	folder := t.TempDir()
	log := filepath.Join(folder, "log")
	body, err := p.node.Spawn(t.Context(), hosting.NodeProcess{
		Args: []string{
			"/bin/sh", "-c", "(echo first; yes 0123456789 | head -c 8000000; sleep 0.3; echo; echo last) >&2",
		},
		LogPath: log, LogLimit: limit,
	})
	must.OK(t, err)
	awaitEnd(t, "the process", body.Done())
	body.Free()
	text, err := os.ReadFile(log)
	if err != nil || len(text) > limit || !strings.HasPrefix(string(text), "first\n") ||
		!strings.HasSuffix(string(text), "\nlast\n") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// A flood on standard output is read, dropped, and holds nothing up.
func TestOutputIsDropped(t *testing.T) {
	p := newPair(t)
	body := spawn(t, p, hosting.NodeProcess{Args: []string{"/bin/sh", "-c", "yes 0123456789 | head -c 4000000"}})
	body.Free()
	awaitEnd(t, "the process", body.Done())
	if e := body.Ending(); e.Text != "exit status 0 on n1" {
		t.Errorf("%+v", e)
	}
}

// A plugin in Python, by a socket of the relay's, and by a TCP port of its machine.
func TestPythonThroughRelay(t *testing.T) {
	testenv.Long(t, "generates and loads Python's gRPC")
	unix := mock.Python(t, "../../example")
	text, err := os.ReadFile(unix)
	must.OK(t, err)
	tcp := filepath.Join(filepath.Dir(unix), "tcp.py")
	byPort := strings.NewReplacer(`server.add_secure_port("unix:" + ADDRESS`,
		`port = server.add_secure_port("127.0.0.1:0"`,
		`print("1|2|unix|%s|grpc|" % ADDRESS`, `print("1|2|tcp|127.0.0.1:%d|grpc|" % port`).Replace(string(text))
	must.OK(t, os.WriteFile(tcp, []byte(byPort), 0o700))
	for network, program := range map[string]string{"unix": unix, "tcp": tcp} {
		t.Run(network, func(t *testing.T) {
			p, folder := newPair(t), t.TempDir()
			plug := start(t, host(t, p.node), folder,
				func(o *hosting.Program) { o.Command, o.Environment = []string{program}, nil })
			if plug.Network != network {
				t.Errorf("it listens at %s:%s", plug.Network, plug.Address)
			}
			d, err := plugin.NewClient(plug.Conn).Describe(t.Context())
			if err != nil || d.Name == "" {
				t.Errorf("%+v: %v", d.Name, err)
			}
			plug.Stop(hang)
		})
	}
}

// met listens at an address, and gets something when somebody connects.
func met(t *testing.T, network, address string) (at string, met chan struct{}) {
	t.Helper()
	door, err := net.Listen(network, address)
	must.OK(t, err)
	t.Cleanup(func() { _ = door.Close() })
	met = make(chan struct{}, 1)
	go func() { // ends when the door is closed
		for {
			c, err := door.Accept()
			if err != nil {
				return
			}
			met <- struct{}{}
			_ = c.Close()
		}
	}()
	return door.Addr().String(), met
}

// dials has the relay connect to an address. The other end closes the connection, or nobody takes it.
func dials(t *testing.T, n *Node, network, address string) {
	t.Helper()
	conn, err := n.Dial(t.Context(), network, address)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	_ = conn.SetDeadline(time.Now().Add(hang))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("%s: %d bytes, %v", address, n, err)
	}
	_ = conn.Close()
}

// A relay leads nowhere but to what it has started.
func TestForeignAddresses(t *testing.T) {
	p := newPair(t)
	path, socket := met(t, "unix", testenv.Socket(t))
	port, service := met(t, "tcp", "127.0.0.1:0")
	up := filepath.Join(p.relay.scratch, "..", "..") + path // cleaned, it leaves the folder
	for _, address := range []string{"unix:" + path, "unix:" + up, "unix:@abstract", "tcp:" + port, "tcp:192.0.2.1:80",
		"tcp:example.org:80", "tcp:0.0.0.0:22",
		"udp:127.0.0.1:53", "unix", ":", "tcp:[::ffff:192.0.2.1]:80"} {
		network, rest, _ := strings.Cut(address, ":")
		dials(t, p.node, network, rest)
	}
	if _, err := p.node.Dial(t.Context(), "unix", strings.Repeat("x", 300)); err == nil {
		t.Error("a path of 300 bytes is sent")
	}
	select {
	case <-socket:
		t.Error("a socket of somebody else was reached")
	case <-service:
		t.Error("a port of somebody else was reached")
	default:
	}
}

// A port is reached as long as a process of the relay lives that has announced it in the first line that it has
// printed, and in that form.
func TestAnnouncedPort(t *testing.T) {
	p := newPair(t)
	port, service := met(t, "tcp", "127.0.0.1:0")
	reached := func() bool {
		t.Helper()
		dials(t, p.node, "tcp", port)
		select {
		case <-service:
			return true
		default:
			return false
		}
	}
	for line, leads := range map[string]bool{
		"1|1|tcp|" + port + "|grpc|": true, "1|1|tcp|" + port: true, "1|1|unix|" + port + "|grpc|": false,
		"1|1|tcp|" + port + "0|grpc": false,
		"1|1|tcp":                    false, port: false, "hello\n1|1|tcp|" + port + "|grpc|": false,
		strings.Repeat("x", 5000) + "|1|tcp|" + port: false,
	} {
		body := spawn(t, p, hosting.NodeProcess{Args: []string{"/bin/sh", "-c", `echo "$0"; exec sleep 300`, line}})
		if _, err := body.Stdout().Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if got := reached(); got != leads {
			t.Errorf("a process that says %.40q leads to the port: %t, want %t", line, got, leads)
		}
		body.Kill()
		awaitEnd(t, "the process", body.Done())
		body.Free()
		if reached() {
			t.Errorf("a process that said %.40q leads to the port after its end", line)
		}
	}
}

// What a host left behind is found by the next one, which may end it.
func TestNextHost(t *testing.T) {
	clean(t)
	r := newRelay(t, realClocks.relay)
	first := meet(t, r, newLink(t), longTerms)
	log := filepath.Join(t.TempDir(), "log")
	body := spawn(t, first, hosting.NodeProcess{Args: []string{"/bin/sleep", "300"}, LogPath: log})
	first.close()
	awaitEnd(t, "the process, to the first host,", body.Done())
	if e := body.Ending(); !e.Lost || !process.Identify(body.ID().PID).Alive() {
		t.Errorf("%+v", e)
	}
	body.Free()
	second := meet(t, r, newLink(t), longTerms)
	if len(second.node.Left) != 1 {
		t.Fatalf("left: %v", second.node.Left)
	}
	left := second.node.Left[0]
	want := []any{left.GetNumber(), int(left.GetPid()), left.GetFolder()}
	if diff := cmp.Diff(want, []any{body.(*remoteBody).Number(), body.ID().PID, filepath.Dir(log)}); diff != "" {
		t.Error(diff)
	}
	if !second.node.Lives(left.GetNumber()) || second.node.Used(left.GetNumber()).Memory == 0 {
		t.Error("it does not live")
	}
	second.node.Kill(left.GetNumber())
	eventually(t, "it lives", func() bool { return !second.node.Lives(left.GetNumber()) })
	if body.ID().Alive() {
		t.Error("it lives")
	}
}

// A relay that closes ends what it started.
func TestDismissed(t *testing.T) {
	p := newPair(t)
	body := spawn(t, p, hosting.NodeProcess{Args: []string{"/bin/sleep", "300"}})
	p.node.Dismiss(t.Context())
	awaitEnd(t, "the relay", p.ended)
	if !p.relay.Dismissed() || body.ID().PID == 0 {
		t.Error("it does not know")
	}
	awaitEnd(t, "the process", body.Done())
	body.Free()
	if err := p.relay.Close(); err != nil || body.ID().Alive() {
		t.Errorf("it lives: %v", err)
	}
}

// A file of a command that is there, at its path and with its content, is that file, though it is no program: a
// description's or a script's folder has further files.
func TestFilesThatAreThere(t *testing.T) {
	p := newPair(t)
	script := filepath.Join(t.TempDir(), "solver.py")
	must.OK(t, os.WriteFile(script, []byte("import beside\n"), 0o644))
	command := []string{"true", script, "word"}
	contents := must.Value(launch.Contents(command))(t)
	must.Equal(t, command, must.Value(p.relay.localCommand(command, contents))(t))
	must.OK(t, os.WriteFile(script, []byte("import others\n"), 0o644))
	if _, err := p.relay.localCommand(command, contents); err == nil {
		t.Error("another file is taken")
	}
}

// In place of this program its image is brought, which runs; where the relay is a process of it, nothing is.
func TestImageIsBrought(t *testing.T) {
	p := newPair(t)
	self := must.Value(os.Executable())(t)
	whole := must.Value(launch.Contents([]string{self}))(t)
	image := must.Value(executable.Read(self))(t)
	sum, _ := fileSum(whole[0])
	for _, relay := range []string{sum, image.Sum} {
		p.node.Facts.Sum = relay
		p.node.images.Clear()
		q := &pb.SpawnRequest{Args: []string{self}, Contents: whole}
		must.OK(t, os.RemoveAll(p.relay.files))
		must.OK(t, p.node.bringContents(t.Context(), q, []string{sum}))
		must.Equal(t, []string{"file " + image.Sum}, q.GetContents())
		noted, _ := p.node.images.Load(whole[0])
		must.Equal(t, any("file "+image.Sum), noted)
		there := p.relay.brought(image.Sum)
		if (there == "") != (relay == image.Sum) {
			t.Errorf("relay of %.8s: it is brought to %q", relay, there)
		}
		if there != "" {
			must.Equal(t, image, executable.Image{Path: self, Sum: must.Value(checksum.Of(there))(t), Size: image.Size})
			must.OK(t, os.RemoveAll(p.relay.files)) // somebody tidies up
			p.node.Build = "another"                // which takes it uncompressed
			must.OK(t, p.node.bringContents(t.Context(), q, []string{image.Sum}))
			must.Equal(t, []string{"file " + image.Sum}, q.GetContents())
			must.Equal(t, there, p.relay.brought(image.Sum))
		}
	}
}
