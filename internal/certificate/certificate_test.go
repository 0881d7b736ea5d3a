package certificate

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// handshake connects client and server configurations and passes one byte,
// because in TLS 1.3 a client learns only from its first read that it was turned away.
func handshake(client, server *tls.Config) error {
	a, b := net.Pipe()
	result := make(chan error, 1)
	go func() {
		s := tls.Server(b, server)
		defer func() { _ = s.Close() }()
		err := s.Handshake()
		if err == nil {
			_, err = s.Write([]byte{1})
		}
		result <- err
	}()
	c := tls.Client(a, client)
	_, err := io.ReadFull(c, make([]byte, 1))
	_ = a.Close()
	if serr := <-result; serr != nil {
		return serr
	}
	return err
}

func open(t *testing.T, dir string) (*Store, *tls.Config, *tls.Config) {
	t.Helper()
	s := must.Value(Open(dir))(t)
	host := must.Value(s.Host())(t)
	plugin := must.Value(s.Plugin())(t)
	return s, host, plugin
}

func TestOnlyTheOwnHostIsLetIn(t *testing.T) {
	_, host, plugin := open(t, filepath.Join(t.TempDir(), "a"))
	_, stranger, impostor := open(t, filepath.Join(t.TempDir(), "b"))
	if err := handshake(host, plugin); err != nil {
		t.Errorf("host and plugin of one study: %v", err)
	}
	if err := handshake(stranger, plugin); err == nil {
		t.Error("a plugin let another study's host in")
	}
	if err := handshake(host, impostor); err == nil {
		t.Error("a host took another study's plugin for its own")
	}
	bare := host.Clone()
	bare.Certificates = nil
	if err := handshake(bare, plugin); err == nil {
		t.Error("a plugin let a caller without certificate in")
	}
	plug := host.Clone()
	plug.Certificates = plugin.Certificates
	if err := handshake(plug, plugin); err == nil {
		t.Error("a plugin took another plugin for its host")
	}
}

// A clock that is set back after the keys were made leaves them valid.
func TestClockSetBack(t *testing.T) {
	_, host, plugin := open(t, filepath.Join(t.TempDir(), "study", "certificate"))
	back := func() time.Time { return time.Now().Add(-48 * time.Hour) }
	host.Time, plugin.Time = back, back
	if err := handshake(host, plugin); err != nil {
		t.Error(err)
	}
}

func TestFilesArePrivateAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study", "certificate")
	_, host, _ := open(t, dir)
	entries := must.Value(os.ReadDir(dir))(t)
	must.Equal(t, 5, len(entries))
	for _, e := range entries {
		info := must.Value(e.Info())(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", e.Name(), info.Mode().Perm())
		}
	}
	info := must.Value(os.Stat(dir))(t)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("folder has mode %o", info.Mode().Perm())
	}
	_, _, plugin := open(t, dir)
	if err := handshake(host, plugin); err != nil {
		t.Errorf("opened again, the certificates do not match: %v", err)
	}
	alone(t, filepath.Dir(dir), "certificate")
}

func TestDamagedFilesAreNamed(t *testing.T) {
	for _, name := range []string{hostFile, hostKeyFile, authorityFile} {
		dir := filepath.Join(t.TempDir(), "certificate")
		open(t, dir)
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte("garbage"), 0o600))
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("damaged %s: %v", name, err)
		}
	}
}

// A set of which a killed process had removed a part is made anew, by several hosts of a process at once, too; who
// looks for a living plugin's set makes none.
func TestHalfASet(t *testing.T) {
	for _, name := range []string{hostFile, hostKeyFile, pluginFile, pluginKeyFile, authorityFile} {
		folder := t.TempDir()
		dir := filepath.Join(folder, "certificate")
		open(t, dir)
		must.OK(t, os.Remove(filepath.Join(dir, name)))
		if _, err := Find(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("found without %s: %v", name, err)
		}
		hosts := make([]*tls.Config, 4)
		var wg sync.WaitGroup
		for i := range hosts {
			wg.Go(func() {
				s, err := Open(dir)
				if err != nil {
					t.Errorf("opened without %s: %v", name, err)
					return
				}
				hosts[i], _ = s.Host() // the handshake fails without
			})
		}
		wg.Wait()
		_, _, plugin := open(t, dir)
		for _, host := range hosts {
			if err := handshake(host, plugin); err != nil {
				t.Errorf("without %s: %v", name, err)
			}
		}
		alone(t, folder, "certificate")
	}
}

// Certificates go as a whole, and those that a killed process was removing are swept.
func TestRemove(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "certificate")
	if err := Remove(dir); err != nil {
		t.Errorf("removed none: %v", err)
	}
	open(t, dir)
	must.OK(t, Remove(dir))
	alone(t, folder)
	dead := exec.Command("true")
	must.OK(t, dead.Start())
	tag := process.Identify(dead.Process.Pid).Tag()
	must.OK(t, dead.Wait())
	must.OK(t, os.MkdirAll(filepath.Join(folder, makingPrefix+tag+"-1", "old"), 0o700))
	Sweep(folder)
	alone(t, folder)
}

// alone holds that a folder holds these and nothing else.
func alone(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries := must.Value(os.ReadDir(folder))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

func TestFromEnvironment(t *testing.T) {
	s, host, _ := open(t, filepath.Join(t.TempDir(), "certificate"))
	for _, name := range []string{EnvAuthority, EnvCert, EnvKey} {
		t.Setenv(name, "")
	}
	if _, err := FromEnvironment(); err == nil || !strings.Contains(err.Error(), EnvCert) {
		t.Errorf("without environment: %v", err)
	}
	for _, line := range s.Environment() {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	plugin := must.Value(FromEnvironment())(t)
	must.OK(t, handshake(host, plugin))
}
