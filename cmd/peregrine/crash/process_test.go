//go:build linux

package crash

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The processes of a trial are found in /proc: by their environment, whoever their parent is now.

// role is what a process does for a study.
type role string

const (
	executive role = "executive"
	solver    role = "solver"
	watchdog  role = "watchdog"
	program   role = "program" // that a described solver runs
	relay     role = "relay"   // of a node
	starter   role = "starter" // of a block that waits for a node
)

// process is a living process.
type process struct {
	pid, parent, session int
	role                 role
	node                 string // of relays
}

// mark is the line of the environment by which a trial's processes are known: plugins get few variables, and this one.
func (t *trial) mark() string { return "TMPDIR=" + t.tmp() }

// processes are those of the trial that live.
func (t *trial) processes() []process {
	t.Helper()
	entries := must.Value(os.ReadDir("/proc"))(t)
	var found []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(env, []byte(t.mark()+"\x00")) {
			continue // another's, or it has ended: a zombie has no environment
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		_, state, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(state) // proc_pid_stat(5): state, ppid, pgrp, session
		parent, _ := strconv.Atoi(fields[1])
		session, _ := strconv.Atoi(fields[3])
		found = append(found, process{pid, parent, session, roleOf(strings.Split(string(words), "\x00")),
			variable(env, "PEREGRINE_NODE")})
	}
	return found
}

// variable is the value of a variable of a process's environment.
func variable(environment []byte, name string) string {
	for line := range strings.SplitSeq(string(environment), "\x00") {
		if value, is := strings.CutPrefix(line, name+"="); is {
			return value
		}
	}
	return ""
}

// roleOf is the role of a process with a command line.
func roleOf(words []string) role {
	switch {
	case len(words) > 2 && words[1] == "serve" && words[2] == "watchdog":
		return watchdog
	case len(words) > 2 && words[1] == "serve" && words[2] == "relay":
		return relay
	case len(words) > 1 && filepath.Base(words[0]) == "sh":
		return starter
	case len(words) > 2 && words[1] == "serve", filepath.Base(words[0]) == "meanline":
		return solver
	case len(words) > 1 && filepath.Base(words[1]) == "rotor.py":
		return program
	}
	return executive
}

// killAll ends what lives of a trial.
func (t *trial) killAll() {
	for _, p := range t.processes() {
		_ = syscall.Kill(p.pid, syscall.SIGKILL) // or it has just ended
	}
}
