package watch

// The work of `peregrine watch` after its flags are read: lines, or a dashboard on a terminal.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/notification"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive/rules"
	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/notify"
	"github.com/peregrine-sim/peregrine/watchdog/rule/language"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
	"github.com/peregrine-sim/peregrine/watchdog/watch"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// namedStudy returns the folder of the study that the arguments name, by its folder or by its name below --work;
// empty if they name files.
func namedStudy(cmd *cobra.Command, args []string) (folder string, err error) {
	for _, arg := range args {
		if isStudy(arg) {
			folder = arg
		}
	}
	if folder != "" && len(args) > 1 {
		return "", fmt.Errorf("%s is a study: one is watched at a time, and no other files with it", folder)
	}
	if _, err := os.Stat(args[0]); folder != "" || err == nil || len(args) > 1 ||
		strings.ContainsRune(filepath.ToSlash(args[0]), '/') {
		return folder, nil
	}
	settings, err := settings.Load(cmd.Flags())
	if err != nil {
		return "", err
	}
	names, err := studylog.List(settings.Work)
	if err != nil {
		return "", nil // a file that is still to come
	}
	if name, err := cli.UniqueName("study", args[0], names); err == nil {
		return filepath.Join(settings.Work, name), nil
	}
	return "", nil
}

func isStudy(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, studylog.FileName))
	return err == nil && info.Mode().IsRegular()
}

// watching is a call of the command.
type watching struct {
	cmd     *cobra.Command
	clock   clock.Clock
	flags   *watchFlags
	options watch.Options
	study   string // its folder; empty: files are watched
	files   []string

	ends     watch.Verdicts    // of runs that are watched by their files
	usable   bool              // all that ended otherwise
	notifier *notify.Notifier  // nil: nobody is told
	failed   error             // of printing
	printed  map[string]string // by file: the last line of its state
	last     map[string]string // last line of each file, for the end of a dashboard
	order    []string          // of these files
	note     func(string)      // shows a text on the dashboard; nil: no dashboard
}

func (w *watching) run() error {
	ctx := w.cmd.Context()
	w.options.Clock = w.clock
	w.options.Warn = func(text string) { w.cmd.PrintErrln("peregrine: " + text) }
	w.actions()
	var err error
	switch out, ok := w.cmd.OutOrStdout().(*cli.Console); {
	case w.flags.once && w.study != "":
		err = watch.OnceStudy(ctx, w.study, w.options, w.say)
	case w.flags.once:
		err = watch.Once(w.files, w.options, w.say)
	default:
		for _, file := range w.files {
			if _, err := os.Stat(file); w.study == "" && errors.Is(err, fs.ErrNotExist) {
				w.options.Warn("no such file: " + file + "; it is watched when it exists")
			}
		}
		loaded, fault := settings.Load(w.cmd.Flags())
		if fault == nil {
			fault = w.checkChannels(loaded.Notify)
		}
		if fault != nil {
			return fault
		}
		if len(loaded.Notify) > 0 {
			w.notifier = notify.New(loaded.Notify, loaded.Unsent, w.clock, w.options.Warn)
			defer w.notifier.Close()
		}
		w.options.Waker = tail.NewWaker(w.clock, w.options.Warn)
		defer func() { _ = w.options.Waker.Close() }() // the program ends
		if ok && !w.flags.json && !w.flags.plain && out.IsTerminal() && fullScreen() {
			err = w.show(ctx, out)
			break
		}
		err = w.follow(ctx)
	}
	if _, ok := errors.AsType[*language.Error](err); ok {
		err = rules.Problems(w.flags.rules, err)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no such file: %s", path.Path)
	}
	if err = errors.Join(err, w.failed); err != nil {
		return err
	}
	if !w.usable || !w.ends.Usable() {
		return cli.ErrNotDone
	}
	return nil
}

// checkChannels checks the channels that rules name.
func (w *watching) checkChannels(list []notification.Channel) error {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	var errs []error
	if w.flags.rules == "" {
		return nil
	}
	for _, r := range w.flags.compiled.List() {
		for _, name := range r.Notify {
			if !slices.Contains(names, name) {
				errs = append(errs, fmt.Errorf("rule %s: notify: the settings have no channel %s%s", r.Name, name,
					spell.Hint(name, names)))
			}
		}
	}
	return errors.Join(errs...)
}

// garbage is how much may lie unused beside the memory of a watch, per cent: it runs for days beside solvers, and its
// files are read in a fraction of a core.
const garbage = 25

// follow prints lines.
func (w *watching) follow(ctx context.Context) error {
	if was := debug.SetGCPercent(garbage); was < garbage { // GOGC asks for less
		debug.SetGCPercent(was)
	}
	w.options.Rest = debug.FreeOSMemory
	if w.study != "" {
		return watch.FollowStudy(ctx, w.study, w.options, w.say)
	}
	return watch.Follow(ctx, w.files, w.options, w.say)
}

func (w *watching) say(l watch.Line) {
	w.ends.Add(l)
	if severity := l.Severity(); severity != "" && w.notifier != nil {
		n := notify.Notice{Severity: severity, File: l.File, Time: l.Time, State: string(l.State),
			Iteration: l.Iteration,
			Text:      fmt.Sprintf("%s: %g: %s: %s", l.File, l.Iteration, l.State, strings.Join(l.Reasons, "; "))}
		for _, f := range l.Findings {
			n.Severity, n.Text = f.Severity, fmt.Sprintf("%s: %g: %s: %s", l.File, l.Iteration, f.Rule, f.Message)
			w.notifier.Note(n, f.Notify...)
		}
		if len(l.Findings) == 0 {
			w.notifier.Note(n)
		}
	}
	if w.flags.json {
		if err := json.NewEncoder(w.cmd.OutOrStdout()).Encode(l); err != nil && w.failed == nil {
			w.failed = err
		}
		return
	}
	if len(l.Findings) > 0 {
		w.find(l)
		return
	}
	text := fmt.Sprintf("%s: %g: %s: %s", l.File, l.Iteration, l.State, strings.Join(l.Reasons, "; "))
	if w.last != nil {
		if _, there := w.last[l.File]; !there {
			w.order = append(w.order, l.File)
		}
		w.last[l.File] = text
		return
	}
	if w.printed[l.File] != text { // not the end of a run whose state the previous line has
		w.cmd.Println(text)
	}
	if w.printed == nil {
		w.printed = map[string]string{}
	}
	w.printed[l.File] = text
	if l.Final && w.flags.names {
		t := table.Indented("l")
		for _, name := range slices.Sorted(maps.Keys(l.Values)) {
			t.Row(name, fmt.Sprintf("%.6g", l.Values[name]))
		}
		w.cmd.Printf("%s: names of values, and the last of each:\n%v", l.File, t)
	}
}

// find prints the findings of rules, or shows them on the dashboard.
func (w *watching) find(l watch.Line) {
	for _, f := range l.Findings {
		text := fmt.Sprintf("%s: %g: %s: %s: %s", l.File, l.Iteration, f.Severity, f.Rule, printable.Cell(f.Message))
		if len(f.Runs) > 1 {
			text += " (" + strings.Join(f.Runs, ", ") + ")"
		}
		if f.Done != "" {
			text += "; " + f.Action + ": " + printable.Cell(f.Done)
		}
		if w.note != nil {
			w.note(text)
			continue
		}
		w.cmd.Println(text)
	}
}

// show shows a dashboard until all watched runs have ended, or its user closes it. After a key was pressed, only the
// user closes it.
func (w *watching) show(ctx context.Context, out *cli.Console) error {
	board, work := w.dashboard()
	m := dashboard.NewModel(board, asciiOnly())
	m.Stop = "ends watching; the runs continue"
	stage, err := newStage(w.cmd, board, m, out, w.helm(), "")
	if err != nil {
		w.last, w.note = nil, nil
		return w.follow(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	ended := false
	select {
	case err = <-done:
		ended = true
		lost := errors.As(err, new(*studylog.LostError))
		if lost || err == nil && (w.study != "" || stage.screen.Touched()) {
			text := "all has ended: q quits"
			if lost {
				text = "the study's process has ended without a word: q quits"
			}
			stage.screen.Say(text)
			select {
			case <-stage.screen.Gone():
			case <-ctx.Done():
			}
		}
	case <-stage.screen.Gone():
	}
	cancel()
	if !ended {
		if err = <-done; errors.Is(err, context.Canceled) && w.cmd.Context().Err() == nil {
			err = nil // it was closed
		}
	}
	stage.close()
	w.summary(board)
	return err
}

// helm returns the means by which keys steer the study; nil for files.
func (w *watching) helm() script.Helm {
	folder, err := filepath.Abs(w.study)
	if w.study == "" || err != nil {
		return nil
	}
	return studyHelm(w.cmd, filepath.Dir(folder), filepath.Base(folder))
}

// dashboard returns the board of the watched runs, and a function that fills it.
func (w *watching) dashboard() (*dashboard.Board, func(context.Context) error) {
	w.last = map[string]string{}
	if w.study != "" {
		board := dashboard.New(filepath.Base(w.study))
		return board, func(ctx context.Context) error {
			return studylog.FollowLiving(ctx, w.study, w.clock, w.options.Waker, w.options.Warn, func(e event.Event) {
				if e.Kind == event.Ended && !e.Follows && e.Run != "" && (e.Source == event.Host ||
					e.Source == event.Executive) {
					w.usable = w.usable && e.Answers()
				}
				board.Observe(e)
			})
		}
	}
	board := dashboard.NewJudged(strings.Join(w.files, " "))
	o := w.options
	w.note = func(text string) { board.Note(w.clock.Now(), text) }
	o.Warn = func(text string) { board.Note(w.clock.Now(), text); w.options.Warn(text) }
	o.Observe = func(run string, e event.Event) {
		e.Run = runName(run)
		board.Observe(e)
	}
	o.Judge = func(run string, j state.Judgement, final bool) { board.Judge(runName(run), w.clock.Now(), j, final) }
	return board, func(ctx context.Context) error { return watch.Follow(ctx, w.files, o, w.say) }
}

// runName names a run by its folder.
func runName(folder string) string {
	if folder == "." {
		if here, err := filepath.Abs(folder); err == nil {
			return filepath.Base(here)
		}
	}
	return folder
}

// mostSaid bounds the lines printed after a dashboard of files.
const mostSaid = 100

// summary prints at the end the final state of the dashboard.
func (w *watching) summary(board *dashboard.Board) {
	if w.study != "" {
		w.cmd.Println(board.Summary(w.clock.Now()))
		return
	}
	for i, file := range w.order {
		if i == mostSaid {
			w.cmd.Printf("and %d more files: %s\n", len(w.order)-i, board.Summary(w.clock.Now()))
			break
		}
		w.cmd.Println(w.last[file])
	}
}
