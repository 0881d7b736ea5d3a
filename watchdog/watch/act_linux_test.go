package watch

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Where the solver reads no file, the process that holds the run's log open for writing is asked to end, and no other.
func TestRulesStopTheWriter(t *testing.T) {
	dir, path, rest := foamCase(t, "false", 10)
	start := func(script string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", script, path)
		must.OK(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	writer, reader := start(`exec sleep 1000 >>"$0"`), start(`exec sleep 1000 <"$0"`)
	log := process.FileOf(must.Value(os.Stat(path))(t))
	for len(process.Written()[log]) == 0 { // it begins
	}
	done := acted(t, path, Options{Written: process.Written}, func(ticks int) {
		switch ticks {
		case 5:
			grow(t, path, strings.TrimSuffix(rest, "End\n\n"))
		case 10:
			if err := writer.Wait(); err == nil || err.Error() != "signal: terminated" {
				t.Error(err)
			}
			grow(t, path, "End\n\n")
		}
	})
	must.Equal(t, fmt.Sprintf("SIGTERM to process %d, which writes its files", writer.Process.Pid), done["halt"])
	must.Equal(t, true, process.Identify(reader.Process.Pid).Alive())
	must.Fail(t, process.EndWriter(process.Identify(writer.Process.Pid)), "has ended")
	holds(t, dir, "controlDict", "stopAt endTime")
}
