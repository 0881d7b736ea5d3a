package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
)

// The E3's fan on other machines: whatever has the nodes, the results are those of this one.

// hostsFiles are hosts files by what has the nodes, with what holds that nothing is left of it. Their launcher is called there.
var hostsFiles = map[string]func(t *testing.T) (file string, noneLeft func()){
	"command": commandHosts,
	"ssh":     func(t *testing.T) (string, func()) { s := sshtest.Start(t, 2); return sshHosts(s), s.AwaitNone },
}

// commandHosts has blocks on this machine, by commands: the example.
func commandHosts(t *testing.T) (string, func()) {
	t.Helper()
	return strings.Replace(readFile(t, "../../config/hosts/examples/here.yaml"), "\n  here:\n", "\n  there:\n", 1), func() {}
}

// sshHosts has the hosts of a site.
func sshHosts(s *sshtest.Site) string {
	return fmt.Sprintf("launchers:\n  there: {provider: ssh, options: [%s], hosts: [%s]}\n", strings.Join(s.Options, ", "), strings.Join(s.Hosts, ", "))
}

// thither has a workshop's runs made by a hosts file's launcher.
func (w *workshop) thither(file string) []string {
	w.Helper()
	writeFile(w.T, w.path("hosts.yaml"), file)
	return []string{"--hosts", w.path("hosts.yaml"), "--launcher", "there", "--study", "study"}
}

// local are the results of this machine.
func (w *workshop) local() string {
	w.Helper()
	cmd, out := w.start("--cache", w.path("another cache"), "--work", w.path("other runs"))
	if code := exitCode(cmd.Wait()); code != 0 {
		w.Fatalf("here: exit code %d", code)
	}
	return out.String()
}

// same holds that results are those of this machine to the last bit, and that nothing is left.
func (w *workshop) same(out *bytes.Buffer, noneLeft func()) {
	w.Helper()
	if diff := cmp.Diff(w.local(), out.String()); diff != "" {
		w.Errorf("the results differ from those of this machine:\n%s", diff)
	}
	w.nothingLeft()
	noneLeft()
}

// await waits until something has happened.
func (w *workshop) await(what string, is func() bool) {
	w.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("no %s in %v", what, patience)
		}
	}
}

// log is the study's.
func (w *workshop) log() string {
	w.Helper()
	return readFile(w.T, w.path("runs", "study", "study.jsonl"))
}

func TestLaunchersGiveTheSame(t *testing.T) {
	testenv.Long(t, "runs studies on nodes")
	t.Parallel()
	for name, hosts := range hostsFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, noneLeft := hosts(t)
			newWorkshop(t).goesThither(file, noneLeft)
		})
	}
}

// The place of a cluster stands in the environment, so that no other test runs beside this one.
func TestSlurmGivesTheSame(t *testing.T) {
	testenv.Long(t, "starts a cluster")
	cluster := slurmtest.Start(t, 4)
	w := newWorkshop(t)
	w.goesThither("launchers:\n  there: {provider: slurm, blocks: 4, cores: 1, memory: 1 GB, time: 10 min}\n", func() {
		w.await("empty queue", func() bool { return strings.TrimSpace(cluster.Command("squeue", "--noheader")) == "" })
	})
}

// goesThither holds that a study whose runs a hosts file's launcher makes has the results of this machine.
func (w *workshop) goesThither(file string, noneLeft func()) {
	w.Helper()
	cmd, out := w.start(w.thither(file)...)
	if code := exitCode(cmd.Wait()); code != 0 {
		w.Fatalf("exit code %d", code)
	}
	w.same(out, noneLeft)
	w.sealed()
	if !strings.Contains(w.log(), " has come: ") {
		w.Error("no node has come: the runs were not made there")
	}
}
