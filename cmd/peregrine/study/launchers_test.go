package study

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
)

// The E3's fan on machines that ssh reaches: the results are those of this one to the last bit, and nothing is left.
// For blocks by commands and by Slurm the crash suite holds that.
func TestSSHGivesTheSame(t *testing.T) {
	testenv.Long(t, "runs studies on nodes")
	t.Parallel()
	s, w := sshtest.Start(t, 2), newWorkshop(t)
	hosts := w.path("hosts.yaml")
	programtest.Write(t, hosts, fmt.Sprintf("launchers:\n  there: {provider: ssh, options: [%s], hosts: [%s]}\n",
		strings.Join(s.Options, ", "), strings.Join(s.Hosts, ", ")))
	var printed [2]string
	for i, args := range [][]string{
		{"--hosts", hosts, "--launcher", "there", "--study", "study"},
		{"--cache", w.path("another cache"), "--work", w.path("other runs")},
	} {
		args = append([]string{"run", w.path("examples", "e3.yaml"), "--json"}, args...)
		code, out, problems := w.peregrine(args...)
		if code != 0 {
			t.Fatalf("%q: exit code %d: %s", args, code, problems)
		}
		printed[i] = out
	}
	if diff := cmp.Diff(printed[1], printed[0]); diff != "" {
		t.Errorf("the results differ from those of this machine:\n%s", diff)
	}
	w.nothingLeft()
	s.AwaitNone()
	w.sealed()
	must.Contain(t, programtest.Read(t, w.path("runs", "study", "study.jsonl")), " has come: ")
}
