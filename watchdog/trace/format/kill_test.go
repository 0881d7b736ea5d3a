package format

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// recordInto names the file into which the test's own program, started again, records until it is killed.
const recordInto = "PEREGRINE_TEST_RECORD"

// A trace opens, and has what was written, whenever its process was killed.
func TestKillWhileRecording(t *testing.T) {
	if path := os.Getenv(recordInto); path != "" {
		recordForEver(t, path)
		return
	}
	times := 5
	if testenv.IsLong(t) {
		times = 50
	}
	for k := range times {
		path := filepath.Join(t.TempDir(), "sensors.bin")
		cmd := exec.Command(os.Args[0], "-test.run=^TestKillWhileRecording$")
		cmd.Env = append(os.Environ(), recordInto+"="+path)
		must.OK(t, cmd.Start())
		least := int64(1000 * (k + 1))
		for began := time.Now(); ; time.Sleep(time.Millisecond) {
			if info, err := os.Stat(path); err == nil && info.Size() >= least {
				break
			}
			if time.Since(began) > time.Minute {
				t.Error("it does not record")
				break
			}
		}
		must.OK(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		f := must.Value(os.Open(path))(t)
		n := map[trace.Kind]int{}
		var problems []trace.Problem
		for _, r := range must.Value(All(f, nil, func(p trace.Problem) { problems = append(problems, p) }))(t) {
			n[r.Kind]++
		}
		must.OK(t, f.Close())
		unequal := n[trace.Enter]-n[trace.Leave] > 1 && n[trace.Lost] == 0 // a full ring loses some, and is told
		if n[trace.Enter] < 20 || unequal || len(problems) > 1 {
			t.Errorf("%v, %v", n, problems)
		}
	}
}

func recordForEver(t *testing.T, path string) {
	b := must.Value(sensor.NewBoard("run", clock.Real, sensor.Spec{Name: "sweep", Kind: sensor.Region}))(t)
	b.Switch("sweep", true, 1)
	r := sensor.NewRecorder(b, must.Value(os.Create(path))(t), sensor.Recording{Buffer: 37})
	m := sensor.NewMonitor(b, r.Take)
	defer m.Close()
	sweep := b.Region("sweep", "main", "")
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Microsecond) {
		sweep.Enter()
		sweep.Leave()
	}
	fmt.Println("nobody has killed it")
}
