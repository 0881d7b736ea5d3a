package nodes_test

// Who comes to the door.

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// Hundreds of strangers who say nothing, and as many more each moment, keep no relay out; the study's log names few.
func TestStrangersAtTheDoor(t *testing.T) {
	testenv.Long(t, "hundreds of connections")
	p, study := newInProcess(t), t.TempDir()
	f := p.fleet(study, &hosts.Launcher{Name: "test", Cores: 1})
	told := make(chan event.Event, 10000)
	f.Report(func(e event.Event) { told <- e })
	var strangers []net.Conn
	p.home = func(path string) string { // before a relay calls
		var h agent.Home
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &h)
		}
		noError(t, err)
		for range 500 {
			c, err := net.Dial("tcp", h.Addresses[len(h.Addresses)-1])
			if err != nil {
				t.Error(err)
				break
			}
			strangers = append(strangers, c)
		}
		return path
	}
	// 500 of them, one after the other by 64, would take longer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, release, err := f.Place(ctx, launch.Need{Name: "r", Cores: 1}, nil)
	must.OK(t, err)
	release()
	noError(t, f.Close())
	for _, c := range strangers {
		_ = c.Close()
	}
	close(told)
	n := 0
	for e := range told {
		if e.Kind == event.Message && len(e.Text) > 8 && (e.Text[:8] == "somebody" || e.Text[:4] == "more") {
			n++
		}
	}
	if n == 0 || n > 30 {
		t.Errorf("%d strangers were told of", n)
	}
	if _, err := os.Stat(filepath.Join(study, "home.json")); err == nil {
		t.Error("the file with the keys is left")
	}
}
