package sshtest

// Processes of sessions, and of calls of ssh: on Linux, which has a readable process table.

import (
	"bytes"
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// find returns the processes whose file of the process table has a text.
func (s *Site) find(file, text string) (found []process.ID) {
	s.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/" + file)
	if err != nil || len(files) == 0 {
		testenv.NotHere(s.t, "no process table")
	}
	for _, path := range files {
		// it may have ended
		content, _ := intake.Read(path, intake.Limit{What: "a file of the process table", Bytes: 1 << 20})
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if id := process.Identify(pid); bytes.Contains(content, []byte(text)) && id.Alive() {
			found = append(found, id)
		}
	}
	return found
}

// sessions returns the processes with the home folder of a host: all processes that ssh started there and that have not
// changed their environment.
func (s *Site) sessions() (found []process.ID) {
	for _, h := range s.hosts {
		found = append(found, s.find("environ", "HOME="+s.Home(h.name)+"\x00")...)
	}
	return found
}

// Clients are the calls of ssh to the hosts.
func (s *Site) Clients() []process.ID {
	s.t.Helper()
	return s.find("cmdline", "ssh\x00-T\x00-o\x00BatchMode=yes\x00-F\x00"+s.path("config")+"\x00")
}

// KillClients kills the calls of ssh, and waits for their end.
func (s *Site) KillClients() {
	s.t.Helper()
	calls := s.Clients()
	if len(calls) == 0 {
		s.t.Error("no ssh is connected to the hosts")
	}
	for _, id := range calls {
		process.Kill(id)
	}
	for _, id := range calls {
		if err := id.Wait(s.t.Context()); err != nil {
			s.t.Error(err)
		}
	}
}

// KillSessions kills all processes that ssh has started on the hosts, at once.
func (s *Site) KillSessions() {
	s.t.Helper()
	for _, id := range s.sessions() {
		process.Kill(id)
	}
}

// AwaitEnd waits until the hosts have no processes of ssh sessions. Processes that are killed leave temporary files.
func (s *Site) AwaitEnd() {
	s.t.Helper()
	s.await(func() []string { return nil })
}

// AwaitNone waits until the hosts have no processes and no temporary files of ssh sessions.
func (s *Site) AwaitNone() {
	s.t.Helper()
	s.await(s.Temporary)
}

// Temporary returns the paths in the temporary folders of the hosts' sessions.
func (s *Site) Temporary() []string {
	s.t.Helper()
	files, err := filepath.Glob(s.path("*.tmp/*"))
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// await waits until the hosts have no processes of ssh sessions, and no such files.
func (s *Site) await(those func() []string) {
	s.t.Helper()
	late, cancel := context.WithTimeout(s.t.Context(), upTime)
	defer cancel()
	for {
		left, files := s.sessions(), those()
		if len(left) == 0 && len(files) == 0 {
			return
		}
		if clock.Sleep(late, clock.Real, lookTime) != nil {
			s.t.Errorf("still there on the hosts: processes %v, files %q", left, files)
			return
		}
	}
}
