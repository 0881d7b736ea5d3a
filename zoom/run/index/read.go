package index

// Reading a run folder.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	runs "github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Classes of runs without an end.
const (
	Running = "running" // in progress
	Unknown = "unknown" // may go on: its machine cannot be asked now
)

// States of runs that their classes do not name.
const (
	Paused  = "paused"  // of class running: a command holds it
	Stopped = "stopped" // of class killed: a command ended it
)

// rest is how long a run must be unchanged before it counts as settled: the clock of a file system may be that coarse.
const rest = 2 * time.Second

// read reads a run's folder; false: it is no run folder.
func read(ctx context.Context, folder string, launchers launch.Registry, now time.Time) (*record, bool) {
	info, err := os.Stat(folder)
	events, eventsErr := os.Stat(filepath.Join(folder, plugin.EventsFile))
	if err != nil || eventsErr != nil {
		return nil, false
	}
	r, end, request, requestErr := runs.ReadEnding(ctx, folder, launchers)
	class := Running
	if r.Unknown {
		class = Unknown
	}
	rec := &record{
		study: r.Study, run: r.Name, class: cmp.Or(string(r.Class), class), block: printable(r.Block),
		waited: r.Waited.Seconds(), cores: float64(r.Cores), message: printable(r.Message),
		host: printable(r.Machine), pid: float64(r.PID), orphan: r.Orphan, started: r.Started, ended: r.Ended,
		wall:     r.Wall.Seconds(),
		fidelity: printable(end.Fidelity), cpu: end.CPU.Seconds(), memory: float64(end.Memory),
		at:      info.ModTime().UnixNano(),
		numbers: map[Role]map[string]float64{Output: end.Numbers},
	}
	rec.solver, rec.version, _ = strings.Cut(printable(cmp.Or(r.Solver, end.Solver)), " ")
	if r.Err != nil {
		rec.problem = printable(r.Err.Error())
	}
	if rec.noted(requestErr) {
		rec.setRequest(&request)
	}
	rec.setState(rec.readEvents(folder))
	files, size := private.Content(folder)
	rec.files, rec.bytes = float64(files), float64(size)
	changed := max(rec.at, events.ModTime().UnixNano())
	rec.settled = !r.MayRun() && changed <= now.Add(-rest).UnixNano()
	if rec.settled && r.Class == event.Lost { // its process may be starting, or its end be about to be written
		rec.settled = !r.Hosted && !studylog.Busy(filepath.Dir(folder))
	}
	return rec, true
}

// printable returns a text in the form in which the database keeps it unchanged.
func printable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// longestText is the longest text by which runs are selected: a name, not a geometry. Unit: bytes.
const longestText = 200

// setRequest sets the inputs and the key.
func (r *record) setRequest(request *runs.Record) {
	r.key = printable(request.Key)
	if p := request.Parent; p != nil {
		r.parent = printable(p.Run)
	}
	r.numbers[Input] = request.Numbers
	for name, text := range request.Texts {
		if text != "" && len(text) <= longestText && !strings.Contains(text, "\n") {
			if r.texts == nil {
				r.texts = map[string]string{}
			}
			r.texts[name] = printable(text)
		}
	}
}

// noted reports whether a file was read. A damaged file is recorded as a problem, a missing one is not.
func (r *record) noted(err error) bool {
	if err != nil && r.problem == "" && !errors.Is(err, fs.ErrNotExist) {
		r.problem = printable(err.Error())
	}
	return err == nil
}

// part is how much of either end of a run's events is read.
const part = 64 << 10

// setState sets the state by the class and the last command that holds, resumes or stops a run.
func (r *record) setState(last *event.Event) {
	r.state = r.class
	switch {
	case last == nil:
	case r.class == Running && last.Act != nil && last.Act.Held,
		r.class == Running && last.Act == nil && last.Name == string(steer.Pause):
		r.state = Paused
	case r.class == string(event.Killed) && last.Name == string(steer.Stop):
		r.state = Stopped
		if r.message == context.Canceled.Error() || r.message == plugin.ErrStopped.Error() {
			r.message = "stopped " + printable(last.Text)
		}
	}
}

// readEvents reads only the first and the last events: a run may have reported millions. It returns the last of the
// commands that hold, resume or stop a run.
func (r *record) readEvents(folder string) *event.Event {
	path := filepath.Join(folder, plugin.EventsFile)
	f, err := private.OpenFile(path)
	if !r.noted(err) {
		return nil
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, part))
	if !r.noted(err) {
		return nil
	}
	tail := head
	if info, err := f.Stat(); err == nil && info.Size() > int64(len(head)) {
		at := max(int64(len(head)), info.Size()-part)
		tail = make([]byte, info.Size()-at)
		n, _ := f.ReadAt(tail, at)
		tail = tail[:n]
	}
	d := event.Decoder{Path: path}
	for line := range bytes.Lines(head) {
		e, ok, err := d.Line(line)
		if ok && err == nil && e.Kind == event.Started {
			r.begun(&e)
			break
		}
	}
	return r.readLast(tail, &d)
}

func (r *record) begun(e *event.Event) {
	r.component, r.attempt, r.seeks = printable(e.Component), float64(e.Attempt), printable(e.Seeks)
	if e.Cause != nil {
		r.cause = printable(strings.TrimSpace(fmt.Sprintf("%s %s %d", e.Cause.Run, e.Cause.Source, e.Cause.Seq)))
	}
}

// readLast finds the last iteration, the last command and the run's end, backwards.
func (r *record) readLast(tail []byte, d *event.Decoder) (command *event.Event) {
	var ended, iterated bool
	for len(tail) > 0 && !(ended && iterated && command != nil) {
		at := bytes.LastIndexByte(tail[:len(tail)-1], '\n') + 1
		line := tail[at:]
		tail = tail[:at]
		ends := !ended && bytes.Contains(line, []byte(`"`+event.Ended+`"`))
		iterates := !iterated && bytes.Contains(line, []byte(`"`+event.Iteration+`"`))
		commands := command == nil && bytes.Contains(line, []byte(`"`+event.Command+`"`))
		if !ends && !iterates && !commands {
			continue
		}
		switch e, ok, err := d.Line(line); {
		case !ok || err != nil:
		case e.Kind == event.Ended:
			ended, r.follows = true, e.Follows
		case e.Kind == event.Iteration:
			iterated, r.iterations, r.residual = true, e.Values["iteration"], e.Values["residual"]
		case command == nil && e.Kind == event.Command:
			verb := steer.Verb(e.Name)
			if (verb == steer.Stop || runs.Holding(verb)) && (e.Act == nil || e.Act.State == event.Applied) {
				command = &e
			}
		}
	}
	return command
}
