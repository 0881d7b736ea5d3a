// Package sshtest makes hosts that ssh reaches, for tests: a daemon of OpenSSH for each on a port of this machine, with
// keys, configurations and home folders of their own. It neither reads nor changes the user's files. The hosts share
// this machine's files, cores and host name.
//
// The daemons are children of the test's process, in the foreground, and end with it.
package sshtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Site is some hosts.
type Site struct {
	Hosts   []string // their names: h1, h2 and so on
	Options []string // options of ssh by which it knows the hosts

	t      testing.TB
	folder string
	hosts  []*host
}

// host is one host of a site.
type host struct {
	name string
	port int
	end  context.CancelFunc // of its daemon
	done chan struct{}
}

const (
	upTime   = 30 * time.Second // time in which a daemon must answer
	lookTime = 20 * time.Millisecond
)

// Start starts hosts, with more lines for the configuration of each daemon. The test is a long one that needs OpenSSH;
// with a StandIn it also has a short form.
func Start(t testing.TB, hosts int, lines ...string) *Site {
	t.Helper()
	if standing && !testenv.IsLong(t) {
		s := newSite(t)
		s.standIn(hosts, lines)
		return s
	}
	testenv.Long(t, "starts ssh servers")
	for _, program := range []string{"sshd", "ssh", "ssh-keygen"} {
		testenv.Program(t, "openssh-server openssh-client", program)
	}
	if os.Geteuid() == 0 {
		// Debian's sshd requires this empty folder when root starts it
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := newSite(t)
	s.key("user")
	s.layOut(hosts, lines)
	for _, h := range s.hosts {
		s.up(h)
		t.Cleanup(func() { s.down(h) })
	}
	return s
}

// newSite makes a site without hosts. The path of its folder is short: so relays have their sockets in the host's
// temporary folder, where AwaitNone looks.
func newSite(t testing.TB) *Site {
	t.Helper()
	folder, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return &Site{t: t, folder: folder, Options: []string{"-F", filepath.Join(folder, "config")}}
}

func where(program string) (string, error) {
	path, err := hosting.Find(program)
	if err == nil {
		return path, nil
	}
	sbin := filepath.Join("/usr/sbin", program)
	if _, serr := os.Stat(sbin); serr == nil {
		return sbin, nil
	}
	return "", err
}

func (s *Site) path(name string) string { return filepath.Join(s.folder, name) }

func (s *Site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *Site) read(name string) string {
	s.t.Helper()
	text, err := intake.Read(s.path(name), intake.Limit{What: "a file of ssh's", Bytes: 1 << 20})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// key makes a pair of keys.
func (s *Site) key(name string) {
	s.t.Helper()
	s.ask("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", s.path(name))
}

// ask runs a program to its end.
func (s *Site) ask(program string, args ...string) string {
	s.t.Helper()
	path, err := where(program)
	if err != nil {
		s.t.Fatal(err)
	}
	q := process.Question{Words: append([]string{path}, args...), Environment: os.Environ(), Limit: upTime,
		Most: 1 << 20}
	out, err := q.Ask(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// layOut writes the files that daemons and ssh read.
func (s *Site) layOut(hosts int, lines []string) {
	s.t.Helper()
	self, err := user.Current()
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("authorized_keys", s.read("user.pub")+"\n")
	var config, known strings.Builder
	for n := range hosts {
		h := &host{name: fmt.Sprintf("h%d", n+1), port: freePort(s.t)}
		s.hosts, s.Hosts = append(s.hosts, h), append(s.Hosts, h.name)
		s.key(h.name + ".key")
		s.folders(h)
		text := fmt.Sprintf(
			"ListenAddress 127.0.0.1\nPort %d\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\n"+
				"UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"+
				"PermitRootLogin prohibit-password\n%s\nSetEnv HOME=%s TMPDIR=%s\nPrintMotd no\nMaxStartups 100\n",
			h.port, s.path(h.name+".key"), s.path("authorized_keys"),
			strings.ReplaceAll(strings.Join(lines, "\n"), "$DIR", s.folder), s.Home(h.name), s.path(h.name+".tmp"))
		s.write(h.name+".sshd", text)
		fmt.Fprintf(&config, "Host %[1]s\n  Port %[2]d\n  HostKeyAlias %[1]s\n", h.name, h.port)
		fmt.Fprintf(&known, "%s %s\n", h.name, s.read(h.name+".key.pub"))
	}
	fmt.Fprintf(&config,
		"Host *\n  HostName 127.0.0.1\n  User %s\n  IdentityFile %s\n  IdentitiesOnly yes\n  IdentityAgent none\n"+
			"  UserKnownHostsFile %s\n  GlobalKnownHostsFile /dev/null\n",
		self.Username, s.path("user"), s.path("known_hosts"))
	s.write("config", config.String())
	s.write("known_hosts", known.String())
}

// folders makes the folders of a host.
func (s *Site) folders(h *host) {
	s.t.Helper()
	for _, folder := range []string{s.Home(h.name), s.path(h.name + ".tmp")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Home returns the home folder of a host's sessions.
func (s *Site) Home(host string) string { return s.path(host + ".home") }

// Up and Down start and end a host's daemon: new connections are then refused. Existing connections remain.
func (s *Site) Up(host string)   { s.up(s.host(host)) }
func (s *Site) Down(host string) { s.down(s.host(host)) }

func (s *Site) host(name string) *host {
	s.t.Helper()
	for _, h := range s.hosts {
		if h.name == name {
			return h
		}
	}
	s.t.Fatalf("no host %s", name)
	return nil
}

// Forget has ssh forget the keys of all hosts.
func (s *Site) Forget() { s.write("known_hosts", "") }

// Confuse replaces a host's known key by another one.
func (s *Site) Confuse(host string) {
	s.t.Helper()
	s.write("known_hosts", host+" "+s.read("user.pub")+"\n")
}

// Refuse makes the hosts refuse all users.
func (s *Site) Refuse() { s.write("authorized_keys", "") }

// Tool writes a program into the folder $DIR/bin, which lines of a daemon's configuration can name.
func (s *Site) Tool(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(s.path("bin"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.path("bin"), name), []byte(text), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// freePort returns an unused port.
func freePort(t testing.TB) int {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// up starts a host's daemon, and waits until it answers.
func (s *Site) up(h *host) {
	s.t.Helper()
	if standing {
		if err := os.Remove(s.path(h.name + ".down")); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	log, err := os.Create(s.path(h.name + ".log"))
	if err != nil {
		s.t.Fatal(err)
	}
	path, err := where("sshd")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	h.end, h.done = end, make(chan struct{})
	c := process.Exec{Words: []string{path, "-D", "-e", "-f", s.path(h.name + ".sshd")}, Environment: os.Environ(),
		Output: log, Group: true, Patience: time.Second}
	go func() { // down waits for it
		defer close(h.done)
		if _, err := c.Run(ctx); err != nil {
			s.t.Error(err)
		}
		_ = log.Close()
	}()
	late, cancel := context.WithTimeout(s.t.Context(), upTime)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(late, "tcp", fmt.Sprintf("127.0.0.1:%d", h.port))
		if err == nil {
			_ = conn.Close()
			return
		}
		if clock.Sleep(late, clock.Real, lookTime) != nil {
			s.t.Fatalf("sshd of %s does not answer: %v\n%s", h.name, err, s.read(h.name+".log"))
		}
	}
}

// down ends a host's daemon, with the connections that it serves.
func (s *Site) down(h *host) {
	if standing {
		s.write(h.name+".down", "")
		return
	}
	h.end()
	<-h.done
}
