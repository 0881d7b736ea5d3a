package executive

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// The next study removes the keys of killed studies; keys of running studies, or of studies with a running run, stay. A
// run with a result does not go on, though its process lives: it waits for the killed host for some seconds.
func TestKeysOfEndedStudies(t *testing.T) {
	work := t.TempDir()
	study := func(name string) (folder string, log *studylog.Log) {
		folder, err := studylog.Named(work, name)
		if err == nil {
			err = os.Mkdir(filepath.Join(folder, local.CertificateDir), 0o700)
		}
		log = studylog.New(nil, func(event.Event) {})
		if err == nil {
			err = log.Open(folder)
		}
		must.OK(t, err)
		log.Record(event.Event{Kind: event.StudyBegun})
		return folder, log
	}
	_, busy := study("busy")
	defer func() { _ = busy.Close() }()
	for _, name := range []string{"ended", "orphan", "answered"} {
		folder, log := study(name)
		must.OK(t, log.Close())
		if name == "ended" {
			continue
		}
		point := filepath.Join(folder, "point")
		must.OK(t, os.Mkdir(point, 0o700))
		events, err := event.Append(filepath.Join(point, plugin.EventsFile))
		if err == nil {
			err = events.Close()
		}
		handle := launch.Handle(`{"pid":` + strconv.Itoa(os.Getpid()) + `,"socket":"/nowhere","certificates":"` +
			filepath.Join(folder, local.CertificateDir) + `"}`)
		if err == nil {
			err = record.Write(point,
				record.Record{
					Process: record.ProcessRecord{Launcher: local.Name, Handle: handle, Host: process.ID{PID: 1 << 30},
						Started: time.Now()},
				})
		}
		if err == nil && name == "answered" {
			err = plugin.WriteResult(point, plugin.Ending{})
		}
		must.OK(t, err)
	}
	s := &Studies{Settings: settings.Settings{Work: work}}
	s.defaults()
	s.forgetOld(t.Context())
	for name, stays := range map[string]bool{"busy": true, "orphan": true, "ended": false, "answered": false} {
		if _, err := os.Stat(filepath.Join(work, name, local.CertificateDir)); (err == nil) != stays {
			t.Errorf("%s: the keys are there: %t, want %t", name, err == nil, stays)
		}
	}
}
